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
	for name, io := range result.Directions() {
		parts = append(parts, name+" "+outcomeOfIO(io))
	}
	if result.Sync != nil {
		parts = append(parts, syncRow+outcomeOfSyncs(result.Sync))
	}
	if m := result.Metadata; m != nil {
		parts = append(parts, metadataRow+" "+outcomeOfMetadata(m))
	}
	outcome := strings.Join(parts, " + ")
	if bound != nil && bound.Reason != v1alpha1.BoundUnknown {
		outcome += "; " + bound.Reason
	}
	return outcome
}

// outcomeOfSyncs is such as " p50 2.1ms, p99 9.0ms".
func outcomeOfSyncs(s *v1alpha1.SyncResult) string {
	if s.Latency == nil {
		return " mean " + latency(s.MeanNanoseconds)
	}
	return fmt.Sprintf(" p50 %s, p99 %s", percentile(s.Latency.P50Nanoseconds), percentile(s.Latency.P99Nanoseconds))
}

// outcomeOfMetadata is such as "2044 IOPS, p50 402us, p99 1.1ms".
func outcomeOfMetadata(m *v1alpha1.MetadataResult) string {
	outcome := fmt.Sprintf("%d IOPS, ", m.IOPS)
	if m.Latency == nil {
		return outcome + "mean " + latency(m.MeanNanoseconds)
	}
	return outcome + fmt.Sprintf("p50 %s, p99 %s", percentile(m.Latency.P50Nanoseconds), percentile(m.Latency.P99Nanoseconds))
}

func outcomeOfIO(io *v1alpha1.IOResult) string {
	outcome := fmt.Sprintf("%d IOPS, %s", io.IOPS, bandwidth(io.BytesPerSecond))
	if c := io.CompletionLatency; c != nil {
		outcome += fmt.Sprintf(", p50 %s, p99 %s", percentile(c.P50Nanoseconds), percentile(c.P99Nanoseconds))
	}
	return outcome
}
