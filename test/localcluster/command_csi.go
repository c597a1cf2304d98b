package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/test/localcluster/internal/cluster"
	"github.com/storagebench/storagebench/test/localcluster/internal/drivers"
	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

// partCommands are the processes of the cluster that this program is itself.
func partCommands() []*cobra.Command {
	return []*cobra.Command{
		part(cluster.DriverCommand, "Run a CSI driver", drivers.Run),
		part(cluster.DisksCommand, "Serve the disks of a CSI driver", drivers.ServeDisks),
		part(cluster.ProvisionerCommand, "Run the external-provisioner of a CSI driver", sidecar.Provision),
		part(cluster.AttacherCommand, "Run the external-attacher of a CSI driver", sidecar.Attach),
	}
}

// part runs a process of the cluster with the options that the cluster writes.
func part[Options any](use, short string, run func(context.Context, Options) error) *cobra.Command {
	cmd := &cobra.Command{Use: use + " JSON", Short: short, Args: cobra.ExactArgs(1), Hidden: true}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var options Options
		if err := json.Unmarshal([]byte(args[0]), &options); err != nil {
			return err
		}
		return run(cmd.Context(), options)
	}
	return cmd
}
