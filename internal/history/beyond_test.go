package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A search that found no load within its budget does 0 I/Os per second within it. What other searches found is compared.
func TestSearchesBeyondTheirBudgets(t *testing.T) {
	step := func(target, bs string, number int32) v1alpha1.Run {
		return v1alpha1.Run{
			Workload: "load", Target: target, Parameters: map[string]string{"bs": bs, "iodepth": "1"},
			Search: &v1alpha1.RunSearch{Step: number, Vary: v1alpha1.VaryIODepth, Value: 1, Verdict: v1alpha1.SearchBeyond},
			Result: &v1alpha1.Result{Read: &v1alpha1.IOResult{IOPS: 100}, Write: &v1alpha1.IOResult{IOPS: 50}},
		}
	}
	found := func(target, bs string, outcome v1alpha1.SearchOutcome) v1alpha1.SearchResult {
		return v1alpha1.SearchResult{Workload: "load", Target: target, Parameters: map[string]string{"bs": bs}, Vary: v1alpha1.VaryIODepth, Outcome: outcome}
	}
	sb := finished()
	sb.Status.Comparisons = []v1alpha1.Comparison{{
		Workload: "load", Parameters: map[string]string{"bs": "16k"}, Targets: []v1alpha1.TargetComparison{{
			Name: "efs", Read: &v1alpha1.IOComparison{IOPS: v1alpha1.Statistic{Median: 100}},
		}},
	}}
	sb.Status.Runs = []v1alpha1.Run{step("gp3", "16k", 1), step("gp3", "16k", 2), step("gp3", "4k", 1), step("efs", "16k", 1)}
	sb.Status.Searches = []v1alpha1.SearchResult{
		found("gp3", "16k", v1alpha1.SearchMinBeyond), found("gp3", "4k", v1alpha1.SearchFailed), found("efs", "16k", v1alpha1.SearchFound),
		found("efs", "4k", v1alpha1.SearchMinBeyond), // of which nothing is known
	}
	want := []Measured{
		{Case{"load", "bs=16k", "", "efs"}, []Figure{{ReadIOPS, 100}}},
		{Case{"load", "bs=16k", "", "gp3"}, []Figure{{ReadIOPS, 0}, {WriteIOPS, 0}}},
	}
	if diff := cmp.Diff(want, FromBenchmark(sb, Environment{}).Cases); diff != "" {
		t.Error(diff)
	}
}
