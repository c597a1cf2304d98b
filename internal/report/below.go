package report

import (
	"fmt"
	"io"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// warnings prints each kind of warning, and what to do about it.
func warnings(w io.Writer, all []v1alpha1.WarningSummary, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		head := fmt.Sprintf("Warning %s (%s):", all[i].Reason, humanize.Plural(int(all[i].Results), "result"))
		fmt.Fprintln(w, style.Wrap(style.warning(head)+" "+humanize.Line(all[i].Message), "  "))
		if all[i].Remedy != "" {
			fmt.Fprintf(w, "  %s\n", style.Wrap(humanize.Line(all[i].Remedy), "  "))
		}
	}
}

// abandoned prints a line for each attempt that was ended without a result.
func abandoned(w io.Writer, all []v1alpha1.AbandonedAttempt, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.Wrap(style.warning("Abandoned:")+" "+wording.Attempt(&all[i]), "  "))
	}
}
