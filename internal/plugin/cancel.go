package plugin

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// newCancelCommand returns the command that ends a benchmark and keeps its results.
func newCancelCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	wait := true
	cmd := &cobra.Command{
		Use:   "cancel NAME",
		Short: "End a StorageBenchmark, and keep what it has measured",
		Long: `End a StorageBenchmark, and keep what it has measured. The run under way is ended, volumes and test files are removed, and
the results of earlier runs are printed. This cannot be taken back. The exit code is 0 if the StorageBenchmark was cancelled.

To end a benchmark and delete its results too, use kubectl delete storagebenchmark. To pause it, set spec.suspend.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(flags, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, benchmark, err := connectTo(cmd.Context(), flags, args[0])
			if err != nil {
				return err
			}
			if benchmark.Status.HasMeasured() || benchmark.Status.HasEnded() {
				return fmt.Errorf("%s has ended measuring: there is nothing to cancel; report %s prints its results", args[0], args[0])
			}
			before := benchmark.DeepCopy()
			benchmark.Spec.Cancel = new(true)
			patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
			if err := c.Patch(cmd.Context(), benchmark, patch, client.FieldOwner(fieldManager), client.FieldValidation("Strict")); err != nil {
				return explainMissing(err)
			}
			cmd.PrintErrf("storagebenchmark.storagebench.dev/%s cancelled\n", benchmark.Name)
			if !wait {
				return nil
			}
			ended, err := follow(cmd, c, client.ObjectKeyFromObject(benchmark), *output)
			if ended != nil && ended.Status.Condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonCancelled {
				return nil
			}
			return errors.Join(err, endedBefore(ended))
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", true, "follow the StorageBenchmark until its volumes and test files are removed, and print its results")
	output = addOutputFlag(cmd, reportFormats)
	return cmd
}

// endedBefore returns an error if a benchmark ended in another way than by being cancelled.
func endedBefore(benchmark *v1alpha1.StorageBenchmark) error {
	if benchmark == nil {
		return nil
	}
	return fmt.Errorf("%s ended before it could be cancelled", benchmark.Name)
}
