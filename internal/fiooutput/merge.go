package fiooutput

import (
	"math"

	"github.com/storagebench/storagebench/internal/histogram"
)

// merge adds the result of another clone of the same section, as fio's group_reporting does it: sums,
// extremes, pooled means and deviations, and the longest run time.
func (g *Group) merge(o Group) {
	g.UserCPUPercent = weigh(g.UserCPUPercent, g.JobRuntimeMilliseconds, o.UserCPUPercent, o.JobRuntimeMilliseconds)
	g.SystemCPUPercent = weigh(g.SystemCPUPercent, g.JobRuntimeMilliseconds, o.SystemCPUPercent, o.JobRuntimeMilliseconds)
	g.JobRuntimeMilliseconds = plus(g.JobRuntimeMilliseconds, o.JobRuntimeMilliseconds)
	g.ContextSwitches = plus(g.ContextSwitches, o.ContextSwitches)
	g.Jobs += o.Jobs
	if g.Error == 0 {
		g.Error = o.Error
	}
	if g.JobStart == 0 || o.JobStart != 0 && o.JobStart < g.JobStart {
		g.JobStart = o.JobStart
	}
	g.Read = mergeDirections(g.Read, o.Read)
	g.Write = mergeDirections(g.Write, o.Write)
	g.Trim = mergeDirections(g.Trim, o.Trim)
	g.Sync = mergeLatencies(g.Sync, o.Sync)
	g.Metadata = mergeDirections(g.Metadata, o.Metadata)
	if g.Steady != nil && o.Steady != nil {
		g.Steady = &Steady{g.Steady.Criterion, g.Steady.Attained && o.Steady.Attained}
	}
	g.LatencyTarget = mergeLatencyTargets(g.LatencyTarget, o.LatencyTarget)
	g.setElapsed()
}

func (g *Group) setElapsed() {
	g.ElapsedMilliseconds = 0
	for _, d := range g.Directions() {
		g.ElapsedMilliseconds = max(g.ElapsedMilliseconds, d.RuntimeMilliseconds)
	}
	if g.Metadata != nil {
		g.ElapsedMilliseconds = max(g.ElapsedMilliseconds, g.Metadata.RuntimeMilliseconds)
	}
}

// mergeDirections returns the sum of two directions' I/O; either may be nil. It may change a.
func mergeDirections(a, b *Direction) *Direction {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	a.IOs = plus(a.IOs, b.IOs)
	a.Bytes = plus(a.Bytes, b.Bytes)
	a.ShortIOs = plus(a.ShortIOs, b.ShortIOs)
	a.DropIOs = plus(a.DropIOs, b.DropIOs)
	a.RuntimeMilliseconds = max(a.RuntimeMilliseconds, b.RuntimeMilliseconds)
	a.Latency = mergeLatencies(a.Latency, b.Latency)
	a.CompletionLatency = mergeLatencies(a.CompletionLatency, b.CompletionLatency)
	a.SubmissionLatency = mergeLatencies(a.SubmissionLatency, b.SubmissionLatency)
	a.setRates()
	return a
}

// setRates sets the rates of what was done. fio's time has whole milliseconds: less than one counts as one.
func (d *Direction) setRates() {
	seconds := float64(max(d.RuntimeMilliseconds, 1)) / 1000
	d.IOPS, d.BytesPerSecond = float64(d.IOs)/seconds, float64(d.Bytes)/seconds
}

// mergeLatencies returns the statistics of both samples together; either may be nil. It may change a.
func mergeLatencies(a, b *LatencyStats) *LatencyStats {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	n, m := float64(a.Count), float64(b.Count)
	between := b.MeanNanoseconds - a.MeanNanoseconds
	squares := squareSum(a) + squareSum(b) + between*between*n*m/(n+m)
	a.MeanNanoseconds = weigh(a.MeanNanoseconds, a.Count, b.MeanNanoseconds, b.Count)
	a.StddevNanoseconds = math.Sqrt(squares / (n + m - 1))
	a.Count = plus(a.Count, b.Count)
	a.MinNanoseconds = min(a.MinNanoseconds, b.MinNanoseconds)
	a.MaxNanoseconds = max(a.MaxNanoseconds, b.MaxNanoseconds)
	a.Histogram = mergeHistograms(a.Histogram, b.Histogram)
	return a
}

// squareSum is the sum of squared differences from the mean, of which fio reports the deviation.
func squareSum(l *LatencyStats) float64 {
	return l.StddevNanoseconds * l.StddevNanoseconds * float64(l.Count-1)
}

// mergeHistograms returns nil if one of them is missing: a part would not stand for both.
func mergeHistograms(a, b *histogram.Histogram) *histogram.Histogram {
	if a == nil || b == nil {
		return nil
	}
	a.Merge(b)
	return a
}

// weigh returns the mean of two values by their weights, 0 if they have none.
func weigh(a float64, weightA int64, b float64, weightB int64) float64 {
	total := float64(weightA) + float64(weightB)
	if total == 0 {
		return 0
	}
	return (a*float64(weightA) + b*float64(weightB)) / total
}
