// Command kubectl-storagebench is a kubectl plugin that shows the plans and the results of StorageBenchmarks.
package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// version is set by the linker: -ldflags "-X main.version=...".
var version = "dev"

// exitInterrupted is the exit code of what Ctrl-C ended, as shells have it: 128 and SIGINT.
const exitInterrupted = 130

func main() {
	err := newCommand().Execute()
	switch {
	case errors.Is(err, errLeft):
		os.Exit(exitInterrupted)
	case err != nil:
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true)
	root := &cobra.Command{
		Use:          "kubectl-storagebench",
		Short:        "Measure storage, and show the results: StorageBenchmarks of storagebench",
		Version:      version,
		SilenceUsage: true,
	}
	flags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().Bool(noColor, false, "Print without colours, also on a terminal, as with environment variable NO_COLOR")
	root.AddCommand(
		newRunCommand(flags), newWatchCommand(flags), newListCommand(flags),
		newImportCommand(flags), newPlanCommand(), newReportCommand(flags), newCompareCommand(flags), newExplainResultCommand(flags),
		newLogsCommand(flags), newArtifactsCommand(flags),
	)
	return root
}
