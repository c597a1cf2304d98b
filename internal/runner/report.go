package runner

import (
	"math"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/histogram"
)

// newReport turns fio's output into the report for the controller.
func newReport(output *fio.Output) (*digest.Report, error) {
	report := &digest.Report{FioVersion: output.Version}
	for _, g := range output.Groups {
		group := digest.Group{
			Name:                g.Name,
			ElapsedMilliseconds: g.ElapsedMilliseconds,
			UserPercent:         round(g.UserCPUPercent),
			SystemPercent:       round(g.SystemCPUPercent),
			Read:                newDirection(g.Read),
			Write:               newDirection(g.Write),
			Trim:                newDirection(g.Trim),
		}
		if group.Read == nil && group.Write == nil && group.Trim == nil {
			return nil, failf(digest.ExitFailed, "fio completed no I/O in job %q: is its runtime longer than 0, and its size at least one block?", g.Name)
		}
		report.Groups = append(report.Groups, group)
	}
	return report, nil
}

func newDirection(d *fio.Direction) *digest.Direction {
	if d == nil {
		return nil
	}
	out := &digest.Direction{
		IOs:            d.IOs,
		Bytes:          d.Bytes,
		ShortIOs:       d.ShortIOs,
		DroppedIOs:     d.DropIOs,
		MilliIOPS:      round(d.IOPS * 1000),
		BytesPerSecond: round(d.BytesPerSecond),
	}
	if l := d.Latency; l != nil && l.Count > 0 {
		out.Latency = &digest.Latency{Mean: round(l.MeanNanoseconds), Stddev: round(l.StddevNanoseconds)}
	}
	if c := d.CompletionLatency; c != nil && c.Count > 0 && c.Histogram != nil {
		out.Completion = newCompletion(c)
	}
	return out
}

func newCompletion(c *fio.LatencyStats) *digest.Completion {
	out := &digest.Completion{Min: c.MinNanoseconds, Max: c.MaxNanoseconds, Histogram: c.Histogram}
	for i, p := range digest.Percentiles {
		out.Buckets[i] = int64(histogram.Index(c.Histogram.Percentile(p)))
	}
	return out
}

func round(f float64) int64 { return int64(math.Round(f)) }
