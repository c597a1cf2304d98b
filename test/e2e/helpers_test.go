//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/gitops"
)

// benchmark returns a benchmark of a small random write on a new volume. It shares its node, so that tests can
// run side by side; one that does not is for tests with a node of their own.
func benchmark(t *testing.T, name string, change ...func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
	t.Helper()
	sb := &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: name},
		Spec: v1alpha1.StorageBenchmarkSpec{
			Targets: []v1alpha1.Target{{
				Name:             "volume",
				StorageClassName: new(class),
				Capacity:         new(resource.MustParse("256Mi")),
			}},
			Fio: &v1alpha1.FioParameters{ // fio's own defaults
				IOEngine: new("psync"), IODepth: new(int32(1)), Direct: new(false), RuntimeSeconds: new(int32(0)), TimeBased: new(false),
			},
			Workloads: []v1alpha1.Workload{{Name: "randwrite", Fio: randwrite(2)}},
			Placement: &v1alpha1.Placement{Isolation: v1alpha1.IsolationNone},
		},
	}
	for _, f := range change {
		f(sb)
	}
	return sb
}

func randwrite(seconds int32) *v1alpha1.FioParameters {
	return &v1alpha1.FioParameters{
		RW: "randwrite", BS: new("4k"), IOEngine: new("psync"), Direct: new(true),
		Size: new("32M"), NumJobs: new(int32(2)), TimeBased: new(true), RuntimeSeconds: new(seconds),
	}
}

// lasting has the benchmark's first workload run for so long that a test can interfere.
func lasting(seconds int32) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Fio.RuntimeSeconds = &seconds }
}

// create creates the benchmark, and deletes it when the test ends: then nothing of it may be left.
func create(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	createAs(t, k8s, sb)
}

// createAs is create with somebody's rights.
func createAs(t *testing.T, creator client.Client, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	if err := creator.Create(t.Context(), sb); err != nil {
		t.Fatalf("create: %v", err)
	}
	stageOf(t).made(sb)
	t.Cleanup(func() {
		if t.Failed() {
			dump(t, sb)
		}
		remove(t, sb)
	})
}

// remove deletes the benchmark and waits until it is gone; nothing of it may be left then.
func remove(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	volumes := volumesOf(ctx, t, sb)
	if err := client.IgnoreNotFound(k8s.Delete(ctx, sb)); err != nil {
		t.Fatalf("delete: %v", err)
	}
	waitUntil(ctx, t, changesOf(sb, patience, "the benchmark to be gone"), func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	mine := []client.ListOption{client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name}}
	// Kept logs go with their owner: Kubernetes' garbage collector sees to that.
	eventually(ctx, t, "kept logs to be gone", func(ctx context.Context) (bool, error) {
		var logs corev1.ConfigMapList
		err := k8s.List(ctx, &logs, mine...)
		return len(logs.Items) == 0, err
	})
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &corev1.PodList{}, &corev1.PersistentVolumeClaimList{}} {
		if err := k8s.List(ctx, list, mine...); err != nil {
			t.Fatalf("list: %v", err)
		}
		if n := meta.LenList(list); n > 0 {
			t.Errorf("after deletion %d objects are left in %T", n, list)
		}
	}
	for _, name := range volumes {
		checkVolumeGone(ctx, t, name)
	}
	if names := clusterObjects(ctx, t, sb); len(names) > 0 {
		t.Errorf("after deletion %v are left", names)
	}
}

// volumesOf returns the names of the volumes that were provisioned for the benchmark, as far as its claims
// still exist or its status knows them.
func volumesOf(ctx context.Context, t *testing.T, sb *v1alpha1.StorageBenchmark) []string {
	t.Helper()
	var claims corev1.PersistentVolumeClaimList
	if err := k8s.List(ctx, &claims, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name}); err != nil {
		t.Fatalf("list claims: %v", err)
	}
	var names []string
	for i := range claims.Items {
		if name := claims.Items[i].Spec.VolumeName; name != "" {
			names = append(names, name)
		}
	}
	return names
}

func eventually(ctx context.Context, t *testing.T, what string, done func(context.Context) (bool, error)) {
	t.Helper()
	within(ctx, t, patience, what, done)
}

func within(ctx context.Context, t *testing.T, patience time.Duration, what string, done func(context.Context) (bool, error)) {
	t.Helper()
	waitUntil(ctx, t, await.Wait{For: what, Patience: patience, Interval: pollInterval}, done)
}

// waitUntil ends the test if what it waits for has not come when the wait's patience, or the test's budget, is over.
func waitUntil(ctx context.Context, t *testing.T, wait await.Wait, done func(context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := bind(ctx, t)
	defer cancel()
	if err := wait.Until(ctx, await.Condition(done)); err != nil {
		t.Fatal(err)
	}
}

// until waits until the benchmark is as wanted, and returns it. It fails at once if the benchmark ends
// without being so.
func until(t *testing.T, sb *v1alpha1.StorageBenchmark, what string, wanted func(*v1alpha1.StorageBenchmark) bool) *v1alpha1.StorageBenchmark {
	t.Helper()
	return untilWithin(t, sb, patienceWith(sb), what, wanted)
}

// untilWithin is until with a patience of its own.
func untilWithin(t *testing.T, sb *v1alpha1.StorageBenchmark, patience time.Duration, what string, wanted func(*v1alpha1.StorageBenchmark) bool) *v1alpha1.StorageBenchmark {
	t.Helper()
	var current *v1alpha1.StorageBenchmark
	waitUntil(t.Context(), t, changesOf(sb, patience, what), func(ctx context.Context) (bool, error) {
		current = &v1alpha1.StorageBenchmark{}
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), current); err != nil {
			return false, err
		}
		if wanted(current) {
			return true, nil
		}
		if current.Status.CompletionTime != nil {
			return false, fmt.Errorf("the benchmark has ended: %+v", succeeded(current))
		}
		return false, nil
	})
	return current
}

// changesOf is a wait that looks when the benchmark has changed.
func changesOf(sb *v1alpha1.StorageBenchmark, patience time.Duration, what string) await.Wait {
	key := client.ObjectKeyFromObject(sb)
	return await.Wait{
		For: what, Patience: patience, Interval: lookAnyway,
		Changed: func() <-chan struct{} { return benchmarkChanges.next(key) },
	}
}

// patienceWith is how long may be waited for a benchmark: what all have, and what its runs take by their plan on a
// machine that is busy.
func patienceWith(sb *v1alpha1.StorageBenchmark) time.Duration {
	runs, _ := plan.Runs(&sb.Spec, nil)
	total := patience
	if sb.Spec.MostClients() > 1 {
		// A kubelet may miss that a pod was told its start, until it looks at the pod again. Then the attempt is repeated.
		const resync = 90 * time.Second
		total += resync
	}
	for _, run := range runs {
		const overhead = 5 * time.Second
		seconds, _ := run.Job.RuntimeSeconds()
		total += overhead + time.Duration(seconds)*time.Second
	}
	return total
}

func succeeded(sb *v1alpha1.StorageBenchmark) metav1.Condition {
	return sb.Status.Condition(v1alpha1.ConditionSucceeded)
}

// atStep says whether the benchmark is at the step.
func atStep(reason string) func(*v1alpha1.StorageBenchmark) bool {
	return func(sb *v1alpha1.StorageBenchmark) bool { return succeeded(sb).Reason == reason }
}

func ended(sb *v1alpha1.StorageBenchmark) bool { return sb.Status.CompletionTime != nil }

// completes waits for the benchmark's end, which must be a success, and checks that its volumes are gone.
func completes(t *testing.T, sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	t.Helper()
	done := until(t, sb, "the benchmark's end", ended)
	if c := succeeded(done); c.Status != metav1.ConditionTrue || c.Reason != v1alpha1.ReasonCompleted {
		t.Fatalf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	checkSignals(t, done)
	checkCleanedUp(t, done)
	return done
}

// fails waits for the benchmark's end, which must be a failure for the reason, with all of the texts in its
// message. Its volumes must be gone all the same.
func fails(t *testing.T, sb *v1alpha1.StorageBenchmark, reason string, texts ...string) *v1alpha1.StorageBenchmark {
	t.Helper()
	done := until(t, sb, "the benchmark's end", ended)
	c := succeeded(done)
	if c.Status != metav1.ConditionFalse || c.Reason != reason {
		t.Fatalf("Succeeded = %s %s, want False %s: %s", c.Status, c.Reason, reason, c.Message)
	}
	for _, text := range texts {
		if !strings.Contains(c.Message, text) {
			t.Errorf("message %q lacks %q", c.Message, text)
		}
	}
	t.Logf("%s: %s", c.Reason, c.Message)
	checkSignals(t, done)
	checkCleanedUp(t, done)
	return done
}

// checkSignals checks that other tools see a benchmark as it is.
func checkSignals(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	if err := gitops.Expect(sb); err != nil {
		t.Error(err)
	}
}

func checkCleanedUp(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	t.Helper()
	if names := volumesOf(t.Context(), t, sb); len(names) > 0 {
		t.Errorf("claims of volumes %v are left", names)
	}
	if names := clusterObjects(t.Context(), t, sb); len(names) > 0 {
		t.Errorf("%v are left", names)
	}
	for _, target := range sb.Status.Targets {
		for _, volume := range target.Volumes {
			if !isExisting(sb, target.Name) {
				checkVolumeGone(t.Context(), t, volume.Name)
			}
		}
	}
}

// checkVolumeGone checks that a volume is gone. An operator that is confined to the test's namespace sees no volumes, and so does
// not wait for them: they go soon after their claims.
func checkVolumeGone(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	isGone := func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, clientKey(name), &corev1.PersistentVolume{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if stageOf(t).confined {
		eventually(ctx, t, "volume "+name+" to go with its claim", isGone)
		return
	}
	if gone, err := isGone(ctx); !gone {
		t.Errorf("volume %s is left (%v)", name, err)
	}
}

func isExisting(sb *v1alpha1.StorageBenchmark, name string) bool {
	for _, target := range sb.Spec.Targets {
		if target.Name == name {
			return target.ClaimName != nil
		}
	}
	return false
}

// runningPod returns the pod of the benchmark that measures.
func runningPod(t *testing.T, sb *v1alpha1.StorageBenchmark) *corev1.Pod {
	t.Helper()
	until(t, sb, "fio to run", atStep(v1alpha1.ReasonMeasuring))
	var pods corev1.PodList
	if err := k8s.List(t.Context(), &pods, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelRole: v1alpha1.RoleRun}); err != nil {
		t.Fatalf("list pods: %v", err)
	}
	for i := range pods.Items {
		if pods.Items[i].Status.Phase == corev1.PodRunning {
			return &pods.Items[i]
		}
	}
	t.Fatal("no pod runs")
	return nil
}

func update(t *testing.T, sb *v1alpha1.StorageBenchmark, change func(*v1alpha1.StorageBenchmark)) error {
	t.Helper()
	current := &v1alpha1.StorageBenchmark{}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(sb), current); err != nil {
		t.Fatalf("get: %v", err)
	}
	patch := client.MergeFrom(current.DeepCopy())
	change(current)
	return k8s.Patch(t.Context(), current, patch)
}

func podLog(ctx context.Context, t *testing.T, pod *corev1.Pod, container string) string {
	t.Helper()
	stream, err := clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: container}).Stream(ctx)
	if err != nil {
		t.Fatalf("log of pod %s: %v", pod.Name, err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatalf("log of pod %s: %v", pod.Name, err)
	}
	return string(text)
}

// dump logs what is known about a failed benchmark.
func dump(t *testing.T, sb *v1alpha1.StorageBenchmark) {
	ctx := context.WithoutCancel(t.Context())
	current := &v1alpha1.StorageBenchmark{}
	if err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), current); err != nil {
		t.Logf("get: %v", err)
	}
	text, _ := json.MarshalIndent(current.Status, "", "  ")
	t.Logf("status: %s", text)
	var events corev1.EventList
	if err := k8s.List(ctx, &events, client.InNamespace(sb.Namespace)); err != nil {
		t.Logf("list events: %v", err)
	}
	for _, e := range events.Items {
		if strings.Contains(e.InvolvedObject.Name, sb.Name) {
			t.Logf("event: %s %s: %s: %s", e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, e.Message)
		}
	}
}
