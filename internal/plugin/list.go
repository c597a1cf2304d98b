package plugin

import (
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
)

// newListCommand returns the command that lists benchmarks.
func newListCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var everywhere bool
	var selector string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List StorageBenchmarks: how far they are, and their results in one line",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
				return nil
			}
			report.List(cmd.OutOrStdout(), all.Items, everywhere, time.Now())
			return nil
		},
	}
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
