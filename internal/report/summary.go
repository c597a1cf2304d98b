package report

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// maxSummary is the most characters of a summary: it has to fit into a printed column.
const maxSummary = 240

// Summary says the results in one line: by workload, each target's IOPS and median latency. It is empty
// while there is no result.
func Summary(status *v1alpha1.StorageBenchmarkStatus) string {
	var workloads []string
	parts := map[string][]string{}
	for i := range status.Runs {
		run := &status.Runs[i]
		text := summarizeRun(run)
		if text == "" {
			continue
		}
		if parts[run.Workload] == nil {
			workloads = append(workloads, run.Workload)
		}
		parts[run.Workload] = append(parts[run.Workload], run.Target+" "+text)
	}
	lines := make([]string, len(workloads))
	for i, workload := range workloads {
		lines[i] = workload + ": " + strings.Join(parts[workload], ", ")
	}
	return shorten(strings.Join(lines, "; "))
}

func summarizeRun(run *v1alpha1.Run) string {
	if run.Result != nil {
		return summarizeResult(run.Result)
	}
	sections := make([]string, len(run.Sections))
	for i := range run.Sections {
		sections[i] = run.Sections[i].Name + " " + summarizeResult(&run.Sections[i].Result)
	}
	return strings.Join(sections, ", ")
}

func summarizeResult(result *v1alpha1.Result) string {
	var parts []string
	for _, d := range directions(result) {
		text := fmt.Sprintf("%s %d IOPS", d.name, d.io.IOPS)
		if d.io.CompletionLatency != nil {
			text += " " + latency(d.io.CompletionLatency.P50Nanoseconds) + " p50"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " + ")
}

// direction is one of the directions in which a result has I/O.
type direction struct {
	name string
	io   *v1alpha1.IOResult
}

func directions(result *v1alpha1.Result) []direction {
	var present []direction
	for _, d := range []direction{{"read", result.Read}, {"write", result.Write}, {"trim", result.Trim}} {
		if d.io != nil {
			present = append(present, d)
		}
	}
	return present
}

func shorten(line string) string {
	if len(line) <= maxSummary {
		return line
	}
	cut := strings.LastIndexAny(line[:maxSummary], ",;")
	return line[:max(cut, 0)] + " …"
}
