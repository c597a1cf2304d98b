package plugin

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report"
)

// compareFormats are the ways to print two benchmarks beside each other.
var compareFormats = []format[*report.Pair]{
	{"table", "what fits on a screen", infallible(func(w io.Writer, p *report.Pair, s report.Style) { p.Table(w, s) })},
	{"wide", "all figures", infallible(func(w io.Writer, p *report.Pair, s report.Style) { p.Wide(w, s) })},
	{"markdown", "a page for a pull request or a wiki", unstyled(func(w io.Writer, p *report.Pair) error { return p.Markdown(w) })},
	{"csv", "a row for each benchmark and direction, for spreadsheets", unstyled(func(w io.Writer, p *report.Pair) error { return p.CSV(w) })},
	{"json", "all comparisons and differences, for jq", unstyled(func(w io.Writer, p *report.Pair) error { return p.JSON(w) })},
}

// newCompareCommand returns the command that puts two benchmarks beside each other.
func newCompareCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	cmd := &cobra.Command{
		Use:   "compare BASELINE OTHER",
		Short: "Compare two StorageBenchmarks, such as before and after a change",
		Long: `Compare two StorageBenchmarks, such as before and after a change.

What has the same workload, parameters, section and target name is compared; if each has one target, whatever the
names. An option of a matrix may have another of its names in the other benchmark, such as bs and blocksize. Ratios and verdicts are OTHER's beside BASELINE's: Faster and Slower are differences of more than 1 % that are hardly
chance, Same is less than 5 %, and NotShown is neither. They are corrected for the number of comparisons, and need 4 repetitions
of each. Lines that begin with "Differs" tell what else is not the same, and "Incomplete" that runs have no result. Each is NAME or NAMESPACE/NAME.`,
		Example: `  kubectl storagebench compare before after
  kubectl storagebench compare staging/nightly production/nightly -o markdown`,
		Args: cobra.ExactArgs(2),

		ValidArgsFunction: completeNames(flags, 2),

		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := formatNamed(compareFormats, *output)
			if err != nil {
				return err
			}
			c, err := connect(flags)
			if err != nil {
				return err
			}
			pair, err := c.pair(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return chosen.print(cmd.OutOrStdout(), pair, styleOf(cmd))
		},
	}
	output = addOutputFlag(cmd, compareFormats)
	return cmd
}

// pair reads two benchmarks and puts them beside each other.
func (c *cluster) pair(ctx context.Context, baseline, other string) (*report.Pair, error) {
	keys := [2]client.ObjectKey{c.keyOf(baseline), c.keyOf(other)}
	if keys[0] == keys[1] {
		return nil, fmt.Errorf("both are StorageBenchmark %s: name two different ones; report compares the targets of one", keys[0])
	}
	pair := &report.Pair{Labels: labelsOf(keys)}
	for i, key := range keys {
		pair.Benchmarks[i] = &v1alpha1.StorageBenchmark{}
		if err := c.Get(ctx, key, pair.Benchmarks[i]); err != nil {
			return nil, err
		}
		report.NameParameters(pair.Benchmarks[i])
	}
	found := analysis.Between(&pair.Benchmarks[0].Status, &pair.Benchmarks[1].Status)
	pair.Both, pair.Only = found.Both, [2][]v1alpha1.Comparison{found.OnlyBaseline, found.OnlyOther}
	return pair, pair.Validate()
}

// keyOf returns what NAME or NAMESPACE/NAME names.
func (c *cluster) keyOf(arg string) client.ObjectKey {
	if namespace, name, ok := strings.Cut(arg, "/"); ok {
		return client.ObjectKey{Namespace: namespace, Name: name}
	}
	return client.ObjectKey{Namespace: c.namespace, Name: arg}
}

// labelsOf returns what two benchmarks are called: their names, with namespaces where these tell them apart.
func labelsOf(keys [2]client.ObjectKey) [2]string {
	if keys[0].Name == keys[1].Name {
		return [2]string{keys[0].String(), keys[1].String()}
	}
	return [2]string{keys[0].Name, keys[1].Name}
}
