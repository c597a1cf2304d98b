package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/merge"
	"github.com/storagebench/storagebench/test/builder"
)

func TestNewResult(t *testing.T) {
	report := builder.Report()
	if diff := cmp.Diff(*builder.Result(), newResult(&report, &report.Groups[0])); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	// gtod_reduce leaves no latencies; slow storage has less than an I/O per second.
	figures := []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 500}, {Name: v1alpha1.OperationTrim, Count: 3, MilliIOPS: 499}}
	bare := digest.Group{Figures: []digest.Figures{{Figures: figures[0]}, {Figures: figures[1]}}}
	want := v1alpha1.Result{CPU: &v1alpha1.CPUResult{}, Figures: figures}
	if diff := cmp.Diff(want, newResult(&digest.Report{}, &bare)); diff != "" {
		t.Errorf("result without latencies (-want +got):\n%s", diff)
	}
}

// The share of periods in which the container was held back is cut to whole percents; without a limit there is none.
func TestThrottledPercent(t *testing.T) {
	for _, test := range []struct {
		throttled, periods int64
		want               *int32
	}{
		{0, 0, nil}, {0, 600, new(int32(0))}, {7, 100, new(int32(7))}, {599, 600, new(int32(99))}, {600, 600, new(int32(100))}, {1<<63 - 1, 1<<63 - 1, new(int32(100))},
	} {
		report := &digest.Report{Environment: digest.Environment{ThrottledPeriods: test.throttled, Periods: test.periods}}
		if diff := cmp.Diff(test.want, throttledPercent(report)); diff != "" {
			t.Errorf("%d of %d (-want +got):\n%s", test.throttled, test.periods, diff)
		}
	}
}

// A client alone has no spread, and a run with several groups has a section for each.
func TestResultsOfClients(t *testing.T) {
	spread := func(slowest, fastest int64, variation string) *v1alpha1.ClientSpread {
		return &v1alpha1.ClientSpread{MinMilliIOPS: slowest, MaxMilliIOPS: fastest, CoefficientOfVariation: variation}
	}
	for _, test := range []struct {
		name    string
		reports []digest.Report
		// clients, skew, common, iops and the spreads of reads and writes are those of the first result.
		clients       int32
		skew          *int64
		common, iops  int64
		reads, writes *v1alpha1.ClientSpread
		sections      []string
	}{
		{name: "one client", reports: []digest.Report{client(1, 20, 900)}, iops: 3_048_499},
		{
			name: "three clients", reports: []digest.Report{client(1, 20, 900), client(2, 0, 700), client(3, 130, 1900)},
			clients: 3, skew: new(int64(130)), common: 60005 - 130, iops: 18_290_994, reads: spread(3_048_499, 9_145_497, "0.500"),
		},
		{
			name: "two that began at an unknown time", reports: []digest.Report{builder.Report(), builder.Report()},
			clients: 2, common: 60005, iops: 6_096_998, reads: spread(3_048_499, 3_048_499, "0.000"),
		},
		{
			name: "one of two writes as well", reports: []digest.Report{writing(client(1, 0, 100)), client(1, 0, 100)},
			clients: 2, skew: new(int64(0)), common: 60005, iops: 6_096_998, reads: spread(3_048_499, 3_048_499, "0.000"),
			writes: spread(0, 3_048_499, "1.414"),
		},
		{name: "several sections", reports: []digest.Report{builder.Report("first", "second")}, iops: 3_048_499, sections: []string{"first", "second"}},
		{
			name: "several sections of two clients", reports: []digest.Report{builder.Report("first", "second"), builder.Report("first", "second")},
			clients: 2, common: 60005, iops: 6_096_998, reads: spread(3_048_499, 3_048_499, "0.000"), sections: []string{"first", "second"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := measured(t, test.reports...)
			first := m.Result
			var sections []string
			for i := range m.Sections {
				first = &m.Sections[0].Result
				sections = append(sections, m.Sections[i].Name)
			}
			if diff := cmp.Diff(test.sections, sections); diff != "" || (m.Result == nil) != (len(sections) > 0) {
				t.Fatalf("result %v, sections (-want +got):\n%s", m.Result, diff)
			}
			want := builder.Result()
			want.Clients, want.StartSkewMilliseconds, want.CommonMilliseconds = test.clients, test.skew, test.common
			n := int64(len(test.reports))
			want.Of(v1alpha1.OperationRead).Count, want.Of(v1alpha1.OperationRead).Bytes, want.Of(v1alpha1.OperationRead).MilliIOPS, want.Of(v1alpha1.OperationRead).BytesPerSecond = n*want.Of(v1alpha1.OperationRead).Count, n*want.Of(v1alpha1.OperationRead).Bytes, test.iops, n*want.Of(v1alpha1.OperationRead).BytesPerSecond
			want.Of(v1alpha1.OperationRead).PerClient = test.reads
			if test.writes != nil {
				want.Set(v1alpha1.OperationWrite, builder.Result().Of(v1alpha1.OperationRead))
				want.Of(v1alpha1.OperationWrite).PerClient = test.writes
			}
			if diff := cmp.Diff(want, first, cmpopts.IgnoreFields(v1alpha1.Latency{}, "StddevNanoseconds")); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// client is the report of a client that is so many times as fast as the first, began so many milliseconds later and had heard
// of it so many milliseconds before.
func client(times, later, margin int64) digest.Report {
	report := builder.Report()
	group := &report.Groups[0]
	group.JobStart = 1_700_000_000_000 + later
	group.Of(v1alpha1.OperationRead).MilliIOPS *= times
	report.Environment.StartMarginMilliseconds = margin
	return report
}

// writing has a client do as many writes as reads.
func writing(report digest.Report) digest.Report {
	report.Groups[0].Figures = append(report.Groups[0].Figures, builder.Figures(v1alpha1.OperationWrite))
	return report
}

// Percentiles of several clients say how wide the buckets are that they come from. What lies beyond fio's histogram is one value, however wide
// these are.
func TestCoarsening(t *testing.T) {
	if got := int64(histogram.Value(histogram.Buckets - 1)); got != v1alpha1.BeyondHistogramNanoseconds {
		t.Fatalf("the last bucket is %d", got)
	}
	var slow histogram.Histogram
	slow.Add(1_000_000, 90)
	slow.Add(30_000_000_000, 10)
	for bits, want := range []int32{0, 4, 7, 13, 25, 50, 100} {
		var group digest.Group
		for _, operation := range v1alpha1.Operations() {
			f := digest.Figures{Figures: v1alpha1.Figures{Name: operation}}
			f.SetHistogram(1_000_000, 30_000_000_000, slow.Coarsen(bits))
			group.Figures = append(group.Figures, f)
		}
		merged := &merge.Merged{Report: digest.Report{Coarsening: int64(bits), Groups: []digest.Group{group}}, Groups: make([]merge.Group, 1)}
		if alone := resultsOf(merged, 1)[0]; alone.Of(v1alpha1.OperationRead).CompletionLatency.BucketPercent != 0 {
			t.Errorf("%d bits: the percentiles of one client are said to be coarse", bits)
		}
		result := resultsOf(merged, 2)[0]
		for i := range result.Figures {
			what, d := result.Figures[i].Name, result.Figures[i].CompletionLatency
			if d.BucketPercent != want {
				t.Errorf("%d bits: the buckets of %s are %d %% wide, want %d", bits, what, d.BucketPercent, want)
			}
			if v1alpha1.IsBeyondHistogram(d.P50Nanoseconds) || !v1alpha1.IsBeyondHistogram(d.P99Nanoseconds) {
				t.Errorf("%d bits: of %s P50 is %d and P99 %d", bits, what, d.P50Nanoseconds, d.P99Nanoseconds)
			}
		}
	}
	var fast histogram.Histogram
	fast.Add(16_900_000_000, 1)
	var f digest.Figures
	f.SetHistogram(1, 16_900_000_000, fast.Coarsen(6))
	fastest := f.CompletionLatency
	coarsened(fastest, 6)
	if v1alpha1.IsBeyondHistogram(fastest.P50Nanoseconds) {
		t.Errorf("P50 is %d where the slowest took %d", fastest.P50Nanoseconds, fastest.MaxNanoseconds)
	}
}
