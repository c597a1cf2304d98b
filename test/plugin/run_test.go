package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
)

// ended returns a run that has a result.
func ended(target string, iops int64) v1alpha1.Run {
	now := metav1.Now()
	return v1alpha1.Run{
		Name: "randwrite." + target, Target: target, Workload: "randwrite", Repetition: 1, State: v1alpha1.RunSucceeded, Attempts: 1,
		StartTime: &now, CompletionTime: &now,
		Result:    &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * iops, BytesPerSecond: iops * 4096, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 5_340_000, P99Nanoseconds: 9_900_000}}}},
		LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS},
	}
}

// waiting returns a run that was not made yet.
func waiting(target string) v1alpha1.Run {
	return v1alpha1.Run{Name: "randwrite." + target, Target: target, Workload: "randwrite", Repetition: 1, State: v1alpha1.RunPending}
}

// failed returns a run that ended without a result.
func failed(target, message string) v1alpha1.Run {
	run := waiting(target)
	now := metav1.Now()
	run.State, run.Message, run.CompletionTime = v1alpha1.RunFailed, message, &now
	return run
}

func runs(progress string, all ...v1alpha1.Run) func(*v1alpha1.StorageBenchmarkStatus) {
	return func(status *v1alpha1.StorageBenchmarkStatus) { status.Runs, status.Progress = all, progress }
}

// compared adds the comparison of two targets.
func compared(status *v1alpha1.StorageBenchmarkStatus) {
	io := func(iops int64, ratio string) *v1alpha1.FiguresComparison {
		return &v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Median: 1000 * iops, Ratio: ratio}, BytesPerSecond: &v1alpha1.Statistic{Median: iops * 4096}}
	}
	status.Comparisons = []v1alpha1.Comparison{{Workload: "randwrite", Targets: []v1alpha1.TargetComparison{
		{Name: "gp3", Runs: 1, Figures: v1alpha1.ListOf(io(3000, "").As(v1alpha1.OperationWrite))}, {Name: "efs-sc", Runs: 1, Figures: v1alpha1.ListOf(io(1500, "0.50").As(v1alpha1.OperationWrite))},
	}}}
}

func TestRunOneLine(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3,efs-sc", "--rw", "randwrite", "--runtime", "1m", "--repetitions", "2", "--clients", "1")
	sb := u.only(t)
	want := v1alpha1.FioParameters{
		RW: "randwrite", BS: new("4k"), IOEngine: new("libaio"), IODepth: new(int32(16)), NumJobs: new(int32(1)), Direct: new(true), Size: new("1G"),
		RuntimeSeconds: new(int32(60)),
	}
	if diff := cmp.Diff(&want, sb.Spec.Workloads[0].Fio); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(sb.Name, "fio-") || sb.Spec.Targets[1].Name != "efs-sc" || *sb.Spec.Repetitions != 2 {
		t.Errorf("%s: %+v", sb.Name, sb.Spec)
	}
	u.set(t, sb, v1alpha1.ReasonProvisioning, "waiting for claim x", runs("0/2", waiting("gp3"), waiting("efs-sc")))
	await.Holds(t, plugin.hasPrinted("Provisioning   waiting for claim x"))
	u.set(t, sb, v1alpha1.ReasonMeasuring, "run 2 of 2", runs("1/2", ended("gp3", 3000), waiting("efs-sc")))
	await.Holds(t, plugin.hasPrinted("ok     randwrite.gp3 "))
	u.set(t, sb, v1alpha1.ReasonCompleted, "2 runs", runs("2/2", ended("gp3", 3000), ended("efs-sc", 1500)), compared)
	if code := plugin.end(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wantNotes := "storagebenchmark.storagebench.dev/" + sb.Name + ` created
Provisioning   waiting for claim x
Measuring      run 2 of 2
ok     randwrite.gp3     write 3000 IOPS, 11.7 MiB/s, p99 9.90ms; VolumeIOPS
Completed      2 runs
ok     randwrite.efs-sc  write 1500 IOPS, 5.86 MiB/s, p99 9.90ms; VolumeIOPS
`
	if diff := cmp.Diff(wantNotes, plugin.notes.String()); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
	wantTable := `WORKLOAD   TARGET  I/O    IOPS   BANDWIDTH  MEAN  P50  P90  P99  VS GP3  LIMITED BY
randwrite  gp3     write  3000  11.7 MiB/s     -    -    -    -          VolumeIOPS
randwrite  efs-sc  write  1500  5.86 MiB/s     -    -    -    -   0.50x  VolumeIOPS
`
	if diff := cmp.Diff(wantTable, plugin.out.String()); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
}

// hasPrinted says whether the plugin has printed this on standard error.
func (e *execution) hasPrinted(text string) func() error {
	return func() error {
		if !strings.Contains(e.notes.String(), text) {
			return fmt.Errorf("%q was not printed, but:\n%s", text, &e.notes)
		}
		return nil
	}
}

func TestRunThatFails(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "failing")
	sb := u.only(t)
	u.set(t, sb, v1alpha1.ReasonRunFailed, "1 of 1 runs failed", runs("1/1", failed("gp3", "fio: out of\nspace")))
	if code := plugin.end(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"FAILED randwrite.gp3  fio: out of space\n", "Error: failing: RunFailed: 1 of 1 runs failed\n"} {
		if !strings.Contains(plugin.notes.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &plugin.notes)
		}
	}
}

func TestRunAgainAfterADisruption(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "again")
	sb := u.only(t)
	run := waiting("gp3")
	run.State, run.Attempts = v1alpha1.RunRunning, 1
	u.set(t, sb, v1alpha1.ReasonMeasuring, "run 1 of 1", runs("0/1", run))
	await.Holds(t, plugin.hasPrinted("Measuring"))
	run.Attempts, run.Message = 2, "the pod was evicted"
	u.set(t, sb, v1alpha1.ReasonPreparing, "", runs("0/1", run))
	await.Holds(t, plugin.hasPrinted("again  randwrite.gp3  attempt 2: the pod was evicted\n"))
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)))
	if code := plugin.end(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestRunRemoves(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3", "--rw", "randwrite", "--rm")
	sb := u.only(t)
	u.change(t, sb, func() { sb.Finalizers = []string{v1alpha1.Finalizer} })
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)))
	await.Holds(t, func() error {
		err := u.Get(t.Context(), client.ObjectKeyFromObject(sb), sb)
		if err == nil && sb.DeletionTimestamp == nil {
			return fmt.Errorf("%s is not being deleted", sb.Name)
		}
		return err
	})
	if strings.Contains(plugin.notes.String(), "deleted") {
		t.Error("it is said to be deleted while the operator removes what was made for it")
	}
	u.change(t, sb, func() { sb.Finalizers = nil })
	if code := plugin.end(t); code != 0 {
		t.Errorf("exit code %d: %s", code, &plugin.notes)
	}
	if !strings.HasSuffix(plugin.notes.String(), "storagebenchmark.storagebench.dev/"+sb.Name+" deleted\n") {
		t.Errorf("its end is not told:\n%s", &plugin.notes)
	}
}

// --rm deletes what the command has created from a file, and no benchmark that was there before it.
func TestRunRemovesOnlyWhatItHasCreated(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	path := writeFile(t, twoObjects)
	created := u.start(t, "run", "-f", path, "--rm")
	u.set(t, u.only(t), v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)))
	if code := created.end(t); code != 0 || !strings.HasSuffix(created.notes.String(), "/first deleted\n") {
		t.Errorf("what it has created: exit code %d:\n%s", code, &created.notes)
	}
	if code, _, notes := u.run(t, "run", "-f", path, "--wait=false"); code != 0 {
		t.Fatal(notes)
	}
	sb := u.only(t)
	second := u.start(t, "run", "-f", path, "--rm")
	await.Holds(t, second.hasPrinted("first applied"))
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)))
	const want = "first was there before, so --rm does not delete it\n"
	if code := second.end(t); code != 0 || !strings.HasSuffix(second.notes.String(), want) {
		t.Errorf("what was there: exit code %d:\n%s", code, &second.notes)
	}
	if left := u.only(t); left.UID != sb.UID || left.DeletionTimestamp != nil {
		t.Errorf("left is %s, deleted at %v; want %s", left.UID, left.DeletionTimestamp, sb.UID)
	}
}

// --rm does not delete a benchmark that has taken the name of the one that the command has created.
func TestRunRemovesNoNamesake(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "namesake", "--rm")
	sb := u.only(t)
	u.set(t, sb, v1alpha1.ReasonProvisioning, "waiting")
	await.Holds(t, plugin.hasPrinted("Provisioning"))
	signal := func(s syscall.Signal) {
		if err := plugin.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP) // so that it sees the deletion only when the other one is there
	if err := u.Delete(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	other := &v1alpha1.StorageBenchmark{Spec: sb.Spec}
	other.Namespace, other.Name = sb.Namespace, sb.Name
	if err := u.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	signal(syscall.SIGCONT)
	const want = "namesake is another StorageBenchmark by now, so --rm does not delete it\n"
	if code := plugin.end(t); code != 1 || !strings.Contains(plugin.notes.String(), want) {
		t.Errorf("exit code %d, want a note that it %s\n%s", code, want, &plugin.notes)
	}
	if left := u.only(t); left.UID != other.UID || left.DeletionTimestamp != nil {
		t.Errorf("left is %s, deleted at %v; want %s", left.UID, left.DeletionTimestamp, other.UID)
	}
}

// change changes a benchmark, but not its status.
func (u *user) change(t *testing.T, sb *v1alpha1.StorageBenchmark, how func()) {
	t.Helper()
	patch := client.MergeFrom(sb.DeepCopy())
	how()
	if err := u.Patch(t.Context(), sb, patch); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptLeavesTheBenchmark(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := u.start(t, "run", "--class", "gp3", "--rw", "randwrite", "--name", "left", "--rm")
	sb := u.only(t)
	u.set(t, sb, v1alpha1.ReasonProvisioning, "")
	await.Holds(t, plugin.hasPrinted("Provisioning"))
	if err := plugin.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := plugin.end(t); code != 130 {
		t.Errorf("exit code %d", code)
	}
	want := fmt.Sprintf("left goes on. Come back:  kubectl storagebench watch left -n %s\nEnd it:  kubectl delete storagebenchmark left -n %s\n", u.namespace, u.namespace)
	if !strings.HasSuffix(plugin.notes.String(), want) {
		t.Errorf("%q is not the end of:\n%s", want, &plugin.notes)
	}
	if sb := u.only(t); sb.DeletionTimestamp != nil {
		t.Error("it is being deleted")
	}
	again := u.start(t, "watch", "left")
	u.set(t, sb, v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)), compared)
	if code := again.end(t); code != 0 || !strings.Contains(again.out.String(), "3000") {
		t.Errorf("watch: exit code %d\n%s%s", code, &again.out, &again.notes)
	}
}

const twoObjects = `apiVersion: v1
kind: ConfigMap
metadata: {name: beside}
---
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: first}
spec:
  targets: [{name: gp3, storageClassName: gp3}]
  workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}}]
`

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "benchmark.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	path := writeFile(t, twoObjects)
	code, _, notes := u.run(t, "run", "-f", path, "--wait=false")
	if want := "configmap/beside applied\nstoragebenchmark.storagebench.dev/first applied\n"; code != 0 || notes != want {
		t.Errorf("exit code %d:\n%s", code, notes)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if code, notes := u.runWith(t, in, "run", "-f", "-", "--wait=false"); code != 0 {
		t.Errorf("from standard input: exit code %d:\n%s", code, notes)
	}
	follows := u.start(t, "run", "-f", path)
	await.Holds(t, follows.hasPrinted("first applied"))
	u.set(t, u.only(t), v1alpha1.ReasonCompleted, "1 run", runs("1/1", ended("gp3", 3000)))
	if code := follows.end(t); code != 0 || !strings.Contains(follows.notes.String(), "ok     randwrite.gp3") {
		t.Errorf("once more: exit code %d:\n%s", code, &follows.notes)
	}
}

func TestBadFilesMakeNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for name, test := range map[string]struct{ text, want string }{
		"a plan that cannot be": {strings.Replace(twoObjects, "size: 1M", "size: 1T", 1), "first: spec.targets[0].capacity: Invalid value: \"10Gi\": 10Gi holds 9957Mi of files, the workloads need 1Ti"},
		"no benchmark":          {strings.SplitAfter(twoObjects, "---\n")[0], "there is no StorageBenchmark among these objects"},
		"no YAML":               {"a: b: c", "mapping values are not allowed"},
		"an unknown field":      {strings.Replace(twoObjects, "size: 1M", "size: 1M, depth: 3", 1), "first: spec.workloads[0].fio.depth: Forbidden: there is no such field: did you mean iodepth?"},
		"an unknown class":      {strings.Replace(twoObjects, "storageClassName: gp3", "storageClassName: gp33", 1), `first: spec.targets[0].storageClassName: Invalid value: "gp33": there is no such StorageClass: did you mean gp3?`},
		"a rule of the API":     {strings.Replace(twoObjects, "rw: randwrite", "rw: randwrite, rwmixread: 30", 1), "rwmixread is for mixed workloads"},
		"an unknown kind":       {strings.Replace(twoObjects, "StorageBenchmark", "Storagebench", 1), "no matches for kind \"Storagebench\""},
	} {
		code, _, notes := u.run(t, "run", "-f", writeFile(t, test.text), "--wait=false")
		if code != 1 || !strings.Contains(notes, test.want) {
			t.Errorf("%s: exit code %d:\n%s", name, code, notes)
		}
		err := u.Get(t.Context(), client.ObjectKey{Namespace: u.namespace, Name: "beside"}, &corev1.ConfigMap{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("%s: something was applied: %v", name, err)
		}
	}
}

func TestBadFlagsMakeNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "no storage is named: use --class"},
		{[]string{"--class", "a", "--numjobs", "0"}, "numjobs=0: section [randread]: write a whole number from 1 to 1024"},
		{[]string{"--class", "a", "--clients", "x"}, "--clients x: give whole numbers"},
		{[]string{"--class", "a", "--runtime", "soon"}, "runtime=soon: section [randread]: write a time such as 60, 60s"},
		{[]string{"--class", "a", "--capacity", "big"}, "--capacity big: give a quantity of bytes, such as 30Gi"},
		{[]string{"--class", "a,b,c", "--capacity", "1Gi,2Gi"}, "--capacity has 2 values, and --class has 3"},
		{[]string{"--class", "a,a"}, "two targets are called a: remove one of them"},
		{[]string{"--ebs", "gp3", "--ebs", "gp3"}, "two targets are called gp3: remove one of them"},
		{[]string{"--ebs", "gp3,iops=many"}, "--ebs: iops=many: the field takes no such value"},
		{[]string{"--ebs", "gp3,speed=3"}, "--ebs: there is no field \"speed\""},
		{[]string{"--ebs", "gp3,size=big"}, "--ebs: size=big: give a quantity of bytes, such as 30Gi"},
		{[]string{"--ebs", "gp3,iops=300000"}, "spec.targets[0].ebs"},
		{[]string{"--class", "a", "--preset", "etcd", "--bs", "8k"}, "--bs and --preset both describe the I/O"},
		{[]string{"--class", "a", "--bs", "8k", "--", "--rw=read"}, "--bs and the command line of fio after -- both describe the I/O"},
		{[]string{"--class", "a", "read"}, "\"read\" is no flag: put a file behind -f, and options of fio behind --"},
		{[]string{"--class", "a", "--expect", "p99=5ms"}, "--expect "},
		{[]string{"--class", "a", "--search", "p99"}, "--search p99: begin with a latency"},
		{[]string{"--class", "a", "--search", "p99=5ms,vary=bs"}, "--search p99=5ms,vary=bs: vary=bs: use one of clients, iodepth, numjobs, rateIOPS"},
		{[]string{"--class", "a", "--preset", "etcd", "--search", "p99=5ms"}, "--search varies the load, and preset etcd"},
		{[]string{"--class", "a", "--option", "exec_prerun=id"}, "exec_prerun=id: section [randread]: it runs commands: remove it"},
		{[]string{"--class", "A_b"}, "--class \"A_b\": a lowercase RFC 1123 subdomain"},
		{[]string{"--claim", "a", "--capacity", "1Gi"}, "--capacity is the size of new volumes"},
		{[]string{"--class", "a", "-f", "x.yaml"}, "if any flags in the group [filename class] are set none of the others can be"},
	} {
		if code, _, notes := u.run(t, append([]string{"run"}, test.args...)...); code != 1 || !strings.Contains(notes, test.want) {
			t.Errorf("%v: exit code %d:\n%s", test.args, code, notes)
		}
	}
	var all v1alpha1.StorageBenchmarkList
	if err := u.List(t.Context(), &all, client.InNamespace(u.namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("%d benchmarks were made, %v", len(all.Items), err)
	}
}

func TestDryRunPrintsWhatCanBeApplied(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, notes := u.run(t, "run", "--class", "gp3,efs-sc", "--capacity", "3Gi", "--bs", "4k,64k", "--clients", "1,2", "--option", "fsync_on_close=1", "--dry-run")
	if code != 0 || strings.Contains(out, "status") {
		t.Fatalf("exit code %d:\n%s%s", code, out, notes)
	}
	if code, _, notes := u.run(t, "run", "-f", writeFile(t, out), "--wait=false"); code != 0 {
		t.Fatalf("apply it: exit code %d: %s", code, notes)
	}
	if got := u.only(t).Spec.Workloads[1]; len(got.Matrix) != 1 || len(got.Clients) != 2 || got.Matrix["bs"][1].String() != "64k" {
		t.Errorf("matrix %v", got)
	}
}

func TestWatchWhatIsNotThere(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, _, notes := u.run(t, "watch", "nothing")
	if want := "Error: nothing: it does not exist, or was deleted\n"; code != 1 || notes != want {
		t.Errorf("exit code %d:\n%s", code, notes)
	}
}
