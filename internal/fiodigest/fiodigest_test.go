package fiodigest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/histogram"
)

// A group of operations on files has neither reads nor writes, and is no failure.
func TestReportOfMetadata(t *testing.T) {
	h := &histogram.Histogram{}
	h.Add(100, 3)
	output := &fiooutput.Output{Groups: []fiooutput.Group{{Name: "files", Metadata: &fiooutput.Direction{
		IOs: 3, IOPS: 1.5, RuntimeMilliseconds: 2000, CompletionLatency: &fiooutput.LatencyStats{Count: 3, MinNanoseconds: 90, MaxNanoseconds: 110, MeanNanoseconds: 99.6, StddevNanoseconds: 4.9, Histogram: h},
	}}}}
	report, err := New(output)
	if err != nil {
		t.Fatal(err)
	}
	want := digest.Figures{Figures: v1alpha1.Figures{Name: v1alpha1.OperationMetadata, Count: 3, MilliIOPS: 1500}}
	want.SetLatency(3, 100, 5)
	want.SetHistogram(90, 110, h)
	if diff := cmp.Diff([]digest.Figures{want}, report.Groups[0].Figures, cmp.Comparer((*histogram.Histogram).Equal)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	output.Groups[0].Metadata = nil
	if _, err := New(output); err == nil {
		t.Error("a group without anything is a result")
	}
}

// Submissions that take next to none of a job's time are left out.
func TestShortSubmissions(t *testing.T) {
	for _, test := range []struct {
		iops, mean float64
		want       int64
	}{{1000, 49_000, 0}, {1000, 50_000, 50_000}, {47, 19_200_000.4, 19_200_000}} {
		d := &fiooutput.Direction{IOPS: test.iops, SubmissionLatency: &fiooutput.LatencyStats{MeanNanoseconds: test.mean}}
		if got := submission(d); got != test.want {
			t.Errorf("%v a second of %v ns: %d, want %d", test.iops, test.mean, got, test.want)
		}
	}
	if got := submission(&fiooutput.Direction{IOPS: 1e9}); got != 0 {
		t.Errorf("of a synchronous engine: %d", got)
	}
}
