package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/test/localcluster/internal/cluster"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "localcluster",
		Short:         "Run a real Kubernetes cluster on this machine",
		SilenceUsage:  true,
		SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{
			DisableDefaultCmd: true,
		},
	}
	root.AddCommand(clusterCommands()...)
	root.AddCommand(interfereCommands()...)
	root.AddCommand(imageCommand())
	root.AddCommand(partCommands()...)
	return root
}

func clusterCommands() []*cobra.Command {
	load := &cobra.Command{Use: "load IMAGE.tar...", Short: "Load image tarballs into the nodes", Args: cobra.MinimumNArgs(1)}
	onlyNode := load.Flags().String("node", "", "load them into this node only (default: into all)")
	return []*cobra.Command{
		upCommand(),
		onCluster(&cobra.Command{Use: "down", Short: "Stop the cluster, delete it and restore the machine", Args: cobra.NoArgs},
			func(cmd *cobra.Command, c *cluster.Cluster, _ []string) error { return c.Down(cmd.Context()) }),
		onCluster(&cobra.Command{Use: "status", Short: "Show the cluster; fail when it is not healthy", Args: cobra.NoArgs},
			func(cmd *cobra.Command, c *cluster.Cluster, _ []string) error {
				return c.Status(cmd.Context(), cmd.OutOrStdout())
			}),
		onCluster(load, func(cmd *cobra.Command, c *cluster.Cluster, files []string) error {
			return c.Load(cmd.Context(), *onlyNode, files...)
		}),
		onCluster(&cobra.Command{Use: "binaries NAME...", Short: "Build programs such as kube-apiserver and helm, and print the directories they are in, as PATH has them", Args: cobra.MinimumNArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				dirs, err := c.Binaries(cmd.Context(), names...)
				if err == nil && len(dirs) > 0 {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(dirs, ":"))
				}
				return err
			}),
		onCluster(&cobra.Command{Use: "build-s3", Short: "Build the programs of S3 volumes, which up --s3 does if they are missing", Args: cobra.NoArgs},
			func(cmd *cobra.Command, c *cluster.Cluster, _ []string) error { return c.BuildS3(cmd.Context()) }),
	}
}

func upCommand() *cobra.Command {
	var options cluster.Options
	cmd := onCluster(&cobra.Command{Use: "up", Short: "Start the cluster, or heal it", Args: cobra.NoArgs},
		func(cmd *cobra.Command, c *cluster.Cluster, _ []string) error { return c.Up(cmd.Context(), options) })
	cmd.Flags().BoolVar(&options.S3, "s3", false, "with S3 volumes, also after later starts, until the cluster is taken down")
	cmd.Flags().IntVar(&options.Nodes, "nodes", 1, "with so many nodes or more, also after later starts, until the cluster is taken down")
	return cmd
}

// onCluster makes a command work on the cluster of the checkout that this program is in.
func onCluster(cmd *cobra.Command, run func(*cobra.Command, *cluster.Cluster, []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Progress goes to stderr: stdout is for what was asked.
		c, err := cluster.Open(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return run(cmd, c, args)
	}
	return cmd
}
