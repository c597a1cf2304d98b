package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// detail is how much an outcome says of each operation.
type detail int

const (
	// everything has the bandwidth, the median latency and the one of p99.
	everything detail = iota
	withoutMedian
	withoutBandwidth
	onlyRates
)

// Outcome tells in one line what a run that has ended measured, and what limited it, or why it failed: such as
// "write 2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms; VolumeIOPS".
func Outcome(run *v1alpha1.Run) string { return outcomeIn(run, everything) }

// OutcomeWithin is Outcome in so many columns: it leaves out figures until the rest fits, and then it is cut.
func OutcomeWithin(run *v1alpha1.Run, width int) string {
	for d := range onlyRates {
		if line := outcomeIn(run, d); text.StringWidth(line) <= width {
			return line
		}
	}
	return legible.Cut(outcomeIn(run, onlyRates), max(width, 0), "..")
}

func outcomeIn(run *v1alpha1.Run, d detail) string {
	if run.State != v1alpha1.RunSucceeded {
		return legible.Line(strings.Join(strings.Fields(run.Message), " "))
	}
	var parts []string
	for measured := range run.Measured() {
		part := outcomeOf(&measured.Result, measured.LimitedBy, d)
		if measured.Name != "" {
			part = measured.Name + ": " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " | ")
}

// Mark says in one word of fixed width whether a run that has ended has a result.
func Mark(run *v1alpha1.Run, style Style) string {
	if run.State == v1alpha1.RunSucceeded {
		return style.paint(text.FgGreen, "ok") + "    "
	}
	return style.paint(text.FgRed, "FAILED")
}

func outcomeOf(result *v1alpha1.Result, bound *v1alpha1.LimitedBy, d detail) string {
	var parts []string
	for name, io := range result.Directions() {
		parts = append(parts, name+" "+outcomeOfIO(io, d))
	}
	if s := result.Sync; s != nil {
		parts = append(parts, syncRow+" "+latencies(s.Latency, s.MeanNanoseconds, d))
	}
	if m := result.Metadata; m != nil {
		parts = append(parts, metadataRow+" "+outcomeOfMetadata(m, d))
	}
	line := strings.Join(parts, " + ")
	if bound != nil && bound.Reason != v1alpha1.BoundUnknown {
		line += "; " + bound.Reason
	}
	return line
}

// outcomeOfMetadata is such as "2044 IOPS, p50 402us, p99 1.1ms".
func outcomeOfMetadata(m *v1alpha1.MetadataResult, d detail) string {
	rate := fmt.Sprintf("%d IOPS", m.IOPS)
	if d == onlyRates {
		return rate
	}
	return rate + ", " + latencies(m.Latency, m.MeanNanoseconds, d)
}

// latencies is such as "p50 2.1ms, p99 9.0ms", or the mean where there is nothing else.
func latencies(l *v1alpha1.LatencyDistribution, mean int64, d detail) string {
	switch {
	case l == nil:
		return "mean " + latency(mean)
	case d >= withoutMedian:
		return "p99 " + percentile(l.P99Nanoseconds)
	}
	return fmt.Sprintf("p50 %s, p99 %s", percentile(l.P50Nanoseconds), percentile(l.P99Nanoseconds))
}

func outcomeOfIO(io *v1alpha1.IOResult, d detail) string {
	line := fmt.Sprintf("%d IOPS", io.IOPS)
	if d < withoutBandwidth {
		line += ", " + bandwidth(io.BytesPerSecond)
	}
	if io.CompletionLatency != nil && d < onlyRates {
		line += ", " + latencies(io.CompletionLatency, 0, d)
	}
	return line
}
