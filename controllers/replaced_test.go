package controllers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// suspendedAfterFirst makes the first run of a benchmark, and suspends the second one.
func suspendedAfterFirst(w *testWorld, sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	w.Helper()
	first := ""
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		run := pod.Annotations[v1alpha1.AnnotationRun]
		if first == "" {
			first = run
		}
		if run != first {
			return fakecluster.Hang(job.MeasureContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if len(sb.Status.Runs) < 2 || sb.Status.Runs[1].Job == "" {
			return fmt.Errorf("the second run has not begun")
		}
		return nil
	})
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	return w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
}

// A claim that is deleted while the benchmark is suspended takes along the volume that was measured. The benchmark ends,
// and keeps its results.
func TestClaimDeletedWhileSuspended(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		target  v1alpha1.Target
		replace func(*testWorld)
	}{
		"made for the benchmark": {builder.NewTarget("t"), func(w *testWorld) {
			claim := w.onlyClaim()
			w.delete(claim)
			w.Eventually(func() error { return w.gone(claim) })
		}},
		"somebody's": {builder.NewClaimTarget("t", "mine"), func(w *testWorld) {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"}}
			w.delete(claim)
			w.Eventually(func() error { return w.gone(claim) })
			w.claim("mine", corev1.PersistentVolumeFilesystem)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.target.ClaimName != nil {
				w.claim("mine", corev1.PersistentVolumeFilesystem)
			}
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(test.target).Workload(builder.NewWorkload("reads")).
				With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(3)) }).Build())
			before := suspendedAfterFirst(w, sb).Status.Targets[0]
			test.replace(w)
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed,
				"target t: claim "+before.Claims[0].Name+" was deleted, and with it the volume that was measured")

			if after := sb.Status.Targets[0]; before.Claims[0].UID == "" || after.Claims[0] != before.Claims[0] {
				t.Errorf("the claim was %+v and is %+v", before.Claims, after.Claims)
			}
			if sb.Status.Runs[0].Result == nil {
				t.Error("the first result is lost")
			}
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
				t.Error(err)
			}
		})
	}
}

// No anchor holds a ReadWriteOncePod volume. When the node is lost, its claim has no pod for a moment. If it stays,
// what was laid out is on its volume, and is used from the next node. If it is deleted, the benchmark ends.
func TestNodeLostWithReadWriteOncePod(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"the claim stays": false, "the claim is deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			laidOut := map[string]bool{}
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				attempt := pod.Annotations[v1alpha1.AnnotationRun] + " " + pod.Labels[v1alpha1.LabelAttempt]
				laidOut[attempt] = job.LaysOutFirst(&pod.Spec)
				if strings.HasPrefix(attempt, "reads.t.2 ") && (deleted || attempt == "reads.t.2 1") {
					return fakecluster.Hang(job.MeasureContainer)
				}
				return fakecluster.Succeed(builder.Report())
			})
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("t")).Workload(builder.NewWorkload("reads")).
				With(func(sb *v1alpha1.StorageBenchmark) {
					sb.Spec.Repetitions = new(int32(3))
					sb.Spec.Targets[0].AccessMode = new(corev1.ReadWriteOncePod)
				}).Build())
			w.untilStep(sb, v1alpha1.ReasonMeasuring, "(2 of 3)")

			if deleted {
				w.delete(w.onlyClaim())
				w.loseAnchor()
				// An attempt that begins while the claim is being deleted keeps it, until its pod is deleted.
				w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
					for _, pod := range w.runPods() {
						if err := client.IgnoreNotFound(w.Client.Delete(w.Context(), &pod)); err != nil {
							return err
						}
					}
					return matches(sb, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "and with it the volume that was measured")
				})
				return
			}
			w.loseAnchor()

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if run := sb.Status.Runs[1]; run.Attempts != 2 || run.Disruptions != 1 || sb.Status.Anchors[0].Disruptions != 1 {
				t.Errorf("the run is %+v, the anchor %+v", run, sb.Status.Anchors[0])
			}
			want := map[string]bool{"reads.t.1 1": true, "reads.t.2 1": false, "reads.t.2 2": false, "reads.t.3 1": false}
			if diff := cmp.Diff(want, laidOut); diff != "" {
				t.Errorf("attempts that lay out files (-want +got):\n%s", diff)
			}
		})
	}
}

// On storage whose driver leaves files behind, another claim is another access point: what is in the first one cannot
// be removed any more.
func TestClaimReplacedOnStorageThatStays(t *testing.T) {
	w := newWorld(t)
	class := create(w, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "efs-"}, Provisioner: storage.EFSDriver, ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete),
	})
	w.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(w.Context()), class) })
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName, sb.Spec.Repetitions = &class.Name, new(int32(2))
	}).Build())
	volume := suspendedAfterFirst(w, sb).Status.Targets[0].Volumes[0]
	claim := w.onlyClaim()
	w.delete(claim)
	w.Eventually(func() error { return w.gone(claim) })
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "its claim was deleted, and with it the way to the test files")

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, volume.Handle); err != nil {
		t.Error(err)
	}
	if sb.Status.Runs[0].Result == nil {
		t.Error("the first result is lost")
	}
}

// A volume that its class retains, and whose claim was deleted before any run had ended, is removed as well before
// nothing is said to be left.
func TestRetainedVolumeOfDeletedClaim(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
	}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	claim := w.onlyClaim()
	w.delete(claim)
	w.Eventually(func() error { return w.gone(claim) })
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "and with it the volume that was measured")

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		t.Error(err)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Somebody's claim may be replaced, and its volume retained. Then test files are on that one, which is told, and those
// on the other one are not taken for them.
func TestSomebodysRetainedVolumeReplaced(t *testing.T) {
	w := newWorld(t)
	retained := func() *corev1.PersistentVolumeClaim {
		return create(w, &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: new(fakecluster.RetainClass), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		})
	}
	claim := retained()
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("t", "mine")).Workload(builder.NewWorkload("reads")).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())
	volume := suspendedAfterFirst(w, sb).Status.Targets[0].Volumes[0]
	w.delete(claim)
	w.Eventually(func() error { return w.gone(claim) })
	retained()
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "target t: its claim was deleted, and with it the way to the test files")

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "on volume "+volume.Handle+", whose claim is gone"); err != nil {
		t.Error(err)
	}
	if sb.Status.Runs[0].Result == nil {
		t.Error("the first result is lost")
	}
}

// Another claim that is bound to the same volume replaces nothing. One that is gone or replaced ends the benchmark, if its
// volume was used.
func TestNoteExistingClaim(t *testing.T) {
	claim := func(volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "mine", UID: "new"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume},
		}
	}
	used := []v1alpha1.VolumeStatus{{Name: "pv"}}
	for name, test := range map[string]struct {
		noted   types.UID
		volumes []v1alpha1.VolumeStatus
		claim   *corev1.PersistentVolumeClaim
		uid     types.UID
		ends    bool
	}{
		"none was noted":          {"", used, claim("other"), "new", false},
		"the same":                {"new", used, claim("pv"), "new", false},
		"another of the volume":   {"old", used, claim("pv"), "new", false},
		"another":                 {"old", used, claim("other"), "old", true},
		"another without volume":  {"old", used, claim(""), "old", true},
		"another, before a pod":   {"old", nil, claim("other"), "new", false},
		"none is there":           {"old", used, nil, "old", true},
		"none, before a pod":      {"old", nil, nil, "", false},
		"none was there, and yet": {"", used, nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewClaimTarget("t", "mine")
			sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{
				Name: "t", Claims: []v1alpha1.ClaimStatus{{Name: "mine", UID: test.noted}}, Volumes: test.volumes,
			}}
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme())
			if test.claim != nil {
				live.WithObjects(test.claim)
			}
			s := passOver(&Reconciler{Live: live.Build(), Clock: fakecluster.NewClock()}, sb)
			if err := pvc.NoteExistingClaim(t.Context(), s, &target); err != nil {
				t.Fatal(err)
			}
			if got := &sb.Status.Targets[0]; got.ClaimUID("mine") != test.uid || sb.Status.HasMeasured() != test.ends {
				t.Errorf("it ends: %t, status is %+v", sb.Status.HasMeasured(), got)
			}
		})
	}
}

// Somebody's claim can be replaced until a pod that uses it has a node. What the pod is then seen to do is done on the
// one that is there.
func TestClaimReplacedBeforeThePodHasANode(t *testing.T) {
	const present = v1alpha1.TestFilesPresent
	old := []v1alpha1.VolumeStatus{{Name: "old", Handle: "vol-0", Node: "n"}}
	for name, test := range map[string]struct {
		before    v1alpha1.TestFilesState // what was known of files before the pass
		volumes   []v1alpha1.VolumeStatus // of the claim before
		policy    corev1.PersistentVolumeReclaimPolicy
		begun     bool
		want      v1alpha1.TestFilesState
		concludes bool
	}{
		"it has not begun": {},
		"it has begun":     {begun: true, want: present},
		"an attempt before wrote on what is gone":     {before: present, volumes: old, begun: true, want: present, concludes: true},
		"one before wrote on what is kept":            {before: present, volumes: old, policy: corev1.PersistentVolumeReclaimRetain, want: v1alpha1.TestFilesLeftBehind, concludes: true},
		"one before wrote where nobody has seen what": {before: present, want: v1alpha1.TestFilesLeftBehind, concludes: true},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewClaimTarget("t", "mine")
			sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{
				Name: "t", Claims: []v1alpha1.ClaimStatus{{Name: "mine", UID: "before"}}, Driver: "csi.fake", TestFiles: test.before, Volumes: test.volumes,
			}}
			claim := claimOf("ns", "mine", nil)
			claim.UID, claim.Spec.VolumeName = "after", "new"
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim, &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "new"}, Spec: corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Namespace: "ns", Name: "mine", UID: "after"}},
			})
			if test.policy != "" {
				live.WithObjects(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "old"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeReclaimPolicy: test.policy}})
			}
			p := passOver(&Reconciler{Live: live.Build()}, sb)
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "pod"}, Spec: corev1.PodSpec{NodeName: "n"}}
			status := &sb.Status.Targets[0]
			if test.begun {
				p.Children.NoteWritten("t")
			}
			for range 2 { // the second look is at what the first one has noted
				if err := pvc.RecordPlace(t.Context(), p, &target, 0, pod); err != nil {
					t.Fatal(err)
				}
			}
			if p.SB.Status.HasMeasured() != test.concludes || status.TestFiles != test.want {
				t.Errorf("concluded: %t, files are %q", p.SB.Status.HasMeasured(), status.TestFiles)
			}
			if noted := status.ClaimUID("mine") == "after" && len(status.Volumes) == 1 && status.Volumes[0].Name == "new"; noted == test.concludes {
				t.Errorf("status is %+v", status)
			}
		})
	}
}

// A claim that is gone is forgotten before its volume was used. As long as all are there, the cache has yet to hear of
// them.
func TestForgetLost(t *testing.T) {
	for name, test := range map[string]struct {
		gone    int
		files   v1alpha1.TestFilesState
		volumes []v1alpha1.VolumeStatus
		ends    bool
	}{
		"none is gone":                {0, "", nil, false},
		"one is gone":                 {1, "", nil, false},
		"one is gone that was used":   {1, "", []v1alpha1.VolumeStatus{{Name: "pv"}}, true},
		"one is gone, with its files": {1, v1alpha1.TestFilesPresent, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build())
			target := &s.SB.Spec.Targets[0]
			names := storage.ClaimNames(s.SB, target)
			s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: target.Name, TestFiles: test.files, Volumes: test.volumes}}
			status := &s.SB.Status.Targets[0]
			claims := owned.Claims{}
			for i, name := range names {
				status.SetClaimUID(name, "before")
				if i >= test.gone {
					claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "before"}}
				}
			}
			pvc.ForgetLost(s, target, claims)
			forgotten := sets.New[string]()
			for _, name := range names {
				if status.ClaimUID(name) == "" {
					forgotten.Insert(name)
				}
			}
			want := sets.New(names[:test.gone]...)
			if test.ends {
				want = sets.New[string]()
			}
			if !forgotten.Equal(want) || !s.Memory.Unmade.Equal(want) || s.SB.Status.HasMeasured() != test.ends {
				t.Errorf("%v are forgotten, %v are known not to be made, and it ends: %t", forgotten, s.Memory.Unmade, s.SB.Status.HasMeasured())
			}
		})
	}
}
