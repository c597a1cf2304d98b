package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
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

// laidOut returns which attempts of runs have laid out files, by run and attempt, of the Jobs that are there.
func laidOut(w *testWorld) map[string]bool {
	w.Helper()
	seen := map[string]bool{}
	for _, j := range w.jobs() {
		if j.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun {
			seen[j.Annotations[v1alpha1.AnnotationRun]+" "+j.Labels[v1alpha1.LabelAttempt]] = job.LaysOutFirst(&j.Spec.Template.Spec)
		}
	}
	return seen
}

// A claim that was deleted while the benchmark was suspended comes back with another volume, on which nothing is laid
// out. What was measured before is told apart from what comes after.
func TestClaimReplacedWhileSuspended(t *testing.T) {
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
				With(func(sb *v1alpha1.StorageBenchmark) {
					sb.Spec.Repetitions, sb.Spec.CleanupPolicy = new(int32(3)), v1alpha1.CleanupRetain
				}).Build())
			before := suspendedAfterFirst(w, sb).Status.Targets[0]
			test.replace(w)
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			after := sb.Status.Targets[0]
			if before.ClaimsUID == "" || after.ClaimsUID == before.ClaimsUID || after.RunsBeforeReplacement == nil || *after.RunsBeforeReplacement != 1 {
				t.Errorf("the claim was %q and is %q, after %v runs", before.ClaimsUID, after.ClaimsUID, after.RunsBeforeReplacement)
			}
			if len(after.Volumes) != 1 || after.Volumes[0].Name == before.Volumes[0].Name {
				t.Errorf("volumes were %v and are %v", before.Volumes, after.Volumes)
			}
			runs := sb.Status.Runs
			if seen := laidOut(w); !seen[runs[1].Name+" 2"] || seen[runs[2].Name+" 1"] {
				t.Errorf("files are laid out by %v", seen)
			}
			if len(sb.Status.Warnings) == 0 || sb.Status.Warnings[0].Reason != v1alpha1.WarningVolumeReplaced || sb.Status.Warnings[0].Message == "" {
				t.Errorf("warnings are %+v", sb.Status.Warnings)
			}
		})
	}
}

// No anchor holds a ReadWriteOncePod volume. When the node is lost, its claim has no pod for a moment. If it stays,
// what was laid out is on its volume, and is used from the next node. If it is deleted, another volume comes in its
// place, as after that of any other claim.
func TestNodeLostWithReadWriteOncePod(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"the claim stays": false, "the claim is deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			laidOut := map[string]bool{}
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				attempt := pod.Annotations[v1alpha1.AnnotationRun] + " " + pod.Labels[v1alpha1.LabelAttempt]
				laidOut[attempt] = job.LaysOutFirst(&pod.Spec)
				if attempt == "reads.t.2 1" {
					return fakecluster.Hang(job.MeasureContainer)
				}
				return fakecluster.Succeed(builder.Report())
			})
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("t")).Workload(builder.NewWorkload("reads")).
				With(func(sb *v1alpha1.StorageBenchmark) {
					sb.Spec.Repetitions, sb.Spec.CleanupPolicy = new(int32(3)), v1alpha1.CleanupRetain
					sb.Spec.Targets[0].AccessMode = new(corev1.ReadWriteOncePod)
				}).Build())
			before := w.untilStep(sb, v1alpha1.ReasonMeasuring, "(2 of 3)").Status.Targets[0]

			if deleted {
				w.delete(w.onlyClaim())
			}
			w.loseAnchor()

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			after, run := sb.Status.Targets[0], sb.Status.Runs[1]
			// A claim that is deleted stays as long as a pod has it. So an attempt may begin with it, and be disrupted when it
			// is replaced.
			if most := map[bool]int32{false: 2, true: 3}[deleted]; run.Attempts < 2 || run.Attempts > most || run.Disruptions != run.Attempts-1 || sb.Status.Anchors[0].Disruptions != 1 {
				t.Errorf("the run is %+v, the anchor %+v", run, sb.Status.Anchors[0])
			}
			last := fmt.Sprintf("reads.t.2 %d", run.Attempts)
			want := map[string]bool{"reads.t.1 1": true, "reads.t.2 1": false, last: deleted, "reads.t.3 1": false}
			maps.DeleteFunc(laidOut, func(attempt string, lays bool) bool { // it was told that its claim is another one before it measured
				return attempt == "reads.t.2 2" && attempt != last && !lays
			})
			if diff := cmp.Diff(want, laidOut); diff != "" {
				t.Errorf("attempts that lay out files (-want +got):\n%s", diff)
			}
			if other := after.ClaimsUID != before.ClaimsUID; other != deleted || ptr.Deref(after.RunsBeforeReplacement, 0) == 1 != deleted {
				t.Errorf("the claim was %q and is %q, after %d runs", before.ClaimsUID, after.ClaimsUID, ptr.Deref(after.RunsBeforeReplacement, 0))
			}
			told := slices.ContainsFunc(sb.Status.Warnings, func(warning v1alpha1.WarningSummary) bool { return warning.Reason == v1alpha1.WarningVolumeReplaced })
			if told != deleted {
				t.Errorf("warnings are %+v", sb.Status.Warnings)
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
func TestRetainedVolumeReplacedBeforeAnyResult(t *testing.T) {
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
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		t.Error(err)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if len(sb.Status.Warnings) > 0 && sb.Status.Warnings[0].Reason == v1alpha1.WarningVolumeReplaced {
		t.Errorf("there is a warning, and one volume was measured: %+v", sb.Status.Warnings[0])
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

// Another claim that is bound to the same volume replaces nothing, and one that is gone is not relied on.
func TestNoteExistingClaim(t *testing.T) {
	claim := func(volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "mine", UID: "new"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume},
		}
	}
	for name, test := range map[string]struct {
		noted    string
		claim    *corev1.PersistentVolumeClaim
		uid      string
		replaced bool
	}{
		"none was noted":          {"", claim("other"), "new", false},
		"the same":                {"new", claim("pv"), "new", false},
		"another of the volume":   {"old", claim("pv"), "new", false},
		"another":                 {"old", claim("other"), "new", true},
		"another without volume":  {"old", claim(""), "new", true},
		"none is there":           {"old", nil, "", true},
		"none was there, and yet": {"", nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewClaimTarget("t", "mine")
			sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", ClaimsUID: test.noted, Volumes: []v1alpha1.VolumeStatus{{Name: "pv"}}}}
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme())
			if test.claim != nil {
				live.WithObjects(test.claim)
			}
			s := passOver(&Reconciler{Live: live.Build(), Clock: fakecluster.NewClock()}, sb)
			if err := pvc.NoteExistingClaim(t.Context(), s, &target); err != nil {
				t.Fatal(err)
			}
			if got := &sb.Status.Targets[0]; got.ClaimsUID != test.uid || (got.RunsBeforeReplacement != nil) != test.replaced || (len(got.Volumes) == 0) != test.replaced {
				t.Errorf("status is %+v", got)
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
		"an attempt before wrote on what is gone":     {before: present, volumes: old, begun: true, want: present},
		"one before wrote on what is kept":            {before: present, volumes: old, policy: corev1.PersistentVolumeReclaimRetain, want: v1alpha1.TestFilesLeftBehind, concludes: true},
		"one before wrote where nobody has seen what": {before: present, want: v1alpha1.TestFilesLeftBehind, concludes: true},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewClaimTarget("t", "mine")
			sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Claims: []string{"mine"}, Driver: "csi.fake", ClaimsUID: "before", TestFiles: test.before, Volumes: test.volumes}}
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
			if noted := status.ClaimsUID == "after" && len(status.Volumes) == 1 && status.Volumes[0].Name == "new"; noted == test.concludes {
				t.Errorf("status is %+v", status)
			}
		})
	}
}

// An attempt that was to find files there is made again; one that lays them out, or is on another target, is not.
func TestForgetVolumes(t *testing.T) {
	run := func(target string, state v1alpha1.RunState) v1alpha1.Run {
		return v1alpha1.Run{Name: target + string(state), Target: target, State: state, Attempts: 1}
	}
	for name, test := range map[string]struct {
		runs   []v1alpha1.Run
		before int32
		again  bool
	}{
		"nothing was made":        {[]v1alpha1.Run{run("t", v1alpha1.RunPending)}, 0, false},
		"the first run":           {[]v1alpha1.Run{run("t", v1alpha1.RunRunning), run("t", v1alpha1.RunPending)}, 0, false},
		"the second run":          {[]v1alpha1.Run{run("t", v1alpha1.RunSucceeded), run("t", v1alpha1.RunRunning)}, 1, true},
		"the first one there":     {[]v1alpha1.Run{run("other", v1alpha1.RunSucceeded), run("t", v1alpha1.RunRunning)}, 1, false},
		"a run on another target": {[]v1alpha1.Run{run("t", v1alpha1.RunSucceeded), run("other", v1alpha1.RunRunning)}, 1, false},
		"between runs":            {[]v1alpha1.Run{run("t", v1alpha1.RunSucceeded), run("t", v1alpha1.RunFailed), run("t", v1alpha1.RunPending)}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.NewBenchmark("ns", "sb").Build()
			sb.Status.Runs = test.runs
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Volumes: []v1alpha1.VolumeStatus{{Name: "v"}}}}
			s := passOver(&Reconciler{Clock: fakecluster.NewClock()}, sb)
			status := &sb.Status.Targets[0]
			pvc.ForgetVolumes(s, status)
			got := status.RunsBeforeReplacement
			if got == nil || *got != test.before || len(status.Volumes) > 0 {
				t.Errorf("status is %+v", status)
			}
			disruptions := int32(0)
			for i := range sb.Status.Runs {
				disruptions += sb.Status.Runs[i].Disruptions
			}
			if (disruptions == 1) != test.again {
				t.Errorf("%d attempts are made again", disruptions)
			}
		})
	}
}

// What is forgotten is the claim that is gone. As long as all are there, the cache has yet to hear of them.
func TestForgetLost(t *testing.T) {
	for name, test := range map[string]struct {
		gone  int
		files v1alpha1.TestFilesState
		noted string
		ends  bool
	}{
		"none is gone":                {0, "", "before", false},
		"one is gone":                 {1, "", "", false},
		"one is gone, with its files": {1, v1alpha1.TestFilesPresent, "before", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build())
			target := &s.SB.Spec.Targets[0]
			s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: target.Name, ClaimsUID: "before", TestFiles: test.files}}
			claims := owned.Claims{}
			names := storage.ClaimNames(s.SB, target)
			for _, name := range names[test.gone:] {
				claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
			}
			pvc.ForgetLost(s, target, claims)
			if got := s.SB.Status.Target(target.Name).ClaimsUID; got != test.noted || s.SB.Status.HasMeasured() != test.ends {
				t.Errorf("noted is %q, and it ends: %t", got, s.SB.Status.HasMeasured())
			}
			if got := s.Memory.Unmade; !got.Equal(sets.New(names[:test.gone]...)) {
				t.Errorf("this operator knows of %v that they are not made", got)
			}
		})
	}
}
