package plugin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
)

// synced returns a run of etcd's preset whose syncs took so long.
func synced(target string, p99 int64) v1alpha1.Run {
	run := ended(target, 400)
	run.Name, run.Workload = "etcd."+target, "etcd"
	run.Result.Sync = &v1alpha1.SyncResult{Count: 10_000, MeanNanoseconds: p99 / 4, Latency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}}
	return run
}

// judged adds what the operator says of the results.
func judged(sb *v1alpha1.StorageBenchmark) func(*v1alpha1.StorageBenchmarkStatus) {
	return func(status *v1alpha1.StorageBenchmarkStatus) {
		kind := v1alpha1.ConditionExpectationsMet
		if outcome, reason, message, expected := expectation.Condition(expectation.Judge(&sb.Spec, status)); expected {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: kind, Status: outcome, Reason: reason, Message: message})
		}
	}
}

// The exit code is the answer, for pipelines, and the table is the one for people.
func TestCheck(t *testing.T) {
	t.Parallel()
	const head = "PRESET   TARGET  GOOD ENOUGH"
	lost := failed("gp3", "no space")
	lost.Name, lost.Workload = "etcd.gp3", "etcd"
	for name, test := range map[string]struct {
		args   []string
		reason string
		runs   []v1alpha1.Run
		code   int
		table  string
		notes  string
	}{
		"good enough":  {nil, v1alpha1.ReasonCompleted, []v1alpha1.Run{synced("gp3", 2_000_000)}, 0, "etcd.v1 gp3 yes fdatasync p99 2 ms, write IOPS 400 at most 10 ms, at least 50", ""},
		"not":          {nil, v1alpha1.ReasonCompleted, []v1alpha1.Run{synced("gp3", 14_000_000)}, 2, "etcd.v1 gp3 no fdatasync p99 14 ms, write IOPS 400 at most 10 ms, at least 50", "etcd on gp3: fdatasync p99 14 ms, expected at most 10 ms; 1 of 1 run"},
		"one of two":   {[]string{"--class", "gp2"}, v1alpha1.ReasonRunFailed, []v1alpha1.Run{lost, synced("gp2", 14_000_000)}, 2, "etcd.v1 gp2 no fdatasync p99 14 ms, write IOPS 400 at most 10 ms, at least 50", "1 of 4 expectations not met: etcd on gp2: fdatasync p99 14 ms"},
		"not measured": {nil, v1alpha1.ReasonRunFailed, []v1alpha1.Run{lost}, 1, "etcd.v1 gp3 not measured", "RunFailed: 1 of 1 runs failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			plugin := u.start(t, append([]string{"check", "--class", "gp3", "--preset", "etcd"}, test.args...)...)
			sb := u.only(t)
			if diff := cmp.Diff([]v1alpha1.Workload{{Name: "etcd", Preset: new("etcd.v1")}}, sb.Spec.Workloads); diff != "" || !strings.HasPrefix(sb.Name, "check-") {
				t.Errorf("%s has workloads (-want +got):\n%s", sb.Name, diff)
			}
			u.set(t, sb, test.reason, "1 of 1 runs failed", runs("1/1", test.runs...), judged(sb))
			if code := plugin.end(t); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			table := strings.Join(strings.Fields(plugin.out.String()), " ")
			if !strings.HasPrefix(plugin.out.String(), head) || !strings.Contains(table, test.table) {
				t.Errorf("%q is not in:\n%s", test.table, &plugin.out)
			}
			if notes := plugin.notes.String(); !strings.Contains(notes, test.notes) || !strings.Contains(notes, "Estimated time: ") {
				t.Errorf("%q is not in:\n%s", test.notes, notes)
			}
		})
	}
}

// A run fails on what is expected only where it is told to.
func TestRunFailsOnExpectations(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: expecting}
spec:
  targets: [{name: gp3, storageClassName: gp3}]
  workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}}]
  expectations: [{metric: write.iops, min: 1000}]
`
	for name, test := range map[string]struct {
		flags []string
		iops  int64
		code  int
	}{
		"met":                  {[]string{"--fail-on-expectations"}, 1000, 0},
		"missed":               {[]string{"--fail-on-expectations"}, 999, 2},
		"missed and not asked": {nil, 999, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			plugin := u.start(t, append([]string{"run", "-f", writeFile(t, text)}, test.flags...)...)
			sb := u.only(t)
			u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", test.iops)), judged(sb))
			if code := plugin.end(t); code != test.code {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, &plugin.notes)
			}
		})
	}
}
