package export

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// JUnit prints a report as JUnit does, of which CI systems show what fails: a suite with a test for the benchmark as a whole, one for each
// run, and one for each expectation. What is not as expected is a failure, what could not be measured an error, and what has not ended is
// skipped, while the benchmark as a whole is an error until it has ended. Names stay the same from one benchmark to the next, so that
// a system can tell what a test did before.
func JUnit(w io.Writer, sb *v1alpha1.StorageBenchmark) error {
	suite := junit.Testsuite{Name: sb.Name, Package: sb.Namespace, Time: seconds(sb.Status.StartTime, sb.Status.CompletionTime)}
	if sb.Status.StartTime != nil {
		suite.SetTimestamp(sb.Status.StartTime.UTC())
	}
	suite.AddTestcase(wholeTest(sb))
	for i := range sb.Status.Runs {
		suite.AddTestcase(runTest(sb.Name, &sb.Status.Runs[i]))
	}
	findings := expectation.Told(sb)
	names := uniqueNames{}
	for i := range findings {
		test := expectationTest(sb.Name, &findings[i])
		test.Name = names.of(test.Name)
		suite.AddTestcase(test)
	}
	if test, differs := toldTest(sb, findings); differs {
		suite.AddTestcase(test)
	}
	return writeJUnit(w, suite)
}

// writeJUnit prints a suite as a document of its own.
func writeJUnit(w io.Writer, suite junit.Testsuite) error {
	suites := junit.Testsuites{Name: "storagebench"}
	suites.AddSuite(suite)
	if _, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

// uniqueNames counts names. Systems take two tests of one name for one test, of which they show the last.
type uniqueNames map[string]int

// of returns a name that was not returned before: such as it is, or with its number.
func (u uniqueNames) of(name string) string {
	u[name]++
	if u[name] == 1 {
		return name
	}
	return u.of(fmt.Sprintf("%s (%d)", name, u[name]))
}

// wholeTest says whether the benchmark has ended and measured. That runs failed is told by their tests, where there are such.
func wholeTest(sb *v1alpha1.StorageBenchmark) junit.Testcase {
	test := junit.Testcase{Classname: sb.Name, Name: "benchmark"}
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	switch {
	case succeeded.Status == "":
		test.Error = problem("NotBegun", "no operator has taken the benchmark up")
	case succeeded.Status == metav1.ConditionUnknown:
		test.Error = problem("NotEnded", fmt.Sprintf("the benchmark goes on: %s: %s", succeeded.Reason, succeeded.Message))
	case succeeded.Status == metav1.ConditionFalse && (succeeded.Reason != v1alpha1.ReasonRunFailed || cases.CountState(sb, v1alpha1.RunFailed) == 0):
		test.Error = problem(succeeded.Reason, succeeded.Message)
	}
	return test
}

// runTest says whether a run has a result.
func runTest(benchmark string, run *v1alpha1.Run) junit.Testcase {
	test := junit.Testcase{Classname: benchmark + ".runs", Name: run.Name, Time: seconds(run.StartTime, run.CompletionTime)}
	switch run.State {
	case v1alpha1.RunSucceeded:
		test.SystemOut = &junit.Output{Data: wording.Harmless(wording.Outcome(run))}
	case v1alpha1.RunFailed:
		test.Error = problem(string(run.State), run.Message)
	default:
		test.Skipped = problem(string(run.State), "the run has no result")
	}
	return test
}

// expectationTest says whether results are as expected.
func expectationTest(benchmark string, f *expectation.Finding) junit.Testcase {
	test := junit.Testcase{
		Classname: benchmark + ".expectations",
		Name:      wording.Harmless(fmt.Sprintf("%s: %s %s", f.Subject(), f.Rule.Metric, f.Rule.Expected())),
	}
	switch f.Verdict {
	case expectation.Missed:
		test.Failure = problem(f.Verdict.Name(), f.String())
	case expectation.Unknown:
		test.Error = problem(f.Verdict.Name(), f.String())
	case expectation.Met:
		test.SystemOut = &junit.Output{Data: wording.Harmless(f.String())}
	}
	return test
}

// toldTest is what the operator says of all expectations, where no finding says so: an operator of another version knows other presets.
func toldTest(sb *v1alpha1.StorageBenchmark, findings []expectation.Finding) (junit.Testcase, bool) {
	test := junit.Testcase{Classname: sb.Name, Name: "expectations"}
	told := sb.Status.Condition(v1alpha1.ConditionExpectationsMet)
	has := func(v expectation.Verdict) bool {
		return slices.ContainsFunc(findings, func(f expectation.Finding) bool { return f.Verdict == v })
	}
	switch {
	case told.Status == "" || told.Status == metav1.ConditionTrue:
		return test, false
	case told.Status == metav1.ConditionFalse && !has(expectation.Missed):
		test.Failure = problem(told.Reason, told.Message)
		return test, true
	case told.Status == metav1.ConditionUnknown && !has(expectation.Unknown) && !has(expectation.Missed):
		test.Error = problem(told.Reason, told.Message)
		return test, true
	}
	return test, false
}

// problem is why a test did not pass: the first line of the text is the message, and the whole is what is shown when that is opened.
func problem(kind, text string) *junit.Result {
	text = wording.Harmless(text)
	first, _, _ := strings.Cut(text, "\n")
	return &junit.Result{Type: kind, Message: first, Data: text}
}

// seconds is how long something took, as JUnit has it, 0 if that is not known.
func seconds(from, to *metav1.Time) string {
	var took time.Duration
	if from != nil && to != nil {
		took = to.Sub(from.Time)
	}
	return fmt.Sprintf("%.3f", took.Seconds())
}
