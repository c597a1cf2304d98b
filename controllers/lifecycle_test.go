package controllers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A Job that somebody deletes without its pod leaves a pod that nobody owns. It is removed before the run is repeated.
func TestJobDeletedWithoutItsPod(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)

	pod, deleted := w.runPods()[0], w.jobs()[0]
	patch := client.MergeFrom(pod.DeepCopy())
	pod.OwnerReferences, pod.Finalizers = nil, nil
	if err := w.Client.Patch(w.Context(), &pod, patch); err != nil {
		t.Fatal(err)
	}
	w.delete(&deleted, client.PropagationPolicy(metav1.DeletePropagationBackground))
	w.Eventually(func() error { return w.gone(&pod) })
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := wantRun(sb, v1alpha1.RunSucceeded, 2, 1); err != nil {
		t.Error(err)
	}
}

// Runs are made one after the other, every workload on all targets before the next one.
func TestRunsInOrder(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var order []string
	live := map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		run := pod.Annotations[v1alpha1.AnnotationRun]
		if !slices.Contains(order, run) {
			order = append(order, run)
		}
		if pod.Status.Phase == corev1.PodSucceeded {
			delete(live, run)
		} else if live[run] = true; len(live) > 1 {
			t.Errorf("pods of %v at the same time", live)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").
		Target(builder.NewTarget("fast")).Target(builder.NewBlockTarget("raw")).
		Workload(builder.NewWorkload("one")).Workload(builder.NewWorkload("two")).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "4 runs on 2 targets")

	want := []string{"one.fast", "one.raw", "two.fast", "two.raw"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order of pods (-want +got):\n%s", diff)
	}
	var names []string
	for _, run := range sb.Status.Runs {
		names = append(names, run.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("order of runs in the status (-want +got):\n%s", diff)
	}
	if sb.Status.Targets[1].VolumeMode != corev1.PersistentVolumeBlock {
		t.Errorf("target raw has mode %s", sb.Status.Targets[1].VolumeMode)
	}
	summary := "one: fast 3048 IOPS 5.01ms p50, raw 3048 (1.00x); two: fast 3048 IOPS 5.01ms p50, raw 3048 (1.00x)"
	if sb.Status.Summary != summary {
		t.Errorf("summary is %q", sb.Status.Summary)
	}
}

func TestSectionsOfAJobFile(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report("first", "second")))
	text := "[global]\nsize=1M\nrw=randread\n[first]\n[second]\nstonewall\n"
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(builder.NewJobFile("file", text)).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	run := sb.Status.Runs[0]
	unknown := &v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no limits of the storage are known: set spec.targets[].limits"}
	want := []v1alpha1.SectionResult{{Name: "first", Result: *builder.Result(), LimitedBy: unknown}, {Name: "second", Result: *builder.Result(), LimitedBy: unknown}}
	if diff := cmp.Diff(want, run.Sections); diff != "" || run.Result != nil {
		t.Errorf("result %v, sections (-want +got):\n%s", run.Result, diff)
	}
}

// The API server compares the lists of the spec without regard to order, so that an edit may change it.
func TestReorderedSpec(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	reads, writes := builder.NewWorkload("reads"), builder.NewWorkload("writes")
	writes.Fio.RW = "randwrite"
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(reads).Workload(writes).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "reads.fast")

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { slices.Reverse(sb.Spec.Workloads) })
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "reads.fast" {
			return fakecluster.Succeed(builder.Report())
		}
		return fakecluster.Hang(job.MeasureContainer)
	})
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "writes.fast")

	for _, pod := range w.runPods() {
		want := map[string]string{"reads.fast": "rw=randread", "writes.fast": "rw=randwrite"}[pod.Annotations[v1alpha1.AnnotationRun]]
		if file := pod.Spec.Containers[0].Env[0].Value; !strings.Contains(file, want+"\n") {
			t.Errorf("pod %s has the job file\n%s", pod.Name, file)
		}
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

func TestLogsAreKept(t *testing.T) {
	w := newWorld(t)
	sb := w.untilEnd(create(w, builder.OneRun(w.Namespace, "sb").Build()), metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	maps := w.configMaps()
	if len(maps) != 1 || maps[0].Name != sb.Status.Runs[0].LogConfigMap {
		t.Fatalf("ConfigMaps %v, but the run has %q", maps, sb.Status.Runs[0].LogConfigMap)
	}
	r, err := gzip.NewReader(bytes.NewReader(maps[0].BinaryData[childmeta.LogKey(0)]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || !strings.HasPrefix(string(text), "log of fio of sb-randread-fast-") {
		t.Errorf("log %q, error %v", text, err)
	}
}

func TestSuspendBeforeStart(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().Build())

	sb = w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	if sb.Status.StartTime != nil || len(w.children()) > 0 {
		t.Errorf("a suspended benchmark has started at %v and made %q", sb.Status.StartTime, w.children())
	}
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil {
		t.Error(err)
	}
}

func TestSuspendDuringARun(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "randread.fast" {
			return fakecluster.Succeed(builder.Report())
		}
		return fakecluster.Hang(job.MeasureContainer)
	})
	sb := create(w, builder.OneRun(w.Namespace, "sb").Workload(builder.NewWorkload("second")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run second.fast (2 of 2)")
	claims := w.claims()

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	sb = w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	if run := sb.Status.Runs[1]; run.State != v1alpha1.RunPending || run.Message != "ended by spec.suspend, will be repeated" {
		t.Errorf("suspended run is %+v", run)
	}
	if sb.Status.Runs[0].Result == nil {
		t.Error("the finished run has lost its result")
	}
	for _, pod := range w.pods() {
		if pod.Annotations[v1alpha1.AnnotationRun] == "second.fast" {
			t.Errorf("pod %s is there after the run was suspended", pod.Name)
		}
	}
	if now := w.claims(); len(now) != 1 || now[0].UID != claims[0].UID {
		t.Errorf("claims were %v and are %v", claims, now)
	}

	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if run := sb.Status.Runs[1]; run.Attempts != 2 || run.Disruptions != 0 || run.Message != "" {
		t.Errorf("resumed run is %+v", run)
	}
	if run := sb.Status.Runs[0]; run.Attempts != 1 {
		t.Errorf("the finished run was repeated: %+v", run)
	}
	attempts := sb.Status.AbandonedAttempts
	if len(attempts) != 1 || attempts[0].Run != "second.fast" || attempts[0].Reason != v1alpha1.AbandonSuspended || attempts[0].Node != fakecluster.Node {
		t.Errorf("abandoned attempts are %+v", attempts)
	}
}

// What ends while no operator looks is collected by the next one.
func TestRestartDuringARun(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := w.untilStep(create(w, builder.OneRun(w.Namespace, "sb").Build()), v1alpha1.ReasonMeasuring)
	before := w.jobs()
	stop()

	// It ends while nobody looks.
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.Eventually(func() error {
		if j := w.jobs()[0]; j.Status.Succeeded == 0 {
			return fmt.Errorf("Job %s has not ended", j.Name)
		}
		return nil
	})
	w.Cluster.AllPods(fakecluster.Fail(digest.ExitFailed, "a second attempt"))
	w.startOperator()

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil {
		t.Error(err)
	}
	if len(before) != 1 || sb.Status.Runs[0].Job != before[0].Name {
		t.Errorf("Jobs before the restart: %v, run's Job: %s", before, sb.Status.Runs[0].Job)
	}
}

func TestRestartAtEachStep(t *testing.T) {
	w := newWorldWithoutOperator(t)
	w.Cluster.AllPods(fakecluster.Hang(job.LayoutContainer))
	var uids []string
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	for range 3 {
		stop := w.startOperator()
		w.untilStep(sb, v1alpha1.ReasonPreparing)
		w.Eventually(func() error {
			if len(w.jobs()) != 1 {
				return fmt.Errorf("%d Jobs", len(w.jobs()))
			}
			return nil
		})
		uids = append(uids, string(w.jobs()[0].UID))
		stop()
	}
	if len(slices.Compact(uids)) != 1 {
		t.Errorf("Jobs %q for one attempt", uids)
	}
}

func TestExistingClaim(t *testing.T) {
	w := newWorld(t)
	claim := w.claim("mine", corev1.PersistentVolumeFilesystem)
	var mu sync.Mutex
	var cleaning []string
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleCleanUp {
			cleaning = pod.Spec.Containers[0].Args
			if pod.Spec.Volumes[1].PersistentVolumeClaim.ClaimName != claim.Name {
				t.Errorf("the clean-up pod has volume %v", pod.Spec.Volumes[1])
			}
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("theirs", claim.Name)).Workload(builder.NewWorkload("reads")).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	if diff := cmp.Diff([]string{"clean", "--directory=" + job.MountPath + "/" + childmeta.Directory(sb)}, cleaning); diff != "" {
		t.Errorf("arguments of the clean-up (-want +got):\n%s", diff)
	}
	mu.Unlock()
	if left := w.children(); len(left) != 1 || !strings.HasPrefix(left[0], "volume ") {
		t.Errorf("left at the end: %q, want the claim's volume only", left)
	}
	target := sb.Status.Targets[0]
	if target.StorageClassName != builder.StorageClass || len(target.Volumes) != 1 || target.Volumes[0].Handle != "handle-mine" || target.Driver != fakecluster.Driver || target.ProvisionedMilliseconds != nil {
		t.Errorf("target is %+v", target)
	}
	w.delete(sb)
	w.Eventually(func() error { return w.gone(sb) })
	if err := w.gone(claim); err == nil || claim.DeletionTimestamp != nil {
		t.Errorf("the claim was there before and is not any more: %v", claim)
	}
}

func TestExistingRawBlockClaim(t *testing.T) {
	w := newWorld(t)
	w.claim("mine", corev1.PersistentVolumeBlock)
	reads := builder.NewBenchmark(w.Namespace, "reads").Target(builder.NewClaimTarget("theirs", "mine")).Workload(builder.NewWorkload("reads")).Build()
	writes := builder.NewWorkload("writes")
	writes.Fio.RW = "randwrite"

	sb := w.untilEnd(create(w, reads), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if sb.Status.Targets[0].VolumeMode != corev1.PersistentVolumeBlock {
		t.Errorf("target is %+v", sb.Status.Targets[0])
	}
	sb = create(w, builder.NewBenchmark(w.Namespace, "writes").Target(builder.NewClaimTarget("theirs", "mine")).Workload(writes).Build())
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.workloads[0].fio")
}

// claim makes a claim that is not the operator's.
func (w *testWorld) claim(name string, mode corev1.PersistentVolumeMode) *corev1.PersistentVolumeClaim {
	w.Helper()
	target := builder.NewTarget("any")
	return create(w, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(builder.StorageClass),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			VolumeMode:       &mode,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: storage.Capacity(&target)}},
		},
	})
}
