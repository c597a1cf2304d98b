package wording

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestOutcome(t *testing.T) {
	io := &v1alpha1.Figures{MilliIOPS: 2998_000, BytesPerSecond: 49_119_232, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 469_000, P99Nanoseconds: 92_800_000}}
	const text = "2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms"
	bound := &v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS}
	for name, test := range map[string]struct {
		run  v1alpha1.Run
		want string
	}{
		"one direction":    {v1alpha1.Run{Result: &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}, LimitedBy: bound}, "write " + text + "; VolumeIOPS"},
		"two directions":   {v1alpha1.Run{Result: &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite))}, LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown}}, "read " + text + " + write " + text},
		"no latencies":     {v1alpha1.Run{Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationTrim, MilliIOPS: 5_000, BytesPerSecond: 2560}}}}, "trim 5 IOPS, 2.50 KiB/s"},
		"several sections": {v1alpha1.Run{Sections: []v1alpha1.SectionResult{{Name: "a", Result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}, LimitedBy: bound}, {Name: "b", Result: v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}}}}, "a: read " + text + "; VolumeIOPS | b: write " + text},
		"failed":           {v1alpha1.Run{State: v1alpha1.RunFailed, Message: "fio: out of\n space"}, "fio: out of space"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.run.State == "" {
				test.run.State = v1alpha1.RunSucceeded
			}
			if got := Outcome(&test.run); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
