package history

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A search that found no load within its budget, in most of its repetitions, does 0 I/Os per second within it. What others found is compared.
func TestSearchesBeyondTheirBudgets(t *testing.T) {
	const pending, failed = v1alpha1.SearchVerdict("pending"), v1alpha1.SearchVerdict("failed")
	steps := func(target, bs string, repetition int32, verdicts ...v1alpha1.SearchVerdict) []v1alpha1.Run {
		var runs []v1alpha1.Run
		for i, verdict := range verdicts {
			state := v1alpha1.RunSucceeded
			if verdict == failed {
				state, verdict = v1alpha1.RunFailed, ""
			}
			runs = append(runs, v1alpha1.Run{
				State: state, Workload: "load", Target: target, Parameters: map[string]string{"bs": bs, "iodepth": "1"}, Repetition: repetition,
				Search: &v1alpha1.RunSearch{Step: int32(i + 1), Vary: v1alpha1.VaryIODepth, Value: 1, Verdict: verdict},
				Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 100_000}, {Name: v1alpha1.OperationWrite, MilliIOPS: 50_000}}},
			})
			if verdict == pending {
				runs[i].State, runs[i].Result, runs[i].Search.Verdict = v1alpha1.RunPending, nil, ""
			}
		}
		return runs
	}
	const within, beyond, answer = v1alpha1.SearchWithin, v1alpha1.SearchBeyond, v1alpha1.SearchAnswer
	for _, test := range []struct {
		name   string
		runs   [][]v1alpha1.Run
		result v1alpha1.SearchResult
		want   []Figure
	}{
		{"not even the lowest load", [][]v1alpha1.Run{steps("gp3", "16k", 1, beyond, beyond)}, v1alpha1.SearchResult{Outcome: v1alpha1.SearchMinBeyond}, []Figure{{ReadIOPS, 0}, {WriteIOPS, 0}}},
		{"in two of three repetitions", [][]v1alpha1.Run{steps("gp3", "16k", 1, beyond, beyond), steps("gp3", "16k", 2, within, answer), steps("gp3", "16k", 3, beyond, beyond)},
			v1alpha1.SearchResult{Outcome: v1alpha1.SearchMixed, Searches: 1}, []Figure{{ReadIOPS, 0}, {WriteIOPS, 0}}},
		{"in one of three", [][]v1alpha1.Run{steps("gp3", "16k", 1, beyond, beyond), steps("gp3", "16k", 2, within, answer), steps("gp3", "16k", 3, within, answer)},
			v1alpha1.SearchResult{Outcome: v1alpha1.SearchMixed, Searches: 2}, []Figure{{ReadIOPS, 100_000}}},
		{"cut short", [][]v1alpha1.Run{steps("gp3", "16k", 1, beyond), steps("gp3", "16k", 1, pending)}, v1alpha1.SearchResult{Outcome: v1alpha1.SearchFailed}, []Figure{{ReadIOPS, 100_000}}},
		{"cut short within the budget", [][]v1alpha1.Run{steps("gp3", "16k", 1, within, within), steps("gp3", "16k", 1, pending)}, v1alpha1.SearchResult{Outcome: v1alpha1.SearchFailed}, []Figure{{ReadIOPS, 100_000}}},
		{"failed, with a result", [][]v1alpha1.Run{steps("gp3", "16k", 1, within, failed)}, v1alpha1.SearchResult{Outcome: v1alpha1.SearchFailed}, []Figure{{ReadIOPS, 100_000}}},
		{"another case", [][]v1alpha1.Run{steps("gp3", "4k", 1, beyond, beyond)}, v1alpha1.SearchResult{Outcome: v1alpha1.SearchMinBeyond}, []Figure{{ReadIOPS, 100_000}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := finished()
			sb.Status.Comparisons = []v1alpha1.Comparison{{
				Workload: "load", Parameters: map[string]string{"bs": "16k"}, Targets: []v1alpha1.TargetComparison{{
					Name: "gp3", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Median: 100_000}}},
				}},
			}}
			sb.Status.Runs = slices.Concat(test.runs...)
			test.result.Workload, test.result.Target, test.result.Parameters = "load", "gp3", map[string]string{"bs": "16k"}
			sb.Status.Searches = []v1alpha1.SearchResult{test.result}
			want := []Measured{{Case{"load", "bs=16k", "", "gp3"}, test.want}}
			if diff := cmp.Diff(want, FromBenchmark(sb, Environment{}).Cases); diff != "" {
				t.Error(diff)
			}
		})
	}
}
