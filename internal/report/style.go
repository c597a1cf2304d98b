package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Mark says in one word of fixed width whether a run that has ended has a result.
func Mark(run *v1alpha1.Run, style Style) string {
	if run.State == v1alpha1.RunSucceeded {
		return style.paint(text.FgGreen, "ok") + "    "
	}
	return style.paint(text.FgRed, "FAILED")
}

// Style is how something is printed. The zero value is for files, pipes and programs: all of it, in plain ASCII.
type Style struct {
	// Color says whether verdicts, failures and warnings are coloured.
	Color bool
	// Unicode says whether characters beyond ASCII may be printed, such as ±.
	Unicode bool
	// Width is the number of columns that there are; 0 if there is no end.
	Width int
}

// paint colours a text.
func (s Style) paint(color text.Color, what string) string {
	if !s.Color || what == "" {
		return what
	}
	return text.Escape(what, color.EscapeSeq())
}

// verdict colours a verdict: what is better green, what is worse red.
func (s Style) verdict(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictFaster:
		return s.paint(text.FgGreen, string(v))
	case v1alpha1.VerdictSlower:
		return s.paint(text.FgRed, string(v))
	default:
		return string(v)
	}
}

// warning colours what may mislead, or did not come about.
func (s Style) warning(what string) string { return s.paint(text.FgYellow, what) }

// plusMinus is the sign before a deviation.
func (s Style) plusMinus() string {
	if s.Unicode {
		return "±"
	}
	return "+-"
}

// Ellipsis stands for what was left out.
func (s Style) Ellipsis() string {
	if s.Unicode {
		return "…"
	}
	return "~"
}

// Wrap breaks prose between words where the width ends, each line but the first behind an indent.
func (s Style) Wrap(prose, indent string) string {
	if s.Width <= len(indent) {
		return prose
	}
	lines := strings.Split(text.WrapSoft(prose, s.Width-len(indent)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"+indent)
}
