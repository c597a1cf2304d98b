package fiodigest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/histogram"
)

// A group of operations on files has neither reads nor writes, and is no failure.
func TestReportOfMetadata(t *testing.T) {
	h := &histogram.Histogram{}
	h.Add(100, 3)
	output := &fiooutput.Output{Groups: []fiooutput.Group{{Name: "files", Metadata: &fiooutput.Metadata{
		PerSecond: 1.5, RuntimeMilliseconds: 2000, Latency: &fiooutput.LatencyStats{Count: 3, MinNanoseconds: 90, MaxNanoseconds: 110, MeanNanoseconds: 99.6, Histogram: h},
	}}}}
	report, err := New(output)
	if err != nil {
		t.Fatal(err)
	}
	want := &digest.Metadata{Count: 3, MilliPerSecond: 1500, Mean: 100, Completion: digest.NewCompletion(90, 110, h)}
	if diff := cmp.Diff(want, report.Groups[0].Metadata, cmpopts.IgnoreUnexported(digest.Completion{}, histogram.Histogram{})); diff != "" {
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
