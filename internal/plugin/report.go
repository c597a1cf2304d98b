package plugin

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/html"
)

// reportFormats are the ways to print a benchmark's results.
var reportFormats = []format[*v1alpha1.StorageBenchmark]{
	{"table", "what fits on a screen", infallible(report.Table)},
	{"wide", "all figures", infallible(report.Wide)},
	{"markdown", "a page for a pull request or a wiki", unstyled(report.Markdown)},
	{"csv", "a row for each run and direction, for spreadsheets", unstyled(report.CSV)},
	{"junit", "a test for each run and each expectation, for CI systems", unstyled(report.JUnit)},
	{"json", "all runs and comparisons, flat, for jq", unstyled(report.JSON)},
	{"html", "a page with charts for a browser, in one file that needs no network", unstyled(html.Write)},
}

// newReportCommand returns the command that prints results.
func newReportCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	cmd := &cobra.Command{
		Use:   "report (NAME | schedule/NAME)",
		Short: "Print the results of a StorageBenchmark, or the history of a StorageBenchmarkSchedule",
		Long: `Print the results of a StorageBenchmark, or the history of a StorageBenchmarkSchedule.

On a terminal that is too narrow, columns are left out, and a line tells which; into a pipe or file go all. The
resource itself is what "kubectl get storagebenchmark NAME -o yaml" prints.`,
		Example: `  kubectl storagebench report gp3-vs-efs
  kubectl storagebench report gp3-vs-efs -o wide | less -S
  kubectl storagebench report gp3-vs-efs -o markdown > result.md
  kubectl storagebench report gp3-vs-efs -o html > result.html
  kubectl storagebench report gp3-vs-efs -o csv > runs.csv
  kubectl storagebench report gp3-vs-efs -o junit > junit.xml
  kubectl storagebench report gp3-vs-efs -o json | jq '.results[] | {run, direction, iops}'
  kubectl storagebench report schedule/nightly -o csv > history.csv
  kubectl storagebench report schedule/nightly -o html > history.html`,
		Args: cobra.ExactArgs(1),

		ValidArgsFunction: completeNames(flags, 1),

		RunE: func(cmd *cobra.Command, args []string) error {
			if name, is := scheduleNamed(args[0]); is {
				return reportHistory(cmd, flags, name, *output)
			}
			chosen, err := formatNamed(reportFormats, *output)
			if err != nil {
				return err
			}
			c, err := connect(flags)
			if err != nil {
				return err
			}
			benchmark, err := c.benchmark(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return chosen.print(cmd.OutOrStdout(), benchmark, styleOf(cmd))
		},
	}
	output = addOutputFlag(cmd, reportFormats)
	return cmd
}
