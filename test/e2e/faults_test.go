//go:build e2e

package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/faulttable"
)

const (
	// faultsPage is what users read about faults. Its tables are what these tests observe.
	faultsPage = "../../docs/contributing/faults.md"
	// updateFaults is the variable that has the page rewritten, if it is 1, instead of compared. Rows of tests that
	// were not run stay.
	updateFaults = "STORAGEBENCH_UPDATE_FAULTS"
)

// The sections of the page.
const (
	faultsOfWorkload     = "Runs, volumes and objects"
	faultsOfNodes        = "Nodes"
	faultsOfControlPlane = "Operator and control plane"
)

// fault is something that goes wrong while a benchmark is active, and what is expected of it. A test of a fault is
//
//	f := begin(t, &fault{section: faultsOfNodes, name: "...", does: "...", sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: time.Minute})
//	sb := benchmark(...)
//	create(t, sb)
//	...
//	f.strike()            // the clock begins to run; then do the damage
//	f.see(t, sb, "text")  // waits for the reason f.sees with the text in its message, and keeps the message
//	done := f.end(t, sb)  // waits for the end, whose reason must be f.ends, in time and with nothing left
//
// When the test ends well, and after its benchmark was removed without a trace, the row is compared with the page.
// begin must so come before create.
type fault struct {
	section string
	// name is what goes wrong, in few words. With the section it is the row's key.
	name string
	// does is what the test does to make it go wrong.
	does string
	// sees is the reason of condition Succeeded while the fault lasts; empty if the user sees nothing of it.
	sees string
	// ends is the reason at the end, or "" for a benchmark that is deleted.
	ends string
	// bound is how long after strike the end must have come.
	bound time.Duration
	// attempts is how often each run may be made, if that is not the same each time. The test must check that itself.
	attempts string
	// leaves is what remains in the cluster, if it is not nothing. The test must check that itself.
	leaves string

	struck   time.Time
	observed *faulttable.Row
}

// begin begins to observe a fault. The test's benchmarks are to be created later, so that they are removed before the
// row is kept.
func begin(t *testing.T, f *fault) *fault {
	t.Helper()
	left := f.leaves
	if left == "" {
		left = "nothing"
	}
	f.observed = &faulttable.Row{Section: f.section, Fault: f.name, Done: f.does, Bound: fmt.Sprintf("%.0f s", f.bound.Seconds()), Left: left}
	t.Cleanup(func() {
		switch {
		case t.Failed() || t.Skipped():
		case f.observed.End == "":
			t.Errorf("fault %q was begun and its end was not observed", f.name)
		default:
			faults.keep(t, *f.observed)
		}
	})
	return f
}

// strike says that the fault is made now: its time begins to run.
func (f *fault) strike() { f.struck = time.Now() }

// see waits until the benchmark gives the fault's reason, with all of the texts in its message, which is kept: later
// calls keep what is seen later as well.
func (f *fault) see(t *testing.T, sb *v1alpha1.StorageBenchmark, texts ...string) *v1alpha1.StorageBenchmark {
	t.Helper()
	return f.seeReason(t, sb, f.sees, texts...)
}

// seeReason is see for another reason than the fault's, where a user sees several in turn.
func (f *fault) seeReason(t *testing.T, sb *v1alpha1.StorageBenchmark, reason string, texts ...string) *v1alpha1.StorageBenchmark {
	t.Helper()
	seen := untilWithin(t, sb, max(f.bound, patienceWith(sb)), fmt.Sprintf("reason %s with %q", reason, texts), func(sb *v1alpha1.StorageBenchmark) bool {
		c := succeeded(sb)
		return c.Reason == reason && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(c.Message, text) })
	})
	if f.observed.Seen != "" {
		f.observed.Seen += "; then "
	}
	f.observed.Seen += describeCondition(seen)
	return seen
}

// end waits for the benchmark's end, which must have the fault's reason and all of the texts in its message, come in
// time, and leave nothing.
func (f *fault) end(t *testing.T, sb *v1alpha1.StorageBenchmark, texts ...string) *v1alpha1.StorageBenchmark {
	t.Helper()
	done := untilWithin(t, sb, max(f.bound, patienceWith(sb)), "the benchmark's end", ended)
	f.inTime(t)
	c := succeeded(done)
	if c.Reason != f.ends {
		t.Fatalf("Succeeded = %s %s, want %s: %s", c.Status, c.Reason, f.ends, c.Message)
	}
	for _, text := range texts {
		if !strings.Contains(c.Message, text) {
			t.Errorf("message %q lacks %q", c.Message, text)
		}
	}
	checkSignals(t, done)
	if f.leaves == "" {
		checkCleanedUp(t, done)
	}
	f.observed.End = describeCondition(done)
	f.observed.Attempts = cmp.Or(f.attempts, describeAttempts(done))
	return done
}

// gone deletes the benchmark, which must be gone in time and leave nothing.
func (f *fault) gone(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	remove(t, sb)
	f.inTime(t)
	f.observed.End = "the benchmark is gone"
}

func (f *fault) inTime(t *testing.T) {
	t.Helper()
	if f.struck.IsZero() {
		t.Fatalf("fault %q has ended and was never struck", f.name)
	}
	took := time.Since(f.struck).Round(100 * time.Millisecond)
	t.Logf("%s: the end came %s later", f.name, took)
	if took > f.bound {
		t.Errorf("the end came %s after the fault, and its bound is %s", took, f.bound)
	}
}

// describeCondition returns the reason and message of condition Succeeded, without what differs each time.
func describeCondition(sb *v1alpha1.StorageBenchmark) string {
	c := succeeded(sb)
	if c.Status == metav1.ConditionTrue { // whose message has figures that differ
		c = sb.Status.Condition(v1alpha1.ConditionMeasured)
	}
	return fmt.Sprintf("%#q: %s", c.Reason, stable(sb, c.Message))
}

// stable replaces what differs in messages from one time to the next, as do names of objects and nodes.
func stable(sb *v1alpha1.StorageBenchmark, message string) string {
	child := regexp.MustCompile(`\b` + regexp.QuoteMeta(sb.Name) + `(-[a-z0-9]+)*?-[0-9a-f]{8}(-[a-z0-9]{5})?\b`)
	names := map[string]string{sb.Namespace: "NAMESPACE"}
	for _, node := range nodeNames {
		names[node] = "NODE"
	}
	for i := range sb.Status.Targets {
		for _, volume := range sb.Status.Targets[i].Volumes {
			names[volume.Handle] = "VOLUME"
		}
	}
	return faulttable.Normalise(child.ReplaceAllString(message, "NAME"), names)
}

// describeAttempts returns how often each run was made, and how often it was disrupted.
func describeAttempts(sb *v1alpha1.StorageBenchmark) string {
	var texts []string
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		text := fmt.Sprint(run.Attempts)
		if run.Disruptions > 0 {
			text += fmt.Sprintf(" (%d disrupted)", run.Disruptions)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// faultsObserved are the rows of all tests that were run.
type faultsObserved struct {
	sync.Mutex
	rows []faulttable.Row
}

var faults faultsObserved

// keep compares a row with the page, unless the page is to be rewritten.
func (o *faultsObserved) keep(t *testing.T, row faulttable.Row) {
	t.Helper()
	o.Lock()
	defer o.Unlock()
	o.rows = append(o.rows, row)
	if os.Getenv(updateFaults) == "1" {
		return
	}
	page, err := faulttable.Load(faultsPage)
	if err != nil {
		t.Fatal(err)
	}
	if difference := page.Difference(row); difference != "" {
		t.Errorf("docs/contributing/faults.md does not say what was observed; if it should, run this test with %s=1\n%s", updateFaults, difference)
	}
}

// conclude rewrites the page if asked to. Otherwise, if all tests were run and went well, the page may have no row that
// none of them has produced.
func (o *faultsObserved) conclude(good bool) error {
	page, err := faulttable.Load(faultsPage)
	if err != nil {
		return err
	}
	complete := good && !isSelection()
	produced := func(row faulttable.Row) bool {
		return slices.ContainsFunc(o.rows, func(r faulttable.Row) bool { return r.Section == row.Section && r.Fault == row.Fault })
	}
	if os.Getenv(updateFaults) == "1" {
		for _, row := range o.rows {
			page.Set(row)
		}
		if complete {
			page.Remove(produced)
		}
		return os.WriteFile(faultsPage, []byte(page.String()), 0o644)
	}
	for _, row := range page.Rows() {
		if complete && !produced(row) {
			return fmt.Errorf("docs/contributing/faults.md has row %q in section %q, which no test produces", row.Fault, row.Section)
		}
	}
	return nil
}

// isSelection says whether only some of the tests are run.
func isSelection() bool {
	return slices.ContainsFunc([]string{"test.run", "test.skip", "test.list"}, func(name string) bool {
		f := flag.Lookup(name)
		return f != nil && f.Value.String() != ""
	})
}
