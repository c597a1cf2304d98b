package plugin

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/test/await"
)

// synced returns a run of etcd's preset whose syncs took so long.
func synced(target string, p99 int64) v1alpha1.Run {
	run := ended(target, 400)
	run.Name, run.Workload = "etcd."+target, "etcd"
	run.Result.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: 10_000, Latency: &v1alpha1.Latency{MeanNanoseconds: p99 / 4}, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}})
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
		"good enough":   {nil, v1alpha1.ReasonCompleted, []v1alpha1.Run{synced("gp3", 2_000_000)}, 0, "etcd.v2 gp3 yes fdatasync p99 2 ms, write IOPS 400 at most 10 ms, at least 50", ""},
		"not":           {nil, v1alpha1.ReasonCompleted, []v1alpha1.Run{synced("gp3", 14_000_000)}, 2, "etcd.v2 gp3 no fdatasync p99 14 ms, write IOPS 400 at most 10 ms, at least 50", "etcd on gp3: fdatasync p99 14 ms, expected at most 10 ms; 1 of 1 run"},
		"one of two":    {[]string{"--class", "gp2"}, v1alpha1.ReasonRunFailed, []v1alpha1.Run{lost, synced("gp2", 14_000_000)}, 2, "etcd.v2 gp2 no fdatasync p99 14 ms, write IOPS 400 at most 10 ms, at least 50", "1 of 4 expectations not met: etcd on gp2: fdatasync p99 14 ms"},
		"not measured":  {nil, v1alpha1.ReasonRunFailed, []v1alpha1.Run{lost}, 1, "etcd.v2 gp3 not measured", "RunFailed: 1 of 1 runs failed"},
		"said how sure": {nil, v1alpha1.ReasonCompleted, []v1alpha1.Run{synced("gp3", 2_000_000)}, 0, "Met: etcd on gp3: fdatasync p99 2 ms, expected at most 10 ms; 1 of 1 run meets it, too few for an interval, which needs 6", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			plugin := u.start(t, append([]string{"check", "--class", "gp3", "--preset", "etcd"}, test.args...)...)
			sb := u.only(t)
			if diff := cmp.Diff([]v1alpha1.Workload{{Name: "etcd", Preset: new("etcd.v2")}}, sb.Spec.Workloads); diff != "" || !strings.HasPrefix(sb.Name, "check-") {
				t.Errorf("%s has workloads (-want +got):\n%s", sb.Name, diff)
			}
			u.set(t, sb, test.reason, "1 of 1 runs failed", runs("1/1", test.runs...), judged(sb))
			if code := plugin.end(t); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			table := strings.Join(strings.Fields(plugin.out.String()), " ")
			if !strings.Contains(plugin.out.String(), ".\n\n"+head) || !strings.Contains(table, test.table) {
				t.Errorf("%q is not in:\n%s", test.table, &plugin.out)
			}
			if notes := plugin.notes.String(); !strings.Contains(notes, test.notes) || !strings.Contains(notes, "Estimated time: ") {
				t.Errorf("%q is not in:\n%s", test.notes, notes)
			}
		})
	}
}

// What was asked for by its name is checked, or nothing is.
func TestCheckOfWhatDoesNotWork(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	const s3 = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: bucket}
spec:
  targets: [{name: s3, s3: {bucket: my-bucket, region: eu-central-1}}]
  workloads: [{name: w, fio: {rw: write, size: 1M}}]
`
	code, out, notes := u.run(t, "check", "-f", writeFile(t, s3), "--preset", "etcd,backup")
	if want := "1 of 2 presets that --preset names cannot be checked"; code != 1 || out != "" || !strings.Contains(notes, want) || !strings.Contains(notes, "left out: etcd: ") {
		t.Errorf("exit code %d, printed %q, notes %q, want 1 and %q", code, out, notes, want)
	}
	var all v1alpha1.StorageBenchmarkList
	if err := u.List(t.Context(), &all, client.InNamespace(u.namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("%d benchmarks were made, %v", len(all.Items), err)
	}

	plugin := u.start(t, "check", "-f", writeFile(t, s3), "--thorough")
	sb := u.only(t)
	var measured []v1alpha1.Run
	for i := range sb.Spec.Workloads {
		run := ended("s3", 400)
		run.Name, run.Workload = sb.Spec.Workloads[i].Name+".s3", sb.Spec.Workloads[i].Name
		measured = append(measured, run)
	}
	u.set(t, sb, v1alpha1.ReasonCompleted, "all", runs("1/1", measured...), judged(sb))
	if code := plugin.end(t); code != 1 || !strings.Contains(plugin.notes.String(), "not checked, because it does not work on this storage: etcd, etcd-busy, ") {
		t.Errorf("exit code %d where etcd was left out, and notes:\n%s", code, &plugin.notes)
	}
	if !strings.Contains(plugin.out.String(), "Nothing was judged: ") {
		t.Errorf("it does not say that nothing was judged:\n%s", &plugin.out)
	}
}

// A pipeline does not pass by presets that expect nothing.
func TestCheckThatJudgesNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "check", "--class", "gp3", "--preset", "postgres-wal")
	sb := u.only(t)
	run := ended("gp3", 400)
	run.Name, run.Workload = sb.Spec.Workloads[0].Name+".gp3", sb.Spec.Workloads[0].Name
	u.set(t, sb, v1alpha1.ReasonCompleted, "all", runs("1/1", run), judged(sb))
	if code := plugin.end(t); code != 1 || !strings.Contains(plugin.notes.String(), "nothing is expected of it") || !strings.Contains(plugin.out.String(), "Nothing was judged: ") {
		t.Errorf("exit code %d, want 1:\n%s\n%s", code, &plugin.out, &plugin.notes)
	}
}

// A spec that was refused, and is corrected, is measured now.
func TestRunOfWhatWasCorrected(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	of := func(class string) string {
		return writeFile(t, `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: again}
spec:
  targets: [{name: gp3, storageClassName: `+class+`}]
  workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}}]
  expectations: [{metric: write.iops, min: 1000}]
`)
	}
	plugin := u.start(t, "run", "-f", of("gp2"))
	u.set(t, u.only(t), v1alpha1.ReasonInvalidSpec, "there is no such StorageClass")
	if code := plugin.end(t); code != 1 {
		t.Fatalf("exit code %d where the spec was refused:\n%s", code, &plugin.notes)
	}
	plugin = u.start(t, "run", "-f", of("gp3"))
	var sb *v1alpha1.StorageBenchmark
	await.Holds(t, func() error {
		if sb = u.only(t); sb.Generation < 2 {
			return errors.New("the correction is not applied")
		}
		return nil
	})
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)), judged(sb))
	if code := plugin.end(t); code != 0 || strings.Contains(plugin.notes.String(), "has ended before") {
		t.Errorf("exit code %d, want 0:\n%s", code, &plugin.notes)
	}
}

// A pipeline that uses a name again does not pass by the results of then.
func TestRunOfWhatHadEnded(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	path := writeFile(t, `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: again}
spec:
  targets: [{name: gp3, storageClassName: gp3}]
  workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}}]
  expectations: [{metric: write.iops, min: 1000}]
`)
	plugin := u.start(t, "run", "-f", path)
	sb := u.only(t)
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)), judged(sb))
	if code := plugin.end(t); code != 0 || strings.Contains(plugin.notes.String(), "has ended before") {
		t.Fatalf("exit code %d:\n%s", code, &plugin.notes)
	}
	for _, args := range [][]string{nil, {"--no-fail"}, {"--wait=false"}} {
		code, _, notes := u.run(t, append([]string{"run", "-f", path}, args...)...)
		if code != 1 || !strings.Contains(notes, "again has ended before") || !strings.Contains(notes, "--replace") || !strings.Contains(notes, "rerun again") {
			t.Errorf("with %q: exit code %d:\n%s", args, code, notes)
		}
	}
	replaces := u.start(t, "run", "-f", path, "--replace")
	await.Holds(t, func() error {
		if now := u.only(t); now.UID == sb.UID {
			return errors.New("it is still the first one")
		}
		return nil
	})
	u.set(t, u.only(t), v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 2000)), judged(sb))
	if code := replaces.end(t); code != 0 || !strings.Contains(replaces.notes.String(), "write 2000 IOPS") {
		t.Errorf("exit code %d:\n%s", code, &replaces.notes)
	}
}

// Flags that would print what nobody can read are refused before anything is made.
func TestRunRefusesFlags(t *testing.T) {
	t.Parallel()
	const two = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: first}
spec: {targets: [{name: gp3, storageClassName: gp3}], workloads: [{name: w, fio: {rw: write, size: 1M}}]}
---
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: second}
spec: {targets: [{name: gp3, storageClassName: gp3}], workloads: [{name: w, fio: {rw: write, size: 1M}}]}
`
	u := newUser(t)
	path := writeFile(t, two)
	for want, args := range map[string][]string{
		"-o junit is a document about one StorageBenchmark, and t": {"-f", path, "-o", "junit"},
	} {
		if code, _, notes := u.run(t, append([]string{"run"}, args...)...); code != 1 || !strings.Contains(notes, want) {
			t.Errorf("%q ends with %d and %q, want 1 and %q", args, code, notes, want)
		}
	}
	var all v1alpha1.StorageBenchmarkList
	if err := u.List(t.Context(), &all, client.InNamespace(u.namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("%d benchmarks were made, %v", len(all.Items), err)
	}
}

// A run fails if expectations are missed, unless it is told not to.
func TestRunFailsOnExpectations(t *testing.T) {
	t.Parallel()
	const without = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: expecting}
spec:
  targets: [{name: gp3, storageClassName: gp3}]
  workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}}]
`
	const text = without + "  expectations: [{metric: write.iops, min: 1000}]\n"
	for name, test := range map[string]struct {
		text  string
		flags []string
		iops  int64
		code  int
	}{
		"met":                  {text, nil, 1000, 0},
		"missed":               {text, nil, 999, 2},
		"missed and not asked": {text, []string{"--no-fail"}, 999, 0},
		"nothing is expected":  {without, nil, 999, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			plugin := u.start(t, append([]string{"run", "-f", writeFile(t, test.text)}, test.flags...)...)
			sb := u.only(t)
			u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", test.iops)), judged(sb))
			if code := plugin.end(t); code != test.code {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, &plugin.notes)
			}
			if code, _, notes := u.run(t, append([]string{"watch", "expecting"}, test.flags...)...); code != test.code {
				t.Errorf("watch: exit code %d, want %d:\n%s", code, test.code, notes)
			}
		})
	}
}
