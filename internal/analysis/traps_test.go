package analysis

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestTraps plants each trap, and something like it that is none.
func TestTraps(t *testing.T) {
	// Each I/O takes 20 ms at p99.9.
	slow := func(iops, bytes int64) *v1alpha1.Figures {
		io := burstOf(iops, bytes)
		io.CompletionLatency.P999Nanoseconds = 20_000_000
		return io
	}
	stalled := burstOf(100, 4096)
	stalled.Count, stalled.CompletionLatency.P999Nanoseconds, stalled.CompletionLatency.MaxNanoseconds = 100_000, 1_500_000, 2_000_000_000
	// Memory takes 600,000 writes at once, and of so many syncs the slowest take so long.
	synced := func(syncs, slowest int64) v1alpha1.Result {
		write := burstOf(100, 4096)
		write.Count, write.CompletionLatency.P999Nanoseconds, write.CompletionLatency.MaxNanoseconds = 600_000, 30_000, 60_000
		return v1alpha1.Result{Figures: v1alpha1.ListOf(write.As(v1alpha1.OperationWrite), (&v1alpha1.Figures{Count: syncs, Latency: &v1alpha1.Latency{MeanNanoseconds: 1_000_000}, CompletionLatency: &v1alpha1.LatencyDistribution{P999Nanoseconds: slowest, MaxNanoseconds: slowest}}).As(v1alpha1.OperationSync))}
	}
	for _, test := range []struct {
		name   string
		load   Load
		result v1alpha1.Result
		want   string
	}{
		{"nothing", Load{InFlight: 1}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, ""},
		{"iodepth of an engine that waits", Load{IgnoredDepth: 32}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, "IODepthIgnored iodepth 32 is ignored: the engine waits for each I/O"},
		{"libaio without direct", Load{BufferedAsync: true}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, "BufferedAsync libaio without direct waits for each I/O: there is no queue of iodepth"},
		{"zeros", Load{AlikeData: "zero_buffers"}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationWrite))}, "AlikeData zero_buffers makes data that storage can compress or write once"},
		{"syncs of other files", Load{OtherFilesSynced: true}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationWrite))},
			"OtherFilesSynced with several files a job, fio syncs a file other than the one it has just written, so that syncs have less to write"},
		{"a rate that is late", Load{InlineRate: true, InFlight: 1, RateIOPS: 100}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))},
			"OmittedWaits a rate of 100 IOPS gives each I/O 10ms, and p99.9 of reads is 20ms: I/Os that were due meanwhile began late, and no latency shows that"},
		{"a rate of bytes that is late", Load{InlineRate: true, InFlight: 1, RateBytesPerSecond: 409_600}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationWrite))},
			"OmittedWaits a rate of 100 IOPS gives each I/O 10ms, and p99.9 of writes is 20ms: I/Os that were due meanwhile began late, and no latency shows that"},
		{"a rate that one stall held up", Load{InlineRate: true, InFlight: 1, RateIOPS: 100}, v1alpha1.Result{Figures: v1alpha1.ListOf(stalled.As(v1alpha1.OperationRead))},
			"OmittedWaits the longest read took 2s: 199 I/Os were due meanwhile and began late; no latency shows that, so percentiles above p99.8 are too low"},
		{"a stall that few I/Os waited for", Load{InlineRate: true, InFlight: 32, RateIOPS: 100}, v1alpha1.Result{Figures: v1alpha1.ListOf(stalled.As(v1alpha1.OperationRead))}, ""},
		{"a rate with room", Load{InlineRate: true, InFlight: 2, RateIOPS: 100}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, ""},
		{"a rate whose I/Os begin when they are due", Load{InFlight: 1, RateIOPS: 100}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, ""},
		{"a rate that waits for syncs", Load{InlineRate: true, InFlight: 1, RateIOPS: 100}, synced(600_000, 500_000_000),
			"OmittedWaits a rate of 100 IOPS gives each I/O 10ms, and p99.9 of syncs is 500ms: I/Os that were due meanwhile began late, and no latency shows that"},
		{"a rate that waits for few syncs", Load{InlineRate: true, InFlight: 1, RateIOPS: 100}, synced(200_000, 20_000_000), ""},
		{"no rate in all directions", Load{InlineRate: true, InFlight: 1}, v1alpha1.Result{Figures: v1alpha1.ListOf(slow(50, 4096).As(v1alpha1.OperationRead))}, ""},
		{"no latency", Load{InlineRate: true, InFlight: 1, RateIOPS: 100}, v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 50_000}}}, ""},
	} {
		got := ""
		test.result.ElapsedMilliseconds = 60_000
		for _, w := range Warnings([]v1alpha1.Result{test.result}, nil, []Load{test.load}, Client{}) {
			if w.Reason != v1alpha1.WarningNoLatency {
				got += w.Reason + " " + w.Message
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
