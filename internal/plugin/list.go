package plugin

import (
	"io"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"

	"github.com/storagebench/storagebench/internal/report"
)

// listed are benchmarks to print.
type listed struct {
	all        *v1alpha1.StorageBenchmarkList
	everywhere bool
}

// listFormats are the ways to print benchmarks.
var listFormats = []format[*listed]{
	{"table", "a line for each", infallible(func(w io.Writer, l *listed, style report.Style) {
		if len(l.all.Items) > 0 {
			report.List(w, l.all.Items, l.everywhere, time.Now(), style)
		}
	})},
	{"json", "a StorageBenchmarkList, as kubectl get -o json prints it", unstyled(func(w io.Writer, l *listed) error { return printJSON(w, l.document()) })},
	{"yaml", "a StorageBenchmarkList, as kubectl get -o yaml prints it", unstyled(func(w io.Writer, l *listed) error { return printYAML(w, l.document()) })},
}

// document returns the list with the kind of each object, which clients leave out.
func (l *listed) document() *v1alpha1.StorageBenchmarkList {
	list := l.all.DeepCopy()
	list.TypeMeta = metav1.TypeMeta{APIVersion: benchmarkType.APIVersion, Kind: benchmarkType.Kind + "List"}
	for i := range list.Items {
		list.Items[i].TypeMeta = benchmarkType
	}
	return list
}

// newListCommand returns the command that lists benchmarks.
func newListCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var everywhere bool
	var selector string
	var output *string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List StorageBenchmarks: how far they are, and their results in one line",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := formatNamed(listFormats, *output)
			if err != nil {
				return err
			}
			c, err := connect(flags)
			if err != nil {
				return err
			}
			chosen, err := labels.Parse(selector)
			if err != nil {
				return err
			}
			which := &client.ListOptions{LabelSelector: chosen}
			if !everywhere {
				which.Namespace = c.namespace
			}
			var all v1alpha1.StorageBenchmarkList
			if err := c.List(cmd.Context(), &all, which); err != nil {
				return explainMissing(err)
			}
			if len(all.Items) == 0 {
				cmd.PrintErrln(nothingFound(which.Namespace))
			}
			return format.print(cmd.OutOrStdout(), &listed{&all, everywhere}, styleOf(cmd))
		},
	}
	output = addOutputFlag(cmd, listFormats)
	cmd.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "list the StorageBenchmarks of all namespaces")
	cmd.Flags().StringVarP(&selector, "selector", "l", "", "list only those with these labels, such as team=data")
	return cmd
}

// nothingFound says, as kubectl does, that there are no benchmarks.
func nothingFound(namespace string) string {
	if namespace == "" {
		return "No StorageBenchmarks found"
	}
	return "No StorageBenchmarks found in namespace " + namespace
}
