package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// JUnit prints a comparison as JUnit does: a test for each row of the table that is about the second benchmark. A slower row is a
// failure, and an unknown one is skipped: see Unknown.
func (p *Pair) JUnit(w io.Writer) error {
	suite := junit.Testsuite{Name: fmt.Sprintf("%s beside %s", p.Labels[1], p.Labels[0])}
	names := uniqueNames{}
	for _, r := range p.judgedRows() {
		test := junit.Testcase{Classname: "compare", Name: names.of(r.subject())}
		switch r.worst() {
		case v1alpha1.VerdictSlower:
			test.Failure = problem(string(v1alpha1.VerdictSlower), r.compared())
		case v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictNotShown:
			test.Skipped = problem(string(r.worst()), r.compared())
		default:
			test.SystemOut = &junit.Output{Data: Harmless(r.compared())}
		}
		suite.AddTestcase(test)
	}
	for _, missing := range p.missing() {
		suite.AddTestcase(junit.Testcase{Classname: "compare", Name: names.of(Harmless(missing)), Skipped: problem("Missing", missing)})
	}
	return writeJUnit(w, suite)
}

// Slower returns what of the second benchmark is slower than of the first, such as "randwrite bs=16k on gp3: write".
func (p *Pair) Slower() []string {
	return p.subjects(v1alpha1.VerdictSlower)
}

// Unknown returns what could be slower as well, for all that is known: too few runs or too much noise to tell, results that one of
// the two lacks, and benchmarks that have not measured all.
func (p *Pair) Unknown() []string {
	return append(p.subjects(v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictNotShown), p.missing()...)
}

// subjects returns what the rows with one of the verdicts are about.
func (p *Pair) subjects(verdicts ...v1alpha1.Verdict) []string {
	var subjects []string
	for _, r := range p.judgedRows() {
		if slices.Contains(verdicts, r.worst()) {
			subjects = append(subjects, r.subject())
		}
	}
	return subjects
}

// missing says what there is no verdict on.
func (p *Pair) missing() []string {
	missing := p.withoutCounterpart()
	for i, sb := range p.Benchmarks {
		if text := incomplete(&sb.Status, p.Labels[i]); text != "" {
			missing = append(missing, text)
		}
		if len(sb.Status.Conditions) > 0 && !sb.Status.HasEnded() {
			missing = append(missing, p.Labels[i]+" has not ended")
		}
	}
	return missing
}

// judgedRows returns the rows of the second benchmark that have a verdict.
func (p *Pair) judgedRows() []row {
	var judged []row
	for _, r := range p.rows() {
		if r.figures != nil && r.figures.Verdict() != "" {
			judged = append(judged, r)
		}
	}
	return judged
}

// worst returns the verdict on a row, which is Slower also if a latency is.
func (r *row) worst() v1alpha1.Verdict {
	f := r.figures
	for _, latency := range []*v1alpha1.Statistic{f.MeanNanoseconds, f.P50Nanoseconds, f.P90Nanoseconds, f.P99Nanoseconds} {
		if latency != nil && latency.Verdict == v1alpha1.VerdictSlower {
			return v1alpha1.VerdictSlower
		}
	}
	return f.Verdict()
}

// subject names what a row is about.
func (r *row) subject() string {
	return Harmless(strings.TrimSpace(r.workload+" "+r.parameters) + " on " + r.target + ": " + r.io)
}

// compared says in words how a row compares with the first benchmark.
func (r *row) compared() string {
	text := string(r.worst())
	if iops := r.figures.IOPS(); iops != nil && iops.Median > 0 {
		text = fmt.Sprintf("%s: %d IOPS", text, iops.Median)
	}
	if r.figures.MilliIOPS.Multiple() != "" {
		text += fmt.Sprintf(", %sx", r.figures.MilliIOPS.Multiple())
	}
	if r.figures.P99Nanoseconds.Multiple() != "" {
		text += fmt.Sprintf(", p99 %sx", r.figures.P99Nanoseconds.Multiple())
	}
	return text
}
