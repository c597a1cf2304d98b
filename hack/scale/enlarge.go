package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// How many bytes a message of a condition, and one of a warning may have.
const mostMessage, mostWarning = 4096, 256

// enlarge returns a benchmark like the given one whose status has at least so many bytes as text: it has more of the
// same runs, and the longest messages.
func enlarge(like *v1alpha1.StorageBenchmark, bytes int) *v1alpha1.StorageBenchmark {
	large := like.DeepCopy()
	if bytes == 0 {
		return large
	}
	for i := range large.Status.Conditions {
		large.Status.Conditions[i].Message = strings.Repeat("m", mostMessage)
	}
	for n := 0; sizeOf(&large.Status) < bytes; n++ {
		addTo(&large.Status, n)
	}
	return large
}

// addTo adds a run like one of those that there are, or a warning to one of them if there are as many as can be.
func addTo(status *v1alpha1.StorageBenchmarkStatus, n int) {
	if len(status.Runs) < plan.MaxResults {
		run := status.Runs[n].DeepCopy()
		run.Name = fmt.Sprintf("run-%d", len(status.Runs))
		status.Runs = append(status.Runs, *run)
		return
	}
	run := &status.Runs[n%len(status.Runs)]
	message := strings.Repeat("m", mostWarning)
	run.Warnings = append(run.Warnings, v1alpha1.Warning{Reason: v1alpha1.WarningFewSamples, Message: message})
}

func sizeOf(status *v1alpha1.StorageBenchmarkStatus) int {
	text, err := json.Marshal(status)
	if err != nil {
		panic(err) // a status always has a text
	}
	return len(text)
}
