package report

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// volumeInWords says what EBS itself counted of a run's operations, beside fio's figures; "" if it says nothing.
func volumeInWords(run *v1alpha1.Run) string {
	if run.VolumeStatistics == nil {
		return ""
	}
	var parts []string
	for i := range run.VolumeStatistics.Operations {
		parts = append(parts, ofVolumeInWords(&run.VolumeStatistics.Operations[i], run.Result))
	}
	if len(parts) == 0 {
		return "EBS itself counted no operation."
	}
	words := "EBS itself counted " + strings.Join(parts, ", and ") + "."
	if more := analysis.OperationsPerIO(run.VolumeStatistics, run.Result); more != "" {
		words += " " + more + "."
	}
	return words
}

// ofVolumeInWords is such as "42012 reads: half of them took at most 512us, 99 of 100 1.02ms (by fio 5.34ms and
// 9.90ms)".
func ofVolumeInWords(o *v1alpha1.VolumeOperations, r *v1alpha1.Result) string {
	words := fmt.Sprintf("%d %ss", o.Count, o.Name)
	if o.P50Microseconds == 0 || o.P99Microseconds == 0 {
		return words
	}
	words += fmt.Sprintf(": half of them took at most %s, 99 of 100 %s",
		wording.Latency(1000*o.P50Microseconds), wording.Latency(1000*o.P99Microseconds))
	if r == nil || r.Of(o.Name) == nil || r.Of(o.Name).CompletionLatency == nil {
		return words
	}
	by := r.Of(o.Name).CompletionLatency
	return words + fmt.Sprintf(" (by fio %s and %s)", wording.AtMost(by.P50Nanoseconds), wording.AtMost(by.P99Nanoseconds))
}
