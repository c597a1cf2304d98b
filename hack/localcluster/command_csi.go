package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/hack/localcluster/internal/cluster"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopcsi"
)

// loopDriverCommand is the CSI driver, which `up` runs as a process of its own.
func loopDriverCommand() *cobra.Command {
	options := loopcsi.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var sockets loopcsi.Sockets
	cmd := &cobra.Command{
		Use:    cluster.LoopDriverCommand,
		Short:  "Run the CSI driver " + loopcsi.DriverName,
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			driver, err := loopcsi.New(options)
			if err != nil {
				return err
			}
			return driver.Serve(cmd.Context(), sockets)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.NodeID, "node", "", "name of the node")
	flags.StringVar(&options.Volumes, "volumes", "", "directory of the volumes' files")
	flags.StringVar(&options.Kubepods, "kubepods", "", "blkio cgroup directory that holds the pods' cgroups")
	flags.StringVar(&sockets.CSI, "socket", "", "socket of the CSI services")
	flags.StringVar(&sockets.Registration, "registration-socket", "", "socket in the kubelet's plugins_registry")
	for _, required := range []string{"node", "volumes", "kubepods", "socket", "registration-socket"} {
		cobra.CheckErr(cmd.MarkFlagRequired(required))
	}
	return cmd
}
