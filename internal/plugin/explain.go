package plugin

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/report"
)

// newExplainResultCommand returns the command that says results in sentences.
func newExplainResultCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain-result (NAME [RUN] | schedule/NAME)",
		Short: "Say in sentences what was measured, what held it back, how sure that is, and what to try next",
		Long: `Say in sentences what was measured, what held it back, how sure that is, and what to try next.

Without RUN it is about all comparisons, over their repetitions, and about runs that failed; with RUN about that run
alone. "kubectl storagebench report NAME -o csv" has the names of runs, and the shell completes them.

Of a StorageBenchmarkSchedule it says what got slower or faster over time, what changed beside it, how sure that is, and
what to do.`,
		Example: `  kubectl storagebench explain-result gp3-vs-efs
  kubectl storagebench explain-result gp3-vs-efs randwrite.bs-16k.efs
  kubectl storagebench explain-result schedule/nightly`,
		Args: cobra.RangeArgs(1, 2),

		ValidArgsFunction: withSchedules(flags, completeNamesAndRuns(flags)),

		RunE: func(cmd *cobra.Command, args []string) error {
			if name, is := scheduleNamed(args[0]); is {
				if len(args) > 1 {
					return fmt.Errorf("RUN is %q, and a schedule has no runs: leave it out, or name a benchmark of the schedule", args[1])
				}
				return explainHistory(cmd, flags, name)
			}
			_, benchmark, err := connectTo(cmd.Context(), flags, args[0])
			if err != nil {
				return err
			}
			run := ""
			if len(args) > 1 {
				run = args[1]
			}
			return report.Explain(cmd.OutOrStdout(), benchmark, run, styleOf(cmd))
		},
	}
}
