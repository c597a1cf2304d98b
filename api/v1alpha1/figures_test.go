package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Figures are listed in one order, whatever the order in which they were set, and each operation once.
func TestSet(t *testing.T) {
	var r Result
	shared := &Figures{Count: 1}
	r.Set(OperationSync, shared)
	r.Set(OperationRead, &Figures{Count: 2})
	before := r
	r.Set(OperationRead, &Figures{Count: 3})
	r.Set(OperationSync, nil)
	if diff := cmp.Diff([]Figures{{Name: OperationRead, Count: 3}}, r.Figures); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]Figures{{Name: OperationRead, Count: 2}, {Name: OperationSync, Count: 1}}, before.Figures); diff != "" {
		t.Errorf("a copy changed (-want +got):\n%s", diff)
	}
	if shared.Name != "" {
		t.Errorf("what was set is now called %s", shared.Name)
	}
}

// A total adds up what moves data, and saturates.
func TestTotal(t *testing.T) {
	const most = 1<<63 - 1
	r := Result{Figures: []Figures{
		{Name: OperationRead, Count: 1, MilliIOPS: 1500, BytesPerSecond: most}, {Name: OperationTrim, Count: 2, MilliIOPS: 500, BytesPerSecond: 1}, {Name: OperationSync, Count: 7},
	}}
	if diff := cmp.Diff(&Figures{Name: OperationTotal, Count: 3, MilliIOPS: 2000, BytesPerSecond: most}, r.Total()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if total := (&Result{Figures: []Figures{{Name: OperationMetadata}}}).Total(); total != nil {
		t.Errorf("of metadata: %+v", total)
	}
}

// The verdict that counts is that on the rate, or on the latency that is judged instead.
func TestJudged(t *testing.T) {
	iops, mean, p99 := &Statistic{Verdict: VerdictSame}, &Statistic{Verdict: VerdictFaster}, &Statistic{Verdict: VerdictSlower}
	for name, test := range map[string]struct {
		figures FiguresComparison
		want    Verdict
	}{
		"rate":                      {FiguresComparison{MilliIOPS: iops, MeanNanoseconds: mean, P99Nanoseconds: p99}, VerdictSame},
		"p99":                       {FiguresComparison{MilliIOPS: iops, MeanNanoseconds: mean, P99Nanoseconds: p99, JudgedBy: JudgedByP99}, VerdictSlower},
		"mean":                      {FiguresComparison{MilliIOPS: iops, MeanNanoseconds: mean, P99Nanoseconds: p99, JudgedBy: JudgedByMean}, VerdictFaster},
		"syncs":                     {FiguresComparison{MeanNanoseconds: mean, P99Nanoseconds: p99}, VerdictSlower},
		"syncs without percentiles": {FiguresComparison{MeanNanoseconds: mean}, VerdictFaster},
		"what is judged is missing": {FiguresComparison{MilliIOPS: iops, JudgedBy: JudgedByP99}, VerdictSame},
		"nothing":                   {FiguresComparison{}, ""},
	} {
		if got := test.figures.Verdict(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Whole operations per second are rounded, those of a statistic with all that it has.
func TestIOPS(t *testing.T) {
	c := FiguresComparison{MilliIOPS: &Statistic{Median: 4_500, Min: new(int64(499)), Max: new(int64(1<<63 - 1)), Ratio: "0.51"}}
	want := &Statistic{Median: 5, Min: new(int64(0)), Max: new(int64(9_223_372_036_854_776)), Ratio: "0.51"}
	if diff := cmp.Diff(want, c.IOPS()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if *c.MilliIOPS.Min != 499 || (&FiguresComparison{}).IOPS() != nil || (*Figures)(nil).IOPS() != 0 {
		t.Errorf("%+v", c.MilliIOPS)
	}
	one := Statistic{Median: 7}
	if one.Least() != 7 || one.Most() != 7 || (*Statistic)(nil).Multiple() != "" {
		t.Errorf("one value goes from %d to %d", one.Least(), one.Most())
	}
}
