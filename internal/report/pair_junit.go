package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// JUnit prints a comparison as JUnit does: a test for each row of the table that is about the second benchmark. What is slower is a
// failure. What could not be told, or has no counterpart, is skipped.
func (p *Pair) JUnit(w io.Writer) error {
	suite := junit.Testsuite{Name: fmt.Sprintf("%s beside %s", p.Labels[1], p.Labels[0])}
	names := uniqueNames{}
	for _, r := range p.judgedRows() {
		test := junit.Testcase{Classname: "compare", Name: names.of(r.subject())}
		switch r.figures.Verdict {
		case v1alpha1.VerdictSlower:
			test.Failure = problem(string(r.figures.Verdict), r.compared())
		case v1alpha1.VerdictTooFewRuns:
			test.Skipped = problem(string(r.figures.Verdict), r.compared())
		default:
			test.SystemOut = &junit.Output{Data: Harmless(r.compared())}
		}
		suite.AddTestcase(test)
	}
	for _, missing := range p.withoutCounterpart() {
		suite.AddTestcase(junit.Testcase{Classname: "compare", Name: names.of(Harmless(missing)), Skipped: problem("NoCounterpart", missing)})
	}
	suites := junit.Testsuites{Name: "storagebench"}
	suites.AddSuite(suite)
	if _, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

// Slower returns what of the second benchmark is slower than of the first, such as "randwrite bs=16k on gp3: writes".
func (p *Pair) Slower() []string {
	var slower []string
	for _, r := range p.judgedRows() {
		if r.figures.Verdict == v1alpha1.VerdictSlower {
			slower = append(slower, r.subject())
		}
	}
	return slower
}

// Undecided returns what could be slower as well, because there were too few runs to tell.
func (p *Pair) Undecided() []string {
	var undecided []string
	for _, r := range p.judgedRows() {
		if r.figures.Verdict == v1alpha1.VerdictTooFewRuns {
			undecided = append(undecided, r.subject())
		}
	}
	return undecided
}

// judgedRows returns the rows of the second benchmark that have a verdict.
func (p *Pair) judgedRows() []row {
	var judged []row
	for _, r := range p.rows() {
		if r.figures != nil && r.figures.Verdict != "" {
			judged = append(judged, r)
		}
	}
	return judged
}

// subject names what a row is about.
func (r *row) subject() string {
	return Harmless(strings.TrimSpace(r.workload+" "+r.parameters) + " on " + r.target + ": " + r.io)
}

// compared says in words how a row compares with the first benchmark.
func (r *row) compared() string {
	text := string(r.figures.Verdict)
	if r.figures.IOPS.Median > 0 {
		text = fmt.Sprintf("%s: %d IOPS", text, r.figures.IOPS.Median)
	}
	if r.figures.IOPSRatio != "" {
		text += fmt.Sprintf(", %sx", r.figures.IOPSRatio)
	}
	return text
}
