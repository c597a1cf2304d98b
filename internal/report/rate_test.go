package report

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/test/builder"
)

// atRate is a workload of 1,000 IOPS, which both targets do, with a 99th percentile of 0.9 ms on gp3 and ten times that on EFS.
func atRate(name string, repetitions int) *v1alpha1.StorageBenchmark {
	rates := slices.Repeat([]int64{1000, 1001, 999}, 2)[:repetitions]
	sb := experiment(name, rates, rates)
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		times := int64(1)
		if run.Target == "efs" {
			times = 10
		}
		jitter := int64(i%repetitions) * 3000
		write := run.Result.Of(v1alpha1.OperationWrite)
		write.Latency.MeanNanoseconds = times * (600_000 + jitter)
		write.CompletionLatency.P50Nanoseconds, write.CompletionLatency.P99Nanoseconds = times*(550_000+jitter), times*(900_000+jitter)
		run.LimitedBy = &v1alpha1.LimitedBy{Reason: v1alpha1.BoundWorkloadRate, LimitIOPS: new(int64(1000)), UsedPercent: new(int32(100)), Message: "1000 of the workload's 1000 IOPS (100 %)"}
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	sb.Status.Warnings = nil
	return sb
}

// A verdict on latency says that it is one, wherever it is told.
func TestVerdictsAtRate(t *testing.T) {
	sb := atRate("rate", 6)
	for what, test := range map[string]struct {
		print func(io.Writer)
		want  []string
		not   []string
	}{
		"table":    {func(w io.Writer) { Table(w, sb, Style{}) }, []string{"1.00x  Slower (P99)"}, []string{"Same"}},
		"wide":     {func(w io.Writer) { Wide(w, sb, Style{}) }, []string{"10.00x  9.917-10.084", "Slower (P99)"}, []string{"Same"}},
		"markdown": {func(w io.Writer) { _ = Markdown(w, sb) }, []string{"1.00x | Slower (P99) |"}, []string{"Same"}},
		"JSON":     {func(w io.Writer) { _ = export.JSON(w, sb) }, []string{`"judgedBy": "P99"`}, nil},
		"explanation": {func(w io.Writer) { _ = Explain(w, sb, "", Style{}) }, []string{
			"Slower: 10.00 times the 99th percentile of gp3. Both did the rate that the workload asks for, so that the verdict is on latency.",
			"With a confidence of 95 % the ratio of the writes' P99 is from 9.917 to 10.084.", "so it is hardly chance",
		}, []string{"within 5 %"}},
		"summary": {func(w io.Writer) { _, _ = io.WriteString(w, summary.Summary(&sb.Status)) }, []string{"efs 1000 (P99 10.00x)"}, nil},
		"compare": {func(w io.Writer) {
			before, after := atRate("before", 6), atRate("after", 6)
			after.Status.Runs = after.Status.Runs[6:]
			for i := range after.Status.Runs {
				after.Status.Runs[i].Target = "gp3"
			}
			_ = export.PairCSV(w, paired(before, after))
		}, []string{"judged_by", ",Slower,P99,"}, nil},
	} {
		t.Run(what, func(t *testing.T) {
			var out bytes.Buffer
			test.print(&out)
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, out.String())
				}
			}
			for _, not := range test.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("%q in\n%s", not, out.String())
				}
			}
		})
	}
}

// Among targets that all did the workload's rate the best one is that with the lowest latency, if there are enough runs.
func TestBestAtRate(t *testing.T) {
	for _, repetitions := range []int{1, 3, 6} {
		sb := atRate("rate", repetitions)
		for _, baseline := range []string{"gp3", "efs"} {
			sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, baseline)
			got := summary.Best(&sb.Status)
			isNamed := strings.HasPrefix(got, "gp3 90") && strings.HasSuffix(got, "us P99")
			if few := repetitions < summary.RunsForVerdict; isNamed == few || few && got != summary.TooFewRuns {
				t.Errorf("%d repetitions, baseline %s: %q", repetitions, baseline, got)
			}
		}
	}
	sb := atRate("rate", 6)
	for i := range sb.Status.Runs {
		sb.Status.Runs[i].Result.Of(v1alpha1.OperationWrite).CompletionLatency.P99Nanoseconds = 900_000 + int64(i%6)*1000
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	if got := summary.Best(&sb.Status); got != summary.NoClearBest {
		t.Errorf("of the same P99: %q", got)
	}
	sb = atRate("rate", 6) // EFS falls short of the rate
	for i := 6; i < 12; i++ {
		sb.Status.Runs[i].Result.Of(v1alpha1.OperationWrite).MilliIOPS, sb.Status.Runs[i].Result.Of(v1alpha1.OperationWrite).BytesPerSecond = 500_000, 500<<14
		sb.Status.Runs[i].LimitedBy.Reason = v1alpha1.BoundLatency
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	if got := summary.Best(&sb.Status); got != "gp3 1000 IOPS" {
		t.Errorf("where the other falls short: %q", got)
	}
}

// Which target is the baseline does not decide on whether 2 % are more than chance.
func TestBestWhateverTheBaseline(t *testing.T) {
	for name, test := range map[string]struct {
		runs int
		io2  int64
		want string
	}{
		"one run, 2 % apart":                      {1, 3060, summary.TooFewRuns},
		"three runs, 2 % apart":                   {3, 3060, summary.TooFewRuns},
		"three runs, 11 % apart":                  {3, 3330, summary.TooFewRuns},
		"as many as a verdict takes, 5 % apart":   {summary.RunsForVerdict, 3150, "io2 3150 IOPS"},
		"as many as a verdict takes, 0.5 % apart": {summary.RunsForVerdict, 3015, summary.NoClearBest},
	} {
		for _, baseline := range []string{"gp2", "gp3", "io2"} {
			t.Run(name+", baseline "+baseline, func(t *testing.T) {
				var runs []v1alpha1.Run
				for target, iops := range map[string]int64{"gp2": 1000, "gp3": 3000, "io2": test.io2} {
					for range test.runs {
						runs = append(runs, v1alpha1.Run{Target: target, Workload: "randwrite", State: v1alpha1.RunSucceeded, Result: written(iops)})
					}
				}
				status := &v1alpha1.StorageBenchmarkStatus{
					Runs: runs, Comparisons: analysis.Compare(runs, []string{"gp2", "gp3", "io2"}, baseline), Targets: make([]v1alpha1.TargetStatus, 3),
				}
				if got := summary.Best(status); got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
				tooFew := slices.ContainsFunc(status.Comparisons[0].Targets, func(c v1alpha1.TargetComparison) bool {
					return c.Of(v1alpha1.OperationWrite).Verdict() == v1alpha1.VerdictTooFewRuns
				})
				if tooFew != (test.runs < summary.RunsForVerdict) {
					t.Errorf("verdicts of %d runs say that they are too few: %v", test.runs, tooFew)
				}
			})
		}
	}
}

// TestSmallDifference: a verdict on a difference that is shown and small says so, beside what it is on.
func TestSmallDifference(t *testing.T) {
	iops := v1alpha1.Statistic{RatioLow: "1.005", RatioHigh: "1.015", PValue: "0.001"}
	r := &row{figures: &v1alpha1.FiguresComparison{MilliIOPS: builder.Compared(builder.Milli(iops), "", v1alpha1.VerdictFaster), P99Nanoseconds: &iops}}
	if got := verdictCell(r, Style{}); got != "Faster (within 5 %)" {
		t.Errorf("got %q", got)
	}
	r.figures.JudgedBy, r.figures.P99Nanoseconds.Verdict = v1alpha1.JudgedByP99, v1alpha1.VerdictFaster
	if got := verdictCell(r, Style{}); got != "Faster (P99, within 5 %)" {
		t.Errorf("got %q", got)
	}
	r.figures.P99Nanoseconds = &v1alpha1.Statistic{RatioLow: "1.005", RatioHigh: "1.150", Verdict: v1alpha1.VerdictFaster}
	if got := verdictCell(r, Style{}); got != "Faster (P99)" {
		t.Errorf("got %q", got)
	}
	if got := chance(&iops, v1alpha1.VerdictFaster); !strings.Contains(got, "all of it is within 5 %") {
		t.Errorf("got %q", got)
	}
}
