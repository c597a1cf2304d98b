package analysis

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// depthIgnored is about jobs that were to keep several I/Os in flight, and whose engine waits for each.
func depthIgnored(s seen) string {
	if s.load.IgnoredDepth <= 1 {
		return ""
	}
	return fmt.Sprintf("iodepth %d is ignored: the engine waits for each I/O", s.load.IgnoredDepth)
}

// bufferedAsync is about libaio without direct: the kernel then makes each submission wait, so that there is no queue.
func bufferedAsync(s seen) string {
	if !s.load.BufferedAsync {
		return ""
	}
	return "libaio without direct waits for each I/O: there is no queue of iodepth"
}

// otherFilesSynced is about syncs that have little to write: the file that was just written is not the one that is synced.
// https://github.com/axboe/fio/issues/1904
func otherFilesSynced(s seen) string {
	if !s.load.OtherFilesSynced {
		return ""
	}
	return "with several files a job, fio syncs a file other than the one it has just written, so that syncs have less to write"
}

// alikeData is about data that storage which compresses or deduplicates need not write.
func alikeData(s seen) string {
	if s.load.AlikeData == "" {
		return ""
	}
	return fmt.Sprintf("%s makes data that storage can compress or write once", s.load.AlikeData)
}

// omittedWaits is about jobs that hold themselves to a rate, and were late: while all their I/Os were in flight, others were due and began later. How long these
// waited for that is in no latency of fio (coordinated omission).
func omittedWaits(s seen) string {
	if !s.load.InlineRate || s.load.InFlight <= 0 {
		return ""
	}
	due := dueIOPS(s.result, s.load) / float64(s.load.InFlight)
	if due <= 0 {
		return ""
	}
	for _, w := range waitsOf(s.result) {
		longest := float64(w.latency.P999Nanoseconds)
		if w.perIO*longest*due > 1e9 {
			return fmt.Sprintf("a rate of %.0f IOPS gives each I/O %s, and p99.9 of %ss is %s: I/Os that were due meanwhile began late, and no latency shows that",
				due*float64(s.load.InFlight), duration(1e9/due), w.what, duration(longest))
		}
		if message := w.stalled(due); message != "" {
			return message
		}
	}
	return ""
}

// waits are the waits of one kind, in which a job begins no other I/O: those for I/Os, and for syncs between them.
type waits struct {
	what    string
	latency *v1alpha1.LatencyDistribution
	// ios are the I/Os that may be late, and perIO is how many of the waits there are for each.
	ios   int64
	perIO float64
}

// waitsOf returns those whose latencies fio took.
func waitsOf(r *v1alpha1.Result) []waits {
	var all []waits
	for direction, io := range r.Directions() {
		if io.CompletionLatency != nil {
			all = append(all, waits{direction, io.CompletionLatency, io.Count, 1})
		}
	}
	if sync := r.Of(v1alpha1.OperationSync); sync != nil && sync.CompletionLatency != nil {
		ios := max(ioOrNone(r.Of(v1alpha1.OperationWrite)).Count, sync.Count, 1)
		all = append(all, waits{"sync", sync.CompletionLatency, ios, float64(sync.Count) / float64(ios)})
	}
	return all
}

// latePermille is the share of I/Os, in thousandths, from which on those that began late count: so many are above p99.9.
const latePermille = 1

// stalled is about a single wait that took so long that many I/Os were due meanwhile, of those that its place in flight had to do: so many a second.
func (w waits) stalled(due float64) string {
	longest := float64(w.latency.MaxNanoseconds)
	late := due*longest/1e9 - 1
	if w.ios <= 0 || late*1000 <= latePermille*float64(w.ios) {
		return ""
	}
	return fmt.Sprintf("the longest %s took %s: %.0f I/Os were due meanwhile and began late; no latency shows that, so percentiles above p%s are too low",
		w.what, duration(longest), late, humanize.Significant(100*max(0, 1-late/float64(w.ios))))
}

// dueIOPS are the I/Os per second that jobs are to begin by their rate, at the size of the I/Os that they had; 0 if they have no rate.
func dueIOPS(r *v1alpha1.Result, load Load) float64 {
	if load.RateIOPS > 0 {
		return float64(load.RateIOPS)
	}
	bytes, ios := sum(r, bytesOf), sum(r, iopsOf)
	if load.RateBytesPerSecond <= 0 || bytes <= 0 || ios <= 0 {
		return 0
	}
	return float64(load.RateBytesPerSecond) / (float64(bytes) / float64(ios))
}
