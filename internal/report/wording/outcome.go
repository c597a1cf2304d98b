package wording

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
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
	return humanize.Cut(outcomeIn(run, onlyRates), max(width, 0), "..")
}

func outcomeIn(run *v1alpha1.Run, d detail) string {
	if run.State != v1alpha1.RunSucceeded {
		return humanize.Line(strings.Join(strings.Fields(run.Message), " "))
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

func outcomeOf(result *v1alpha1.Result, bound *v1alpha1.LimitedBy, d detail) string {
	var parts []string
	for i := range result.Figures {
		parts = append(parts, result.Figures[i].Name+" "+outcomeOfFigures(&result.Figures[i], d))
	}
	line := strings.Join(parts, " + ")
	if bound != nil && bound.Reason != v1alpha1.BoundUnknown {
		line += "; " + bound.Reason
	}
	return line
}

// outcomeOfFigures is such as "2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms", without what was not measured.
func outcomeOfFigures(f *v1alpha1.Figures, d detail) string {
	var parts []string
	isSync := f.Name == v1alpha1.OperationSync
	if !isSync {
		parts = append(parts, IOPS(f.MilliIOPS)+" IOPS")
	}
	if v1alpha1.IsData(f.Name) && d < withoutBandwidth {
		parts = append(parts, Bandwidth(f.BytesPerSecond))
	}
	c := f.CompletionLatency
	switch {
	case !isSync && d == onlyRates:
	case c == nil && !v1alpha1.IsData(f.Name):
		parts = append(parts, "mean "+Latency(f.Mean()))
	case c != nil && d >= withoutMedian:
		parts = append(parts, "p99 "+Percentile(c.P99Nanoseconds))
	case c != nil:
		parts = append(parts, "p50 "+Percentile(c.P50Nanoseconds), "p99 "+Percentile(c.P99Nanoseconds))
	}
	return strings.Join(parts, ", ")
}
