// Command kubectl-storagebench is a kubectl plugin that shows the plans and the results of StorageBenchmarks.
package main

import (
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// version is set by the linker: -ldflags "-X main.version=...".
var version = "dev"

func main() {
	if err := newCommand().Execute(); err != nil {
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true)
	root := &cobra.Command{
		Use:          "kubectl-storagebench",
		Short:        "Show the plans and the results of StorageBenchmarks",
		Version:      version,
		SilenceUsage: true,
	}
	flags.AddFlags(root.PersistentFlags())
	root.AddCommand(newPlanCommand(), newReportCommand(flags))
	return root
}
