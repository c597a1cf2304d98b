package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// printAnswers prints the answers that a spec asks for, and an empty line behind them: how many expectations are met and
// which are not, and what each search found.
func printAnswers(w io.Writer, sb *v1alpha1.StorageBenchmark, style Style) {
	var lines []string
	if findings := expectation.Told(sb); len(findings) > 0 {
		lines = append([]string{wording.Met(findings)}, unmet(findings, style)...)
	}
	lines = append(lines, wording.Searches(sb.Status.Searches)...)
	if len(lines) == 0 {
		return
	}
	for _, line := range lines {
		fmt.Fprintln(w, style.Wrap(line, "  "))
	}
	fmt.Fprintln(w)
}

// unmet returns a line for each expectation that is missed or undecided.
func unmet(findings []expectation.Finding, style Style) []string {
	var lines []string
	for i := range findings {
		if f := &findings[i]; f.Verdict != expectation.Met {
			lines = append(lines, style.warning(f.Answer()+":")+" "+humanize.Line(f.String()))
		}
	}
	return lines
}

// verdictWords are what check says of storage, the worst first, by the verdicts of its answers.
var verdictWords = []struct{ verdict, words string }{
	{answerNo, "Not good enough"}, {answerUndecided, "Undecided"}, {answerUnmeasured, "Not measured"}, {answerYes, "Good enough"},
}

// checked sums up the answers to a check in one sentence, such as "Not good enough: etcd.v1 on gp2. Good enough: etcd.v1
// on gp3."
func checked(all []answer) string {
	var sentences []string
	for _, v := range verdictWords {
		var subjects []string
		for _, a := range all {
			if len(a.expected) > 0 && a.word() == v.verdict {
				subjects = append(subjects, a.subject())
			}
		}
		if len(subjects) > 0 {
			sentences = append(sentences, v.words+": "+strings.Join(subjects, ", ")+".")
		}
	}
	if len(sentences) == 0 {
		return "Nothing was judged: no public document of these applications names a figure that would be good enough."
	}
	return strings.Join(sentences, " ")
}

// subject names a preset, with one choice of its matrix, and the storage.
func (a *answer) subject() string {
	return strings.Join(strings.Fields(a.preset+" "+a.parameters+" "+a.section), " ") + " on " + a.target
}
