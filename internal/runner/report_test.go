package runner

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
	report, err := NewReport(output)
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
	if _, err := NewReport(output); err == nil {
		t.Error("a group without anything is a result")
	}
}
