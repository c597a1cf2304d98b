package plugin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
)

// TestCancel: a benchmark is cancelled by its spec, and what it has measured is printed when the operator has ended it.
// One that has ended cannot be cancelled.
func TestCancel(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if code, _, notes := u.run(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "long", "--wait=false"); code != 0 {
		t.Fatal(notes)
	}
	plugin := u.start(t, "cancel", "long")
	await.Holds(t, plugin.hasPrinted("storagebenchmark.storagebench.dev/long cancelled"))
	sb := u.only(t)
	if sb.Spec.Cancel == nil || !*sb.Spec.Cancel {
		t.Fatalf("spec.cancel is %v", sb.Spec.Cancel)
	}
	u.set(t, sb, v1alpha1.ReasonCancelled, "spec.cancel is true", runs("1/2", ended("gp3", 3000), waiting("gp2")), compared)
	if code := plugin.end(t); code != 0 || !strings.Contains(plugin.out.String(), "3000") {
		t.Errorf("exit code %d:\n%s%s", code, &plugin.out, &plugin.notes)
	}
	if code, _, notes := u.run(t, "cancel", "long"); code != 1 || !strings.Contains(notes, "there is nothing to cancel") {
		t.Errorf("once more: exit code %d:\n%s", code, notes)
	}
}

// TestRerun: what a benchmark has measured is measured again in a new one.
func TestRerun(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if code, _, notes := u.run(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "first", "--wait=false"); code != 0 {
		t.Fatal(notes)
	}
	if code, _, notes := u.run(t, "rerun", "first", "--name", "second", "--wait=false"); code != 0 || notes != "storagebenchmark.storagebench.dev/second created\n" {
		t.Errorf("exit code %d:\n%s", code, notes)
	}
	code, out, notes := u.run(t, "list", "-o", "json")
	var list v1alpha1.StorageBenchmarkList
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Items) != 2 || list.Items[0].Kind != "StorageBenchmark" {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, notes)
	}
}

// TestVersion: an API server without an operator is told apart from one whose version is unknown.
func TestVersion(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, notes := u.run(t, "version")
	if code != 0 || !strings.HasPrefix(out, "plugin:    ") || !strings.Contains(out, "no operator was found") || !strings.Contains(out, "was not installed by the chart") {
		t.Errorf("exit code %d:\n%s%s", code, out, notes)
	}
	code, out, _ = u.run(t, "version", "--client", "-o", "json")
	var found struct{ Plugin string }
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 || found.Plugin == "" {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
}
