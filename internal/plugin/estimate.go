package plugin

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
)

// printEstimate prints how long a planned benchmark takes, part by part, and what that leaves out.
func printEstimate(w io.Writer, runs []plan.Run) {
	estimates := plan.Estimates(runs, nil)
	var sum plan.Estimate
	var again time.Duration
	var noLayout, noEnd []string
	for i := range runs {
		e := estimates[runs[i].Name]
		sum.Preconditioning += e.Preconditioning
		sum.Layout, sum.Measuring, sum.Overhead = sum.Layout+e.Layout, sum.Measuring+e.Measuring, sum.Overhead+e.Overhead
		if e.LayoutAlone {
			again += e.Layout
		}
		sum.AtMost = sum.AtMost || e.AtMost
		sum.MayEndSooner = sum.MayEndSooner || e.MayEndSooner
		if e.LayoutUnknown {
			noLayout = appendNew(noLayout, runs[i].Target.Name)
		}
		switch {
		case e.MeasuringUnknown && e.MayEndSooner:
			sum.MeasuringUnknown = true
		case e.MeasuringUnknown:
			noEnd = appendNew(noEnd, runs[i].Target.Name)
		}
	}
	about := "about"
	switch {
	case len(noLayout)+len(noEnd) > 0 || sum.MeasuringUnknown:
		about = "at least"
	case sum.AtMost:
		about = "at most"
	case sum.MayEndSooner:
		about = "up to"
	}
	fmt.Fprintf(w, "\nEstimated time: %s %s\n", about, inSeconds(sum.Total()))
	for _, part := range []struct {
		takes time.Duration
		what  string
	}{
		{sum.Measuring, "fio measures"},
		{sum.Layout - again, "test files are written, before the first run on a target, at the limits of its storage"},
		{again, "test files are written, before each run that deletes them (unlink, filedelete), at the limits of its storage"},
		{sum.Preconditioning, "targets are written in full (precondition), before they are measured, at the limits of their storage"},
		{sum.Overhead, "pods start and report"},
	} {
		if part.takes > 0 {
			fmt.Fprintf(w, "  %-9s %s\n", inSeconds(part.takes), part.what)
		}
	}
	printCreditCosts(w, plan.PreconditionCosts(runs))
	fmt.Fprintln(w, "Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.")
	if sum.MayEndSooner {
		fmt.Fprintln(w, "Runs that create, look up or delete files end with the last file. No limit tells how long that takes.")
	}
	if sum.AtMost {
		fmt.Fprintln(w, "A search for the highest load makes as many runs as it needs, most often half of the most.")
	}
	printUnknown(w, noLayout, "writing test files")
	printUnknown(w, noEnd, "runs that end by size")
}

// printUnknown tells on which targets nothing is known of how long something takes.
func printUnknown(w io.Writer, targets []string, what string) {
	if len(targets) > 0 {
		fmt.Fprintf(w, "Not known: %s on %s. The spec does not tell what limits or files there are.\n", what, strings.Join(targets, ", "))
	}
}

// inSeconds prints a time in whole seconds, such as 1m30s, of which a part counts as one.
func inSeconds(d time.Duration) string {
	return (d + time.Second - 1).Truncate(time.Second).String()
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// printCreditCosts prints what preconditioning takes of burst credits.
func printCreditCosts(w io.Writer, costs []plan.CreditCost) {
	for _, c := range costs {
		unit := "I/O credits"
		if c.Bytes {
			unit = "bytes of credit"
		}
		if c.Credits > c.Of {
			fmt.Fprintf(w, "Preconditioning uses more than all %s %s of a volume of target %s. What is measured then may have none.\n", humanize.Significant(c.Of), unit, c.Target)
			continue
		}
		fmt.Fprintf(w, "Preconditioning uses %s of the %s %s of a volume of target %s, less what comes back meanwhile.\n",
			humanize.Significant(c.Credits), humanize.Significant(c.Of), unit, c.Target)
	}
}
