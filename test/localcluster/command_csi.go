package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/test/localcluster/internal/attacher"
	"github.com/storagebench/storagebench/test/localcluster/internal/cluster"
	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/drivers"
	"github.com/storagebench/storagebench/test/localcluster/internal/provisioner"
	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

// provisionerCommand makes the volumes of one of the drivers.
func provisionerCommand() *cobra.Command {
	var options provisioner.Options
	cmd := sidecarCommand(cluster.ProvisionerCommand, "Run the external-provisioner of a CSI driver", &options.Options,
		func(ctx context.Context) error { return provisioner.Run(ctx, options) })
	flags := cmd.Flags()
	flags.DurationVar(&options.Timeout, "timeout", 0, "how long a call to the driver may take")
	flags.DurationVar(&options.RetryStart, "retry-interval-start", 0, "time between the first tries of a call that fails")
	flags.DurationVar(&options.RetryMax, "retry-interval-max", 0, "most time between tries")
	require(cmd, "timeout", "retry-interval-start", "retry-interval-max")
	return cmd
}

// attacherCommand attaches the volumes of one of the drivers.
func attacherCommand() *cobra.Command {
	var options sidecar.Options
	return sidecarCommand(cluster.AttacherCommand, "Run the external-attacher of a CSI driver", &options,
		func(ctx context.Context) error { return attacher.Run(ctx, options) })
}

// sidecarCommand runs a program that stands beside one of the drivers.
func sidecarCommand(use, short string, options *sidecar.Options, run func(context.Context) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, Hidden: true}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) }
	flags := cmd.Flags()
	flags.StringVar(&options.Kubeconfig, "kubeconfig", "", "how to reach the API")
	flags.StringVar(&options.CSIAddress, "csi-address", "", "socket of the driver")
	flags.StringVar(&options.HTTPEndpoint, "http-endpoint", "", "HOST:PORT that answers when it works")
	flags.StringVar(&options.DefaultFSType, "default-fstype", "", "file system of volumes for which none is named")
	flags.Float32Var(&options.QPS, "kube-api-qps", 0, "requests a second to the API")
	flags.IntVar(&options.Burst, "kube-api-burst", 0, "requests at once to the API")
	require(cmd, "kubeconfig", "csi-address", "http-endpoint", "kube-api-qps", "kube-api-burst")
	return cmd
}

// driverCommand is one of the drivers.
func driverCommand() *cobra.Command {
	options := csidriver.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var driver, nodes string
	cmd := &cobra.Command{Use: cluster.DriverCommand, Short: "Run a CSI driver", Args: cobra.NoArgs, Hidden: true}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		found, err := drivers.Find(driver)
		if err != nil {
			return err
		}
		return found.Run(cmd.Context(), nodes, options)
	}
	flags := cmd.Flags()
	flags.StringVar(&driver, "driver", "", "which one: loop, ebs or efs")
	flags.StringVar(&nodes, "nodes", "", "file with the nodes to serve, which is followed")
	flags.StringVar(&options.Volumes, "volumes", "", "directory of what the volumes hold")
	flags.StringVar(&options.Disks, "disks", "", "directory where disks with limits are served; empty for a driver that has none")
	flags.StringVar(&options.Mounts, "mounts", "", "directory above all mounts")
	flags.StringVar(&options.MetricsAddress, "metrics", "", "HOST:PORT of the metrics of a driver that has some; empty for none")
	require(cmd, "driver", "nodes", "volumes", "mounts")
	return cmd
}

// disksCommand is what the disks of a driver are beyond the nodes.
func disksCommand() *cobra.Command {
	var driver, volumes, at string
	cmd := &cobra.Command{Use: cluster.DisksCommand, Short: "Serve the disks of a CSI driver", Args: cobra.NoArgs, Hidden: true}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return drivers.ServeDisks(cmd.Context(), driver, volumes, at, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	flags := cmd.Flags()
	flags.StringVar(&driver, "driver", "", "whose: loop or ebs")
	flags.StringVar(&volumes, "volumes", "", "directory of what the volumes hold")
	flags.StringVar(&at, "at", "", "directory where the disks are served as files")
	require(cmd, "driver", "volumes", "at")
	return cmd
}

func require(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		cobra.CheckErr(cmd.MarkFlagRequired(flag))
	}
}
