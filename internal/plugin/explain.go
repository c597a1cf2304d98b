package plugin

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/report"
)

// newExplainResultCommand returns the command that says results in sentences.
func newExplainResultCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain-result NAME [RUN]",
		Short: "Say in sentences what was measured, what held it back, how sure that is, and what to try next",
		Long: `Say in sentences what was measured, what held it back, how sure that is, and what to try next.

Without RUN it is about all comparisons, over their repetitions, and about runs that failed; with RUN about that run
alone. "kubectl storagebench report NAME -o csv" has the names of runs, and the shell completes them.`,
		Example: `  kubectl storagebench explain-result gp3-vs-efs
  kubectl storagebench explain-result gp3-vs-efs randwrite.bs-16k.efs`,
		Args: cobra.RangeArgs(1, 2),

		ValidArgsFunction: completeNamesAndRuns(flags),

		RunE: func(cmd *cobra.Command, args []string) error {
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
