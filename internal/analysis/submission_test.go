package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Jobs that wait in submission have one I/O each in flight, whatever their iodepth.
func TestSubmission(t *testing.T) {
	const note = "each job waits in submission (90 % of its time, fio's slat), one I/O after the other, so that iodepth is not reached"
	// 8 readers of E5, by their slat and lat.
	submitting := func(share float64) *v1alpha1.Result {
		r := &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(158, 8<<20, 890_000_000).As(v1alpha1.OperationRead))}
		r.Of(v1alpha1.OperationRead).Latency.SubmissionNanoseconds = int64(share * 8 / 158 * 1e9)
		return r
	}
	deep := Load{InFlight: 1024, Jobs: 8}
	for _, test := range []struct {
		name    string
		result  *v1alpha1.Result
		load    Load
		limited bool // by something that is known
		reason  string
		note    bool
	}{
		{"in submission", submitting(0.9), deep, true, v1alpha1.BoundLatency, true},
		{"hardly", submitting(0.79), deep, true, v1alpha1.BoundUnknown, false},
		{"of limits nothing is known", submitting(0.9), deep, false, v1alpha1.BoundUnknown, true},
		{"no iodepth", submitting(0.9), Load{InFlight: 8, Jobs: 8}, true, v1alpha1.BoundUnknown, false},
		{"at a limit", func() *v1alpha1.Result {
			r := submitting(0.9)
			r.Of(v1alpha1.OperationRead).BytesPerSecond = 1_490 << 20
			return r
		}(), deep, true, v1alpha1.BoundInstanceThroughput, false},
	} {
		s3 := &v1alpha1.KnownLimits{TypicalReadMicroseconds: new(int64(40_000)), TypicalWriteMicroseconds: new(int64(40_000))}
		known := Known{Unlimited: true, Storage: s3, Client: clients(m6i8xlarge)}
		if !test.limited {
			known = Known{}
		}
		before := *test.result.Of(v1alpha1.OperationRead).Latency
		got := Judge(test.result, known, test.load, Client{}, 0)
		if got.Reason != test.reason || strings.Contains(got.Message, note) != test.note || strings.Contains(got.Message, "higher iodepth;") {
			t.Errorf("%s: limited by %s: %s", test.name, got.Reason, got.Message)
		}
		if got.Reason == v1alpha1.BoundLatency && !strings.HasPrefix(got.Message, "8 of 8 I/Os were in flight all the time, each for 50.6ms on average") {
			t.Errorf("%s: %s", test.name, got.Message)
		}
		if *test.result.Of(v1alpha1.OperationRead).Latency != before {
			t.Errorf("%s: the result was changed", test.name)
		}
	}
}
