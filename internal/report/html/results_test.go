package html

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
	"github.com/storagebench/storagebench/test/builder"
)

func TestCards(t *testing.T) {
	want := []card{
		{
			Target: target{"gp3", 0}, Kind: "EBS gp3 volume of 30Gi", Role: "most IOPS", Figure: "3003", Verdict: "The baseline: others are compared with it.",
			Peak: "up to 124 MiB/s", Bound: "volume's IOPS in 6 of 12 results, volume's throughput in 6",
		},
		{
			Target: target{"efs", 1}, Kind: "EFS file system fs-0123456789abcdef0", Role: "IOPS against gp3", Figure: "0.51–0.81x", Verdict: "Slower than gp3 in both comparisons.",
			Class: "slower", Peak: "up to 1611 IOPS, 101 MiB/s", Bound: "file system's throughput in 6 of 12 results, latency in 6",
		},
	}
	if diff := cmp.Diff(want, newResults(sample.GP3VsEFS()).cards()); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if got := newResults(sample.Pending()).cards(); got != nil {
		t.Errorf("cards without results: %v", got)
	}
}

func TestJudge(t *testing.T) {
	of := func(verdicts ...v1alpha1.Verdict) []judged {
		var all []judged
		for _, v := range verdicts {
			all = append(all, judged{ratio: "1.00", verdict: v})
		}
		return all
	}
	const faster, slower, same, few = v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictSame, v1alpha1.VerdictTooFewRuns
	const open = v1alpha1.VerdictNotShown
	for want, all := range map[string][]judged{
		"Faster than gp2 in the only comparison.":                                                    of(faster),
		"The same as gp2, within 5 %, in all 3 comparisons.":                                         of(same, same, same),
		"No difference to gp2 is shown, and none is excluded, in both comparisons.":                  of(open, open),
		"The same in 1, without a difference that is shown in 1 of 2 comparisons with gp2.":          of(same, open),
		"Too few repetitions to tell it from gp2: the difference can be chance in both comparisons.": of(few, few),
		"Faster in 1, slower in 2, the same in 1 of 4 comparisons with gp2.":                         of(slower, same, faster, slower),
		"The same in 1, undecided for want of repetitions in 1 of 2 comparisons with gp2.":           of(same, few),
		"": of("Unheard", "Of"),
	} {
		if got, _ := judge(all, "gp2"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A card counts syncs beside writes: a database waits for them. They have no IOPS, so that they change no ratio of those.
func TestCardsCountSyncs(t *testing.T) {
	p99 := func(median int64) *v1alpha1.Statistic { return &v1alpha1.Statistic{Median: median} }
	writes := &v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "1.10", Verdict: v1alpha1.VerdictFaster}}
	beyond := &v1alpha1.FiguresComparison{MeanNanoseconds: &v1alpha1.Statistic{Ratio: "9.00"}, P99Nanoseconds: builder.Compared(p99(v1alpha1.BeyondHistogramNanoseconds), "", v1alpha1.VerdictSlower)}
	for name, test := range map[string]struct {
		target v1alpha1.TargetComparison
		want   [4]string
	}{
		"beside faster writes": {
			v1alpha1.TargetComparison{Figures: v1alpha1.ListOf(writes.As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MeanNanoseconds: &v1alpha1.Statistic{Ratio: "2.00"}, P99Nanoseconds: builder.Compared(p99(3), "3.00", v1alpha1.VerdictSlower)}).As(v1alpha1.OperationSync))},
			[4]string{"IOPS against gp2", "1.10x", "Faster in 1, slower in 1 of 2 comparisons with gp2.", "mixed"},
		},
		"where they alone differ": {
			v1alpha1.TargetComparison{
				Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: &v1alpha1.Statistic{Ratio: "1.00", Verdict: v1alpha1.VerdictSame}}, {Name: v1alpha1.OperationSync, P99Nanoseconds: builder.Compared(p99(3), "3.00", v1alpha1.VerdictSlower)}},
			},
			[4]string{"latency against gp2", "3.00x", "Slower in 1, the same in 1 of 2 comparisons with gp2.", "mixed"},
		},
		"beside a total": {
			v1alpha1.TargetComparison{
				Figures: v1alpha1.ListOf(writes.As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MeanNanoseconds: &v1alpha1.Statistic{Ratio: "2.00"}, P99Nanoseconds: builder.Compared(p99(3), "3.00", v1alpha1.VerdictSlower)}).As(v1alpha1.OperationSync), (&v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "1.20", Verdict: v1alpha1.VerdictFaster}}).As(v1alpha1.OperationTotal)),
			},
			[4]string{"IOPS against gp2", "1.20x", "Faster in 1, slower in 1 of 2 comparisons with gp2.", "mixed"},
		},
		"without percentiles": {
			v1alpha1.TargetComparison{Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationSync, MeanNanoseconds: &v1alpha1.Statistic{Ratio: "2.00", Verdict: v1alpha1.VerdictSlower}}}},
			[4]string{"latency against gp2", "2.00x", "Slower than gp2 in the only comparison.", "slower"},
		},
		"beyond fio's histogram": {
			v1alpha1.TargetComparison{Figures: v1alpha1.ListOf(writes.As(v1alpha1.OperationWrite), beyond.As(v1alpha1.OperationSync))},
			[4]string{"IOPS against gp2", "1.10x", "Faster in 1, slower in 1 of 2 comparisons with gp2.", "mixed"},
		},
		"beyond fio's histogram alone": {v1alpha1.TargetComparison{Figures: v1alpha1.ListOf(beyond.As(v1alpha1.OperationSync))}, [4]string{"", "", "Slower than gp2 in the only comparison.", "slower"}},
		"the baseline":                 {v1alpha1.TargetComparison{Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite}, {Name: v1alpha1.OperationSync}}}, [4]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			test.target.Name = "gp3"
			r := &results{cases: []*compared{{Comparison: &v1alpha1.Comparison{Targets: []v1alpha1.TargetComparison{test.target}}}}}
			var got [4]string
			if beside := r.beside("gp3"); len(beside) > 0 {
				got[0], got[1] = ratios(beside, "gp2")
				got[2], got[3] = judge(beside, "gp2")
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestSweeps(t *testing.T) {
	var got []string
	for _, s := range newResults(sample.EFSOperations()).sweeps("writes") {
		var values []string
		for _, c := range s.cases {
			values = append(values, c.Parameters[s.parameter])
		}
		got = append(got, s.parameter+" "+strings.Join(values, ",")+" at "+s.rest)
	}
	slices.Sort(got)
	want := []string{
		"clients 1,2,4 at numjobs=1", "clients 1,2,4 at numjobs=16", "clients 1,2,4 at numjobs=4", "clients 1,2,4 at numjobs=64",
		"numjobs 1,4,16,64 at clients=1", "numjobs 1,4,16,64 at clients=2", "numjobs 1,4,16,64 at clients=4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sweeps (-want +got):\n%s", diff)
	}
	if few := newResults(sample.GP2VsGP3()).sweeps("mixed"); len(few) > 0 {
		t.Errorf("two values make a curve: %v", few)
	}
}

// TestIntervals: whiskers are confidence intervals only where all figures have them, and the note says which they are.
func TestIntervals(t *testing.T) {
	sure := &v1alpha1.Statistic{Median: 10_000, Min: new(int64(1000)), Max: new(int64(20_000)), ConfidenceLow: new(int64(8000)), ConfidenceHigh: new(int64(12_000))}
	unsure := &v1alpha1.Statistic{Median: 10_000, Min: new(int64(1000)), Max: new(int64(20_000))}
	at := func(runs int32, s *v1alpha1.Statistic) place {
		return place{point{Target: "t", Group: "g", Text: "g"}, statistics{iops: s, bandwidth: s, runs: runs}}
	}
	for name, test := range map[string]struct {
		places    []place
		low, high float64
		note      string
	}{
		"confidence": {[]place{at(6, sure), at(6, sure)}, 8, 12, "Medians of up to 6 runs; whiskers are the median's confidence interval of 95 %."},
		"range":      {[]place{at(6, sure), at(5, unsure)}, 1, 20, "Medians of up to 6 runs; whiskers reach from the smallest to the largest."},
		"one run":    {[]place{at(1, unsure)}, 1, 20, "Each figure is of one run: how much it varies is not known."},
	} {
		t.Run(name, func(t *testing.T) {
			metrics := metricsOf(test.places)
			if p := metrics[metricIOPS].Points[0]; p.Low != test.low || p.High != test.high {
				t.Errorf("from %v to %v, want %v to %v", p.Low, p.High, test.low, test.high)
			}
			if _, taken := metrics[metricP99]; taken {
				t.Error("there is a latency that was not taken")
			}
			if got := intervalNote(test.places, "whiskers"); got != test.note {
				t.Errorf("note %q, want %q", got, test.note)
			}
		})
	}
}

// TestSectionsOfOneName: sections that share a name are told apart, each with its own result.
func TestSectionsOfOneName(t *testing.T) {
	result := func(iops, p50 int64) v1alpha1.SectionResult {
		return v1alpha1.SectionResult{Name: "job", Result: v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 1000 * iops, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: p50}}}}}
	}
	compared := func() v1alpha1.Comparison {
		return v1alpha1.Comparison{Workload: "w", Section: "job", Targets: []v1alpha1.TargetComparison{{Name: "t", Runs: 1, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead}}}}}
	}
	r := newResults(&v1alpha1.StorageBenchmark{
		Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "t"}}},
		Status: v1alpha1.StorageBenchmarkStatus{
			Runs:        []v1alpha1.Run{{Workload: "w", Target: "t", State: v1alpha1.RunSucceeded, Sections: []v1alpha1.SectionResult{result(1, 10), result(2, 20)}}},
			Comparisons: []v1alpha1.Comparison{compared(), compared()},
		},
	})
	var labels []string
	var medians []int64
	for _, c := range r.of("w") {
		labels = append(labels, c.label)
		medians = append(medians, r.curve(c, "t", directions[0]).percentiles[0].value)
	}
	if diff := cmp.Diff([]string{"job", "job (2)"}, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{10, 20}, medians); diff != "" {
		t.Errorf("medians (-want +got):\n%s", diff)
	}
}

// TestZeroLatency: what took no time has no place on a logarithmic axis, and no figure is lost for JSON.
func TestZeroLatency(t *testing.T) {
	sb := sample.Failed()
	sb.Status.Runs[0].Result.Of(v1alpha1.OperationWrite).CompletionLatency = &v1alpha1.LatencyDistribution{P9999Nanoseconds: 7}
	r := newResults(sb)
	f := r.latencies(r.cases[0], directions[1])
	var zero int
	for _, p := range f.Chart.Metrics[metricLatency].Points {
		if p.Value <= 0 || p.Low <= 0 {
			zero++
		}
	}
	if points := f.Chart.Metrics[metricLatency].Points; zero > 0 || len(points) != 7 {
		t.Errorf("%d of %d points are at zero, want none of 7", zero, len(points))
	}
	if _, err := json.Marshal(f.Chart); err != nil {
		t.Error(err)
	}
}

// Half of the way to what nobody knows is no median: neither curve nor bar nor table has it.
func TestMedianBeyondHistogram(t *testing.T) {
	sb := sample.GP3VsEFS()
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if l := run.Result.Of(v1alpha1.OperationWrite).CompletionLatency; run.Target == "efs" && run.Repetition > 3 {
			l.P99Nanoseconds = v1alpha1.BeyondHistogramNanoseconds
		}
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	r := newResults(sb)
	curve := r.curve(r.cases[0], "efs", directions[1])
	if p99 := curve.percentiles[3]; p99.value != v1alpha1.BeyondHistogramNanoseconds {
		t.Errorf("the curve's P99 is %d", p99.value)
	}
	for name, points := range map[string][]point{
		"curve": r.latencies(r.cases[0], directions[1]).Chart.Metrics[metricLatency].Points,
		"bars":  r.bars("randwrite", directions[1]).Chart.Metrics[metricP99].Points,
	} {
		if !slices.ContainsFunc(points, func(p point) bool { return p.Target == "efs" && strings.Contains(p.Text, "> 17.1 s (") }) {
			t.Errorf("%s has no percentile beyond fio's histogram: %+v", name, points)
		}
	}
}
