package plan

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestLost(t *testing.T) {
	ended := v1alpha1.Run{Name: "reads.fast", State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{}}
	failed := v1alpha1.Run{Name: "reads.slow", State: v1alpha1.RunFailed}
	runs := []Run{{Name: "reads.fast"}, {Name: "reads.slow"}, {Name: "found.fast.step-1", Step: 1}}
	for name, test := range map[string]struct {
		recorded []v1alpha1.Run
		want     string
	}{
		"all ended":          {[]v1alpha1.Run{failed, ended}, ""},
		"none recorded":      {nil, "reads.fast"},
		"one not recorded":   {[]v1alpha1.Run{ended}, "reads.slow"},
		"one has not ended":  {[]v1alpha1.Run{ended, {Name: "reads.slow", State: v1alpha1.RunRunning}}, "reads.slow"},
		"one without result": {[]v1alpha1.Run{{Name: "reads.fast", State: v1alpha1.RunSucceeded}, failed}, "reads.fast"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Lost(runs, test.recorded); got != test.want {
				t.Errorf("lost is %q, want %q", got, test.want)
			}
		})
	}
}
