package wording

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Attempt describes an attempt that was ended without a result, such as "attempt 1 of randread.gp3 on node-1 after 42s
// (Disrupted): the pod was evicted".
func Attempt(a *v1alpha1.AbandonedAttempt) string {
	text := fmt.Sprintf("attempt %d of %s", a.Attempt, a.Run)
	if a.Node != "" {
		text += " on " + a.Node
	}
	if a.StartTime != nil && a.CompletionTime != nil {
		text += " after " + a.CompletionTime.Sub(a.StartTime.Time).String()
	}
	text += fmt.Sprintf(" (%s)", a.Reason)
	if a.Message != "" {
		text += ": " + humanize.Line(a.Message)
	}
	return text
}
