package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// Outcome says in one line what a run that has ended measured, and what held it back, or why it failed: such as
// "write 2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms; VolumeIOPS".
func Outcome(run *v1alpha1.Run) string {
	if run.State != v1alpha1.RunSucceeded {
		return legible.Line(strings.Join(strings.Fields(run.Message), " "))
	}
	var parts []string
	for measured := range run.Measured() {
		outcome := outcomeOf(&measured.Result, measured.LimitedBy)
		if measured.Name != "" {
			outcome = measured.Name + ": " + outcome
		}
		parts = append(parts, outcome)
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

func outcomeOf(result *v1alpha1.Result, bound *v1alpha1.LimitedBy) string {
	var parts []string
	for i := range result.Figures {
		parts = append(parts, result.Figures[i].Name+" "+outcomeOfFigures(&result.Figures[i]))
	}
	outcome := strings.Join(parts, " + ")
	if bound != nil && bound.Reason != v1alpha1.BoundUnknown {
		outcome += "; " + bound.Reason
	}
	return outcome
}

// outcomeOfFigures is such as "2998 IOPS, 46.8 MiB/s, p50 469us, p99 92.8ms", without what was not measured.
func outcomeOfFigures(f *v1alpha1.Figures) string {
	var parts []string
	if f.Name != v1alpha1.OperationSync {
		parts = append(parts, fmt.Sprintf("%d IOPS", f.IOPS()))
	}
	if v1alpha1.IsData(f.Name) {
		parts = append(parts, bandwidth(f.BytesPerSecond))
	}
	if c := f.CompletionLatency; c != nil {
		parts = append(parts, "p50 "+percentile(c.P50Nanoseconds), "p99 "+percentile(c.P99Nanoseconds))
	} else if !v1alpha1.IsData(f.Name) {
		parts = append(parts, "mean "+latency(f.Mean()))
	}
	return strings.Join(parts, ", ")
}
