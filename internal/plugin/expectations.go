package plugin

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// errMissed is within the errors about results that are not what is expected of them.
var errMissed = errors.New("not as expected")

// addNoFailFlag adds the flag that has only the runs count.
func addNoFailFlag(cmd *cobra.Command, noFail *bool) {
	cmd.Flags().BoolVar(noFail, "no-fail", false,
		"end with exit code 0 also if results are not what spec.expectations and presets ask for")
}

// heldTo returns an error unless a benchmark that has ended meets what is expected of it, if anything is.
func heldTo(benchmark *v1alpha1.StorageBenchmark) error {
	if benchmark.Status.Condition(v1alpha1.ConditionExpectationsMet).Status == "" {
		return nil
	}
	return asExpected(benchmark)
}

// asExpected returns an error unless the results of a benchmark that has ended are what is expected of them.
func asExpected(benchmark *v1alpha1.StorageBenchmark) error {
	c := benchmark.Status.Condition(v1alpha1.ConditionExpectationsMet)
	switch c.Status {
	case "":
		return fmt.Errorf("%s: nothing is expected of it: set spec.expectations, or a preset that expects something (kubectl storagebench presets)", benchmark.Name)
	case metav1.ConditionTrue:
		return nil
	case metav1.ConditionFalse:
		return fmt.Errorf("%s: %w: %s", benchmark.Name, errMissed, oneLineOf(c.Message))
	case metav1.ConditionUnknown:
	}
	return fmt.Errorf("%s: %s", benchmark.Name, oneLineOf(c.Message))
}
