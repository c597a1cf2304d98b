package main

import (
	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/test/localcluster/internal/cluster"
)

// interfereCommands make faults for tests. `up` heals what they do.
func interfereCommands() []*cobra.Command {
	stop := &cobra.Command{Use: "stop COMPONENT...", Short: "Stop components such as kube-apiserver, etcd, kubelet or node-2-containerd", Args: cobra.MinimumNArgs(1)}
	now := stop.Flags().Bool("now", false, "kill them (SIGKILL) without asking")
	return []*cobra.Command{
		onCluster(stop, func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
			return c.Stop(cmd.Context(), *now, names...)
		}),
		onCluster(&cobra.Command{Use: "start COMPONENT...", Short: "Start components that were stopped, and wait until they are ready", Args: cobra.MinimumNArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				return c.Start(cmd.Context(), names...)
			}),
		onCluster(&cobra.Command{Use: "pause COMPONENT...", Short: "Make components hang (SIGSTOP)", Args: cobra.MinimumNArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				return c.Pause(cmd.Context(), names...)
			}),
		onCluster(&cobra.Command{Use: "resume COMPONENT...", Short: "Have components go on that were paused", Args: cobra.MinimumNArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				return c.Resume(cmd.Context(), names...)
			}),
		onCluster(&cobra.Command{Use: "lose NODE", Short: "Have a node vanish with all its pods, as when its instance is terminated", Args: cobra.ExactArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				return c.Lose(cmd.Context(), names[0])
			}),
		onCluster(&cobra.Command{Use: "find NODE", Short: "Bring back a node that was lost, and wait until it is Ready", Args: cobra.ExactArgs(1)},
			func(cmd *cobra.Command, c *cluster.Cluster, names []string) error {
				return c.Find(cmd.Context(), names[0])
			}),
	}
}
