package plugin

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/compare"
	"github.com/storagebench/storagebench/internal/report/export"
)

// compareFormats are the ways to print two benchmarks beside each other.
var compareFormats = []format[*compare.Pair]{
	{"table", "what fits on a screen", infallible(report.PairTable)},
	{"wide", "all figures", infallible(report.PairWide)},
	{"markdown", "a page for a pull request or a wiki", unstyled(report.PairMarkdown)},
	{"csv", "a row for each benchmark and direction, for spreadsheets", unstyled(export.PairCSV)},
	{"junit", "a test for each verdict, for CI systems", unstyled(export.PairJUnit)},
	{"json", "all comparisons and differences, for jq", unstyled(export.PairJSON)},
	{"yaml", "the same as json, as YAML", unstyled(inYAML(export.PairJSON))},
}

// newCompareCommand returns the command that puts two benchmarks beside each other.
func newCompareCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	var from *sourceOptions
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "compare BASELINE OTHER",
		Short: "Compare two StorageBenchmarks, such as before and after a change",
		Long: `Compare two StorageBenchmarks, such as before and after a change.

What has the same workload, parameters, section and target name is compared; if each has one target, whatever the
names. An option of a matrix may have another of its names in the other benchmark, such as bs and blocksize. Ratios and verdicts are OTHER's beside BASELINE's: Faster and Slower are differences of more than 1 % that are hardly
chance, Same is less than 5 %, and NotShown is neither. They are corrected for the number of comparisons, and need 4 repetitions
of each. Lines that begin with "Differs" tell what else is not the same, and "Incomplete" that runs have no result. Each is NAME, NAMESPACE/NAME or FILE.

` + aboutFiles,
		Example: `  kubectl storagebench compare before after
  kubectl storagebench compare staging/nightly production/nightly -o markdown

  # with a benchmark that was saved, and without a cluster
  kubectl storagebench compare saved.yaml nightly
  kubectl storagebench compare before.json after.json --volume gp3

  # in a pipeline: fail if storage became slower than in the file of the repository
  kubectl storagebench compare baseline.yaml nightly --exit-code -o junit > junit.xml`,
		Args: cobra.ExactArgs(2),

		ValidArgsFunction: completeNames(flags, 2),

		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := formatNamed(compareFormats, *output)
			if err != nil {
				return err
			}
			pair, err := from.pair(cmd, args)
			if err != nil {
				return err
			}
			if err := chosen.print(cmd.OutOrStdout(), pair, styleOf(cmd)); err != nil || !exitCode {
				return err
			}
			return notSlower(pair)
		},
	}
	from = addSourceFlags(cmd, flags)
	output = addOutputFlag(cmd, compareFormats)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "end with 2 if OTHER is slower in IOPS or a latency, and with 1 if that is not known of all")
	return cmd
}

// notSlower returns an error if the second benchmark is slower than the first one, or if there were too few runs to tell.
func notSlower(pair *compare.Pair) error {
	const most = 8
	if slower := pair.Slower(); len(slower) > 0 {
		return fmt.Errorf("%w: %s is slower than %s: %s", errMissed, pair.Labels[1], pair.Labels[0], humanize.Few(slower, most))
	}
	if unknown := pair.Unknown(); len(unknown) > 0 {
		return fmt.Errorf("it is not known whether %s is slower than %s: %s", pair.Labels[1], pair.Labels[0], humanize.Few(unknown, most))
	}
	return nil
}

// side is one of the two benchmarks that are compared.
type side struct {
	*v1alpha1.StorageBenchmark

	// file is where it was read from, "" if from a cluster.
	file string
}

// pair reads two benchmarks and puts them beside each other.
func (o *sourceOptions) pair(cmd *cobra.Command, args []string) (*compare.Pair, error) {
	var sides [2]side
	for i, arg := range args {
		var err error
		if sides[i], err = o.side(cmd, arg); err != nil {
			return nil, err
		}
		compare.NameParameters(sides[i].StorageBenchmark)
	}
	if err := o.storage.checkUsed(); err != nil {
		return nil, err
	}
	if sides[0].key() == sides[1].key() && sides[0].file == sides[1].file {
		return nil, fmt.Errorf("both are StorageBenchmark %s: name two different ones; report compares the targets of one", sides[0].key())
	}
	pair := &compare.Pair{Labels: labelsOf(sides), Benchmarks: [2]*v1alpha1.StorageBenchmark{sides[0].StorageBenchmark, sides[1].StorageBenchmark}}
	found := analysis.Between(&pair.Benchmarks[0].Status, &pair.Benchmarks[1].Status)
	pair.Both, pair.Only = found.Both, [2][]v1alpha1.Comparison{found.OnlyBaseline, found.OnlyOther}
	return pair, pair.Validate()
}

// side reads the benchmark that an argument names: NAME, NAMESPACE/NAME of a cluster, or a file.
func (o *sourceOptions) side(cmd *cobra.Command, arg string) (side, error) {
	from, name, err := o.find(cmd, []string{arg})
	if err != nil {
		return side{}, err
	}
	of := side{}
	if saved, is := from.from.(*saved); is {
		of.file = saved.path
	} else if namespace, in, found := strings.Cut(name, "/"); found {
		from.namespace, name = namespace, in
	}
	of.StorageBenchmark, err = from.benchmark(cmd.Context(), name)
	return of, err
}

func (s side) key() client.ObjectKey { return client.ObjectKeyFromObject(s.StorageBenchmark) }

// labelsOf returns what two benchmarks are called: their names, with files or namespaces where these tell them apart.
func labelsOf(sides [2]side) [2]string {
	of := func(label func(side) string) [2]string { return [2]string{label(sides[0]), label(sides[1])} }
	switch {
	case sides[0].Name != sides[1].Name:
		return of(func(s side) string { return s.Name })
	case sides[0].file != sides[1].file:
		return of(func(s side) string { return cmp.Or(s.file, s.Name) })
	default:
		return of(func(s side) string { return s.key().String() })
	}
}
