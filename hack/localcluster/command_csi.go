package main

import (
	"errors"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/hack/localcluster/internal/cluster"
	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/ebscsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efscsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopcsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/provisioner"
)

// driverCommands are the CSI drivers, which `up` runs as processes of their own.
func driverCommands() []*cobra.Command {
	return []*cobra.Command{
		diskDriverCommand(cluster.LoopDriverCommand, loopcsi.DriverName, loopcsi.New),
		diskDriverCommand(cluster.EBSDriverCommand, ebscsi.DriverName, ebscsi.New),
		efsDriverCommand(),
		provisionerCommand(),
	}
}

// provisionerCommand makes the volumes of one of the drivers.
func provisionerCommand() *cobra.Command {
	var options provisioner.Options
	cmd := &cobra.Command{Use: cluster.ProvisionerCommand, Short: "Run the external-provisioner of a CSI driver", Args: cobra.NoArgs, Hidden: true}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return provisioner.Run(cmd.Context(), options) }
	flags := cmd.Flags()
	flags.StringVar(&options.Kubeconfig, "kubeconfig", "", "how to reach the API")
	flags.StringVar(&options.CSIAddress, "csi-address", "", "socket of the driver")
	flags.StringVar(&options.HTTPEndpoint, "http-endpoint", "", "HOST:PORT that answers when volumes are made")
	flags.StringVar(&options.DefaultFSType, "default-fstype", "", "file system of volumes whose class names none")
	flags.Float32Var(&options.QPS, "kube-api-qps", 0, "requests a second to the API")
	flags.IntVar(&options.Burst, "kube-api-burst", 0, "requests at once to the API")
	require(cmd, "kubeconfig", "csi-address", "http-endpoint", "kube-api-qps", "kube-api-burst")
	return cmd
}

// diskDriverCommand is a driver whose volumes are loop devices.
func diskDriverCommand(use, name string, open func(loopcsi.Options) (*loopcsi.Driver, error)) *cobra.Command {
	options := loopcsi.Options{Log: driverLog()}
	var nodes string
	cmd := driverCommand(use, name)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		driver, err := open(options)
		if err != nil {
			return err
		}
		return errors.Join(csiserve.FollowNodes(cmd.Context(), nodes, driver.ServeNode), driver.Close())
	}
	cmd.Flags().StringVar(&options.Volumes, "volumes", "", "directory of the volumes' files")
	nodesFlag(cmd, &nodes)
	require(cmd, "volumes")
	return cmd
}

func efsDriverCommand() *cobra.Command {
	options := efscsi.Options{Log: driverLog()}
	var nodes string
	cmd := driverCommand(cluster.EFSDriverCommand, efscsi.DriverName)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		driver, err := efscsi.New(options)
		if err != nil {
			return err
		}
		return csiserve.FollowNodes(cmd.Context(), nodes, driver.ServeNode)
	}
	flags := cmd.Flags()
	flags.StringVar(&options.FileSystems, "file-systems", "", "directory of the file systems")
	flags.StringVar(&options.Mounts, "mounts", "", "directory above all mounts")
	nodesFlag(cmd, &nodes)
	require(cmd, "file-systems", "mounts")
	return cmd
}

func nodesFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "nodes", "", "file with the nodes to serve, which is followed")
	require(cmd, "nodes")
}

func driverLog() *slog.Logger { return slog.New(slog.NewTextHandler(os.Stderr, nil)) }

func driverCommand(use, name string) *cobra.Command {
	return &cobra.Command{Use: use, Short: "Run the CSI driver " + name, Args: cobra.NoArgs, Hidden: true}
}

func require(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		cobra.CheckErr(cmd.MarkFlagRequired(flag))
	}
}
