package export

import (
	"fmt"
	"io"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/compare"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// PairJUnit prints a comparison as JUnit does: a test for each figure of the second benchmark that has a verdict. A slower
// one is a failure, and an unknown one is skipped: see Unknown.
func PairJUnit(w io.Writer, p *compare.Pair) error {
	suite := junit.Testsuite{Name: fmt.Sprintf("%s beside %s", p.Labels[1], p.Labels[0])}
	names := uniqueNames{}
	for _, j := range p.Judged() {
		test := junit.Testcase{Classname: "compare", Name: names.of(j.Subject)}
		switch j.Worst() {
		case v1alpha1.VerdictSlower:
			test.Failure = problem(string(v1alpha1.VerdictSlower), j.InWords())
		case v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictNotShown:
			test.Skipped = problem(string(j.Worst()), j.InWords())
		default:
			test.SystemOut = &junit.Output{Data: wording.Harmless(j.InWords())}
		}
		suite.AddTestcase(test)
	}
	for _, missing := range p.Missing() {
		suite.AddTestcase(junit.Testcase{Classname: "compare", Name: names.of(wording.Harmless(missing)), Skipped: problem("Missing", missing)})
	}
	return writeJUnit(w, suite)
}
