package crash

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// timesAside is what differs between two that are the same: when they were made.
var timesAside = cmp.Options{
	cmpopts.IgnoreFields(v1alpha1.StorageBenchmarkStatus{}, "StartTime", "CompletionTime"),
	cmpopts.IgnoreFields(v1alpha1.Run{}, "StartTime", "CompletionTime", "AgreedStart"),
	cmpopts.IgnoreFields(v1alpha1.AbandonedAttempt{}, "StartTime", "CompletionTime"),
	cmpopts.IgnoreFields(v1alpha1.Anchor{}, "StartTime"),
	cmpopts.IgnoreFields(v1alpha1.TargetStatus{}, "ProvisionedMilliseconds"),
	cmpopts.IgnoreFields(v1alpha1.ClaimStatus{}, "UID"),
	cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime"),
}

// uid is that of any object, and took the time that a benchmark took, in the message of a condition.
var (
	uid  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	took = regexp.MustCompile(` in ([0-9]+[hms])+(["; ])`)
)

// normalize replaces what differs between two playings of a benchmark: UIDs, the hashes of them in names, and how long
// it took. It checks that all times are there, because they are not compared.
func normalize(t *testing.T, sb *v1alpha1.StorageBenchmark) v1alpha1.StorageBenchmarkStatus {
	t.Helper()
	checkTimes(t, &sb.Status)
	encoded, err := json.Marshal(sb.Status)
	if err != nil {
		t.Fatal(err)
	}
	text := uid.ReplaceAllString(string(encoded), "UID")
	text = hash.ReplaceAllString(text, "-HASH")
	text = took.ReplaceAllString(text, ` in TIME$2`)
	text = strings.ReplaceAll(text, sb.Namespace, "NAMESPACE")
	var status v1alpha1.StorageBenchmarkStatus
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		t.Fatal(err)
	}
	return status
}

func checkTimes(t *testing.T, status *v1alpha1.StorageBenchmarkStatus) {
	t.Helper()
	times := map[string]*metav1.Time{"the benchmark's start": status.StartTime, "the benchmark's end": status.CompletionTime}
	for i := range status.Runs {
		run := &status.Runs[i]
		times["the start of run "+run.Name], times["the end of run "+run.Name] = run.StartTime, run.CompletionTime
		if run.Clients > 1 && run.AgreedStart == nil {
			t.Errorf("run %s has no agreed start", run.Name)
		}
	}
	for i := range status.AbandonedAttempts {
		attempt := &status.AbandonedAttempts[i]
		times["the start of an attempt of "+attempt.Run], times["the end of an attempt of "+attempt.Run] = attempt.StartTime, attempt.CompletionTime
	}
	for what, at := range times {
		if at.IsZero() {
			t.Errorf("%s is unknown", what)
		}
	}
}

// check compares what became of a benchmark with what becomes of it undisturbed.
func check(t *testing.T, undisturbed, disturbed played) {
	t.Helper()
	if diff := cmp.Diff(undisturbed.outcome, disturbed.outcome, timesAside); diff != "" {
		t.Errorf("(-undisturbed +disturbed):\n%s", diff)
	}
}
