package report

import (
	"fmt"
	"io"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// warnings prints each kind of warning, and what to do about it.
func warnings(w io.Writer, all []v1alpha1.WarningSummary, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		head := fmt.Sprintf("Warning %s (%s):", all[i].Reason, humanize.Plural(int(all[i].Results), "result"))
		fmt.Fprintln(w, style.wrap(style.warning(head)+" "+humanize.Line(all[i].Message), "  "))
		if all[i].Remedy != "" {
			fmt.Fprintf(w, "  %s\n", style.wrap(humanize.Line(all[i].Remedy), "  "))
		}
	}
}

// abandoned prints a line for each attempt that was ended without a result.
func abandoned(w io.Writer, all []v1alpha1.AbandonedAttempt, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.wrap(style.warning("Abandoned:")+" "+attempt(&all[i]), "  "))
	}
}

// attempt describes an attempt that was ended without a result, such as "attempt 1 of randread.gp3 on node-1 after 42s
// (Disrupted): the pod was evicted".
func attempt(a *v1alpha1.AbandonedAttempt) string {
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
