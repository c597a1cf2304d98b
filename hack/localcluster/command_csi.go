package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/hack/localcluster/internal/cluster"
	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/ebscsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efscsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopcsi"
)

// driverCommands are the CSI drivers, which `up` runs as processes of their own.
func driverCommands() []*cobra.Command {
	return []*cobra.Command{
		diskDriverCommand(cluster.LoopDriverCommand, loopcsi.DriverName, loopcsi.New),
		diskDriverCommand(cluster.EBSDriverCommand, ebscsi.DriverName, ebscsi.New),
		efsDriverCommand(),
	}
}

// diskDriverCommand is a driver whose volumes are loop devices.
func diskDriverCommand(use, name string, open func(loopcsi.Options) (*loopcsi.Driver, error)) *cobra.Command {
	options := loopcsi.Options{Log: driverLog()}
	var sockets loopcsi.Sockets
	cmd := driverCommand(use, name)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		driver, err := open(options)
		if err != nil {
			return err
		}
		return driver.Serve(cmd.Context(), sockets)
	}
	flags := cmd.Flags()
	flags.StringVar(&options.NodeID, "node", "", "name of the node")
	flags.StringVar(&options.Volumes, "volumes", "", "directory of the volumes' files")
	flags.StringVar(&options.Kubepods, "kubepods", "", "blkio cgroup directory that holds the pods' cgroups")
	flags.StringVar(&sockets.CSI, "socket", "", "socket of the CSI services")
	flags.StringVar(&sockets.Registration, "registration-socket", "", "socket in the kubelet's plugins_registry")
	require(cmd, "node", "volumes", "kubepods", "socket", "registration-socket")
	return cmd
}

func efsDriverCommand() *cobra.Command {
	options := efscsi.Options{Log: driverLog()}
	var nodes []string
	cmd := driverCommand(cluster.EFSDriverCommand, efscsi.DriverName)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		sockets, err := nodeSockets(nodes)
		if err != nil {
			return err
		}
		driver, err := efscsi.New(options)
		if err != nil {
			return err
		}
		return driver.Serve(cmd.Context(), sockets)
	}
	flags := cmd.Flags()
	flags.StringVar(&options.FileSystems, "file-systems", "", "directory of the file systems")
	flags.StringVar(&options.Mounts, "mounts", "", "directory above all mounts")
	flags.StringArrayVar(&nodes, "node", nil, "NAME,SOCKET,REGISTRATION_SOCKET of a node (repeatable)")
	require(cmd, "file-systems", "mounts", "node")
	return cmd
}

func nodeSockets(nodes []string) (map[string]csiserve.Sockets, error) {
	sockets := map[string]csiserve.Sockets{}
	for _, node := range nodes {
		fields := strings.Split(node, ",")
		if len(fields) != 3 {
			return nil, fmt.Errorf("--node %q is not NAME,SOCKET,REGISTRATION_SOCKET", node)
		}
		sockets[fields[0]] = csiserve.Sockets{CSI: fields[1], Registration: fields[2]}
	}
	return sockets, nil
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
