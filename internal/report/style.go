package report

import (
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

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

// wrap breaks prose between words where the width ends, each line but the first behind an indent.
func (s Style) wrap(prose, indent string) string {
	if s.Width <= len(indent) {
		return prose
	}
	lines := strings.Split(text.WrapSoft(prose, s.Width-len(indent)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"+indent)
}

// Harmless is a text from a cluster without what a terminal acts on, and with its lines and columns.
func Harmless(what string) string { return strings.Map(HarmlessRune, what) }

// HarmlessRune returns a character that may be printed: escapes and other control characters could do anything to a
// terminal, those that turn the direction of a text or are not seen mislead its reader. What stands for them shows that there was something.
func HarmlessRune(r rune) rune {
	if r == '\n' || r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
