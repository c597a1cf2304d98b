package plugin

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
)

// explained is a benchmark to explain, or one of its runs.
type explained struct {
	benchmark *v1alpha1.StorageBenchmark
	run       string
}

// explainFormats are the ways to print an explanation.
var explainFormats = append([]format[*explained]{
	{"text", "sentences", func(w io.Writer, e *explained, s report.Style) error { return report.Explain(w, e.benchmark, e.run, s) }},
}, documents(func(e *explained) (any, error) { return report.Explanation(e.benchmark, e.run) })...)

// newExplainResultCommand returns the command that says results in sentences.
func newExplainResultCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var from *sourceOptions
	var output *string
	cmd := &cobra.Command{
		Use:     "explain-result (NAME [RUN] | schedule/NAME | FILE [RUN])",
		Aliases: []string{"explain"},
		Short:   "Say in sentences what was measured, what held it back, how sure that is, and what to try next",
		Long: `Say in sentences what was measured, what held it back, how sure that is, and what to try next.

Without RUN it is about all comparisons, over their repetitions, and about runs that failed; with RUN about that run
alone. "kubectl storagebench report NAME -o csv" has the names of runs, and the shell completes them.

Of a StorageBenchmarkSchedule it says what got slower or faster over time, what changed beside it, how sure that is, and
what to do.

` + aboutFiles,
		Example: `  kubectl storagebench explain-result gp3-vs-efs
  kubectl storagebench explain-result gp3-vs-efs randwrite.bs-16k.efs
  kubectl storagebench explain-result schedule/nightly

  # without a cluster: what fio printed on another machine
  kubectl storagebench explain-result fio.json --volume gp3,iops=3000,throughput=125,size=100Gi --instance r5b.large
  fio job.fio | kubectl storagebench explain-result - --efs Bursting,meteredSize=2Ti --option direct=1`,

		ValidArgsFunction: withSchedules(flags, completeNamesAndRuns(flags)),

		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := formatNamed(explainFormats, *output)
			if err != nil {
				return err
			}
			source, name, err := from.open(cmd, args)
			if err != nil {
				return err
			}
			if schedule, is := scheduleNamed(name); is {
				if len(args) > 1 {
					return fmt.Errorf("RUN is %q, and a schedule has no runs: leave it out, or name a benchmark of the schedule", args[1])
				}
				return explainHistory(cmd, source, schedule, *output)
			}
			benchmark, err := source.benchmark(cmd.Context(), name)
			if err != nil {
				return err
			}
			run := ""
			if len(args) > 1 {
				run = args[1]
			}
			return format.print(cmd.OutOrStdout(), &explained{benchmark, run}, styleOf(cmd))
		},
	}
	from = addSourceFlags(cmd, flags)
	output = addOutputFlag(cmd, explainFormats)
	cmd.Args = from.nameOrFile(1, 2)
	return cmd
}
