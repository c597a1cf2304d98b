package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

var budget = &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 8, Objective: v1alpha1.SearchObjective{Metric: "read.mean", Max: "5ms"}}

func readsOf(iops, nanoseconds int64) *v1alpha1.Result {
	return &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 1000 * iops, BytesPerSecond: 4096 * iops, Latency: &v1alpha1.Latency{MeanNanoseconds: nanoseconds}}}}
}

// step is one that has measured so much with so many in flight.
func step(value int32, iops, nanoseconds int64) v1alpha1.Run {
	verdict := v1alpha1.SearchWithin
	if nanoseconds > 5_000_000 {
		verdict = v1alpha1.SearchBeyond
	}
	return v1alpha1.Run{
		Target: "t", Workload: "w", State: v1alpha1.RunSucceeded, Parameters: map[string]string{"iodepth": Text(value)}, Result: readsOf(iops, nanoseconds),
		Search: &v1alpha1.RunSearch{Vary: v1alpha1.VaryIODepth, Value: value, Verdict: verdict},
	}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name   string
		result *v1alpha1.Result
		rate   int64
		want   v1alpha1.SearchVerdict
		err    string
	}{
		{"within", readsOf(3000, 5_000_000), 0, v1alpha1.SearchWithin, ""},
		{"beyond", readsOf(3000, 5_000_001), 0, v1alpha1.SearchBeyond, ""},
		{"as fast as it was told", readsOf(2939, 1_000_000), 3000, v1alpha1.SearchWithin, ""},
		{"behind", readsOf(2938, 1_000_000), 3000, v1alpha1.SearchBeyond, ""},
		{"nothing of the objective", &v1alpha1.Result{Figures: v1alpha1.ListOf(readsOf(1, 1).Of(v1alpha1.OperationRead).As(v1alpha1.OperationWrite))}, 0, "", "fio reported no read.mean"},
		{"several results", nil, 0, "", "a search needs one result"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Judge(budget, test.result, test.rate)
			if got != test.want || (err == nil) != (test.err == "") || (err != nil && !strings.Contains(err.Error(), test.err)) {
				t.Errorf("verdict %q, error %v; want %q, %q", got, err, test.want, test.err)
			}
		})
	}
}

// The last run that kept the budget at the answer stands for the search, with a warning of lower loads that did not.
func TestEnd(t *testing.T) {
	runs := []v1alpha1.Run{step(1, 1000, 1), step(2, 1000, 6_000_000), step(4, 2000, 1), step(4, 2000, 2), step(4, 2000, 6_000_000)}
	steps := Of(runs)[0]
	steps.End(Answer{Outcome: Found, Value: 4, Violations: []int32{2}})
	var verdicts []v1alpha1.SearchVerdict
	for i := range runs {
		verdicts = append(verdicts, runs[i].Search.Verdict)
	}
	want := []v1alpha1.SearchVerdict{v1alpha1.SearchWithin, v1alpha1.SearchBeyond, v1alpha1.SearchWithin, v1alpha1.SearchAnswer, v1alpha1.SearchBeyond}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	warning := v1alpha1.Warning{Reason: v1alpha1.WarningNotMonotone, Message: "iodepth 4 keeps the budget, and 2 did not"}
	if diff := cmp.Diff([]v1alpha1.Warning{warning}, runs[3].Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// However a search ends, that is taken note of once, also where a load that is beyond the budget kept it at one time of three.
func TestIsTaken(t *testing.T) {
	outlier := []v1alpha1.Run{step(1, 100, 7_000_000), step(1, 100, 1), step(1, 100, 7_000_000)}
	pending := step(0, 0, 0)
	pending.State, pending.Result = v1alpha1.RunPending, nil
	for _, test := range []struct {
		name          string
		runs          []v1alpha1.Run
		before, after bool
	}{
		{"nothing within the budget", outlier, true, true},
		{"and steps left", append(slices.Clone(outlier), pending), false, false},
		{"an answer", []v1alpha1.Run{step(8, 100, 1), step(8, 100, 1)}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			most := *budget
			most.Min = new(test.runs[0].Search.Value)
			steps := Of(test.runs)[0]
			a := steps.Next(&most).Answer
			before := steps.isTaken(a)
			steps.End(a)
			if after := steps.isTaken(a); before != test.before || after != test.after {
				t.Errorf("%+v is taken %v, and then %v", a, before, after)
			}
		})
	}
}

func TestResults(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{Workloads: []v1alpha1.Workload{{Name: "w", Search: budget}}}
	failed, pending := step(2, 0, 0), step(0, 0, 0)
	failed.State, failed.Result = v1alpha1.RunFailed, nil
	pending.State, pending.Result, pending.Parameters = v1alpha1.RunPending, nil, nil
	ended := func(depth int32) []v1alpha1.Run {
		var runs []v1alpha1.Run
		for {
			var steps Steps
			for i := range runs {
				steps = append(steps, &runs[i])
			}
			switch value := steps.Next(budget).Value; {
			case value == 0:
				return runs
			case value == depth:
				runs = append(runs, step(value, 2500, 3_000_000))
			case value < depth:
				runs = append(runs, step(value, 100*int64(value), 1_000_000))
			default:
				runs = append(runs, step(value, 3000, 7_000_000))
			}
		}
	}
	restless := func(runs []v1alpha1.Run) []v1alpha1.Run {
		for i := range runs {
			runs[i].Result.SteadyState = &v1alpha1.SteadyState{}
		}
		return runs
	}
	for _, test := range []struct {
		name     string
		searches [][]v1alpha1.Run // one for each repetition
		outcome  v1alpha1.SearchOutcome
		message  string
	}{
		{"found", [][]v1alpha1.Run{ended(3)}, v1alpha1.SearchFound, "2500 IOPS at read.mean <= 5 ms (iodepth 3); at saturation 3000 IOPS and 7 ms"},
		{"found three times", [][]v1alpha1.Run{ended(3), ended(5), ended(4)}, v1alpha1.SearchFound, "2500 IOPS at read.mean <= 5 ms (iodepth 4, 3 to 5); at saturation 3000 IOPS and 7 ms"},
		{"not even one", [][]v1alpha1.Run{{step(1, 100, 7_000_000), step(1, 100, 7_000_000)}}, v1alpha1.SearchMinBeyond, "not even iodepth 1 keeps read.mean <= 5 ms: 7 ms"},
		{"max is within", [][]v1alpha1.Run{{step(1, 100, 1), step(2, 200, 1), step(4, 400, 1), step(8, 800, 1), step(8, 800, 1)}}, v1alpha1.SearchMaxWithin,
			"800 IOPS at read.mean <= 5 ms (iodepth 8): search.max 8 is within the budget, raise it to find more"},
		{"not saturated", [][]v1alpha1.Run{{step(1, 100, 1), step(2, 200, 1), step(4, 400, 6_000_000), step(8, 800, 7_000_000), step(3, 300, 6_000_000), step(2, 200, 1), step(3, 300, 6_000_000)}},
			v1alpha1.SearchFound, "200 IOPS at read.mean <= 5 ms (iodepth 2); no saturation: 800 IOPS and 7 ms at search.max 8, raise it to find that"},
		{"not even one, and failed", [][]v1alpha1.Run{{step(1, 100, 7_000_000), step(1, 100, 7_000_000)}, {failed}}, v1alpha1.SearchMixed,
			"no load was found, in 0 of 2 repetitions"},
		{"failed", [][]v1alpha1.Run{{step(1, 100, 1), failed}}, v1alpha1.SearchFailed, "a run of the search failed"},
		{"one of two failed", [][]v1alpha1.Run{{failed}, ended(3)}, v1alpha1.SearchMixed,
			"2500 IOPS at read.mean <= 5 ms (iodepth 3), in 1 of 2 repetitions; at saturation 3000 IOPS and 7 ms"},
		{"not steady", [][]v1alpha1.Run{restless(ended(3))}, v1alpha1.SearchFound, "2500 IOPS at read.mean <= 5 ms (iodepth 3); at saturation 3000 IOPS and 7 ms; not steady"},
		{"max is within, and not steady", [][]v1alpha1.Run{restless([]v1alpha1.Run{step(1, 100, 1), step(2, 200, 1), step(4, 400, 1), step(8, 800, 1), step(8, 800, 1)})}, v1alpha1.SearchMaxWithin,
			"800 IOPS at read.mean <= 5 ms (iodepth 8): search.max 8 is within the budget, raise it to find more; not steady"},
		{"not even one, and not steady", [][]v1alpha1.Run{restless([]v1alpha1.Run{step(1, 100, 7_000_000), step(1, 100, 7_000_000)})}, v1alpha1.SearchMinBeyond,
			"not even iodepth 1 keeps read.mean <= 5 ms: 7 ms; not steady"},
		{"goes on", [][]v1alpha1.Run{{step(1, 100, 1), pending}}, v1alpha1.SearchSearching, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var runs []v1alpha1.Run
			for i, steps := range test.searches {
				for j := range steps {
					run := *steps[j].DeepCopy()
					run.Repetition, run.Search.Step = int32(i+1), int32(j+1)
					runs = append(runs, run)
				}
			}
			for _, steps := range Of(runs) {
				if !steps.HasFailed() && steps.Waits() {
					steps.End(steps.Next(budget).Answer)
				}
			}
			got := Results(spec, runs, false)
			if len(got) != 1 || got[0].Outcome != test.outcome || got[0].Message != test.message {
				t.Errorf("results are %+v, want %s: %s", got, test.outcome, test.message)
			}
			got = Results(spec, runs, true)
			if test.outcome == v1alpha1.SearchSearching {
				test.outcome, test.message = v1alpha1.SearchFailed, "the benchmark ended before the search did"
			}
			if got[0].Outcome != test.outcome || got[0].Message != test.message {
				t.Errorf("of a benchmark that has ended results are %+v, want %s: %s", got, test.outcome, test.message)
			}
		})
	}
}
