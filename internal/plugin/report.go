package plugin

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/export"
)

// reportFormats are the ways to print a benchmark's results.
var reportFormats = []format[*reported]{
	{"table", "what fits on a screen", infallible(func(w io.Writer, r *reported, s report.Style) { report.Table(w, r.StorageBenchmark, s) })},
	{"wide", "all figures", infallible(func(w io.Writer, r *reported, s report.Style) { report.Wide(w, r.StorageBenchmark, s) })},
	{"markdown", "a page for a pull request or a wiki", ofStatus(report.Markdown)},
	{"csv", "a row for each run and direction, for spreadsheets; with --series a row for each second", unstyled(func(w io.Writer, r *reported) error { return r.csv(w) })},
	{"junit", "a test for each run and each expectation, for CI systems", ofStatus(export.JUnit)},
	{"json", "all runs and comparisons, flat, for jq", ofStatus(export.JSON)},
	{"yaml", "the same as json, as YAML", ofStatus(inYAML(export.JSON))},
	{"html", "a page with charts for a browser, in one file that needs no network", unstyled(func(w io.Writer, r *reported) error { return r.html(w) })},
	{"openmetrics", "what runs did over their time, for Prometheus: promtool tsdb create-blocks-from openmetrics", unstyled(func(w io.Writer, r *reported) error { return r.openMetrics(w) })},
}

// ofStatus is a format of what the status says.
func ofStatus(write func(io.Writer, *v1alpha1.StorageBenchmark) error) func(io.Writer, *reported, report.Style) error {
	return func(w io.Writer, r *reported, _ report.Style) error { return write(w, r.StorageBenchmark) }
}

// newReportCommand returns the command that prints results.
func newReportCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	var overTime bool
	var from *sourceOptions
	cmd := &cobra.Command{
		Use:   "report (NAME | schedule/NAME | FILE)",
		Short: "Print the results of a StorageBenchmark, or the history of a StorageBenchmarkSchedule",
		Long: `Print the results of a StorageBenchmark, or the history of a StorageBenchmarkSchedule.

On a terminal that is too narrow, columns are left out, and a line tells which; into a pipe or file go all. The
resource itself is what "kubectl get storagebenchmark NAME -o yaml" prints.

` + aboutFiles,
		Example: `  kubectl storagebench report gp3-vs-efs
  kubectl storagebench report gp3-vs-efs -o wide | less -S
  kubectl storagebench report gp3-vs-efs -o markdown > result.md
  kubectl storagebench report gp3-vs-efs -o html > result.html
  kubectl storagebench report gp3-vs-efs -o csv > runs.csv
  kubectl storagebench report gp3-vs-efs -o csv --series > seconds.csv
  kubectl storagebench report gp3-vs-efs -o openmetrics > series.txt
  kubectl storagebench report gp3-vs-efs -o junit > junit.xml
  kubectl storagebench report gp3-vs-efs -o json | jq '.results[] | {run, name: .figures.name, milliIOPS: .figures.milliIOPS}'
  kubectl storagebench report schedule/nightly -o csv > history.csv
  kubectl storagebench report schedule/nightly -o html > history.html

  # without a cluster: a benchmark that was saved, and what fio printed on another machine
  kubectl storagebench report saved.yaml -o markdown
  kubectl storagebench report fio.json --volume gp3,iops=3000,throughput=125 --instance m6i.large`,

		ValidArgsFunction: withSchedules(flags, completeNames(flags, 1)),

		RunE: func(cmd *cobra.Command, args []string) error {
			source, name, err := from.open(cmd, args)
			if err != nil {
				return err
			}
			if schedule, is := scheduleNamed(name); is {
				return reportHistory(cmd, source, schedule, *output)
			}
			chosen, err := formatNamed(reportFormats, *output)
			if err != nil {
				return err
			}
			if overTime && chosen.name != "csv" {
				return fmt.Errorf("--series is about -o csv, and the format is %s: leave it out, or use -o csv; html and openmetrics have series without it", chosen.name)
			}
			benchmark, err := source.benchmark(cmd.Context(), name)
			if err != nil {
				return err
			}
			results := source.reported(cmd, benchmark)
			results.overTime = overTime
			return chosen.print(cmd.OutOrStdout(), results, styleOf(cmd))
		},
	}
	from = addSourceFlags(cmd, flags)
	cmd.Args = from.nameOrFile(1, 1)
	output = addOutputFlag(cmd, reportFormats)
	cmd.Flags().BoolVar(&overTime, "series", false, "with -o csv: a row for each point of what runs did over their time")
	return cmd
}
