package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// made are runs of workloads on targets, all with the same result.
func made(names ...[2]string) []v1alpha1.Run {
	var runs []v1alpha1.Run
	for _, name := range names {
		runs = append(runs, v1alpha1.Run{Workload: name[0], Target: name[1], State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 100_000}}}})
	}
	return runs
}

func replacedAfter(target string, runs int32) []v1alpha1.TargetStatus {
	return []v1alpha1.TargetStatus{{Name: "other", RunsBeforeReplacement: new(int32(1))}, {Name: target, RunsBeforeReplacement: &runs}}
}

// That a volume was replaced is told of a target with results from before and from after it, with the number of these results.
func TestSummaryOfReplaced(t *testing.T) {
	runs := made([2]string{"reads", "a"}, [2]string{"reads", "b"}, [2]string{"reads", "a"}, [2]string{"reads", "a"}, [2]string{"reads", "a"})
	runs[2].State = v1alpha1.RunFailed
	for name, test := range map[string]struct {
		targets []v1alpha1.TargetStatus
		want    string
	}{
		"never":                {[]v1alpha1.TargetStatus{{Name: "a"}}, ""},
		"before the first":     {replacedAfter("a", 0), ""},
		"after the third":      {replacedAfter("a", 3), "target a: a claim was made again after 1 of 3 runs: runs before and after are of different volumes"},
		"nothing came after":   {replacedAfter("a", 5), ""},
		"on another target":    {replacedAfter("c", 3), ""},
		"more than there were": {replacedAfter("a", 9), ""},
	} {
		t.Run(name, func(t *testing.T) {
			comparisons := Compare(runs, []string{"a", "b"}, "a")
			WarnOfReplaced(comparisons, test.targets, runs)
			var got v1alpha1.WarningSummary
			if all := Summarize(test.targets, runs, comparisons); len(all) > 0 {
				got = all[0]
			}
			if got.Message != test.want || (got.Message != "" && (got.Reason != v1alpha1.WarningVolumeReplaced || got.Results != 3 || got.Remedy == "")) {
				t.Errorf("the warning is %+v", got)
			}
		})
	}
}

// Figures of a comparison have the warning if their own runs are of different volumes, and no others.
func TestWarnOfReplaced(t *testing.T) {
	runs := made([2]string{"reads", "a"}, [2]string{"writes", "a"}, [2]string{"reads", "b"}, [2]string{"reads", "a"}, [2]string{"more", "a"}, [2]string{"reads", "b"})
	targets := replacedAfter("a", 3)
	comparisons := Compare(runs, []string{"a", "b"}, "a")
	WarnOfReplaced(comparisons, targets, runs)
	got := map[string]string{}
	for _, c := range comparisons {
		for _, target := range c.Targets {
			for _, w := range target.Warnings {
				got[c.Workload+" on "+target.Name] = w.Message
			}
		}
	}
	want := map[string]string{"reads on a": "a claim was made again after 1 of 2 runs: runs before and after are of different volumes"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// Two benchmarks that are compared keep the warnings of each, also where the only target has another name in each.
func TestBetweenReplaced(t *testing.T) {
	status := func(target string, before *int32) *v1alpha1.StorageBenchmarkStatus {
		return &v1alpha1.StorageBenchmarkStatus{
			Runs: made([2]string{"reads", target}, [2]string{"reads", target}), Targets: []v1alpha1.TargetStatus{{Name: target, RunsBeforeReplacement: before}},
		}
	}
	for replaced, statuses := range [2][2]*v1alpha1.StorageBenchmarkStatus{
		{status("gp3", new(int32(1))), status("io2", nil)},
		{status("gp3", nil), status("io2", new(int32(1)))},
	} {
		for i, target := range Between(statuses[0], statuses[1]).Both[0].Targets {
			if got := len(target.Warnings) == 1 && target.Warnings[0].Reason == v1alpha1.WarningVolumeReplaced; got != (i == replaced) {
				t.Errorf("warnings of %s are %+v", target.Name, target.Warnings)
			}
		}
	}
}
