// Package plugin is "kubectl storagebench": one file a command, and what several of them need. Under the name storagebench
// the program runs without kubectl.
package plugin

import (
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// exitMissed is the exit code of results that are not what is expected of them.
	exitMissed = 2
	// exitInterrupted is the exit code of what Ctrl-C ended, as shells have it: 128 and SIGINT.
	exitInterrupted = 130
)

// Run carries out the command line and returns the exit code: 0 if all went well, 2 if results are not as expected, 130 if the user left
// a benchmark that goes on, otherwise 1. The version is what --version prints.
func Run(version string) int {
	root := newCommand(version)
	root.Version = version
	nameAfterProgram(root)
	return exitCode(root.Execute())
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, errLeft):
		return exitInterrupted
	case errors.Is(err, errMissed):
		return exitMissed
	case err != nil:
		return 1
	}
	return 0
}

// newCommand returns the command of this version of the plugin.
func newCommand(version string) *cobra.Command {
	flags := genericclioptions.NewConfigFlags(true)
	root := &cobra.Command{
		Use:          "kubectl-storagebench",
		Annotations:  map[string]string{cobra.CommandDisplayNameAnnotation: humanize.Plugin},
		Short:        "Measure storage, and show the results: StorageBenchmarks of storagebench",
		SilenceUsage: true,
	}
	flags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().Bool(noColor, false, "Print without colours, also on a terminal, as with environment variable NO_COLOR")
	root.AddCommand(
		newCheckCommand(flags), newRunCommand(flags), newRerunCommand(flags), newCancelCommand(flags), newWatchCommand(flags), newListCommand(flags),
		newReportCommand(flags), newExplainResultCommand(flags), newCompareCommand(flags),
		newPlanCommand(), newPresetsCommand(), newImportCommand(flags),
		newLogsCommand(flags), newArtifactsCommand(flags), newVersionCommand(flags, version), newDoctorCommand(flags), newStorageCommand(flags), newUICommand(flags),
	)
	for _, cmd := range root.Commands() {
		harmlessErrors(cmd)
	}
	return root
}
