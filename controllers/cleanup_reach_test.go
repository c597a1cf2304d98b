package controllers

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// counted counts the pods that have removed test files. Those that measure do so until they are released.
func counted(w *testWorld) (cleaned *atomic.Int64, release func()) {
	cleaned = &atomic.Int64{}
	decide := func(measured fakecluster.Outcome) func(*corev1.Pod) fakecluster.Outcome {
		return func(pod *corev1.Pod) fakecluster.Outcome {
			if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleCleanUp {
				return measured
			}
			cleaned.Add(1)
			return fakecluster.Succeed(builder.Report())
		}
	}
	w.Cluster.OnPod(decide(fakecluster.Hang(job.MeasureContainer)))
	return cleaned, func() { w.Cluster.OnPod(decide(fakecluster.Succeed(builder.Report()))) }
}

// onlyClaim returns the only claim of the operator's.
func (w *testWorld) onlyClaim() *corev1.PersistentVolumeClaim {
	w.Helper()
	claims := w.claims()
	if len(claims) != 1 {
		w.Fatalf("claims are %v", claims)
	}
	return &claims[0]
}

// That a claim is gone says nothing of the objects in a bucket. They are removed through another claim.
func TestBucketIsEmptiedWithoutItsClaim(t *testing.T) {
	w := newWorld(t)
	cleaned, release := counted(w)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.delete(w.onlyClaim())
	release()

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if state := sb.Status.Targets[0].TestFiles; state != v1alpha1.TestFilesRemoved || cleaned.Load() == 0 {
		t.Errorf("test files are %q, and pods that remove them were seen %d times", state, cleaned.Load())
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Deletion in the foreground has Kubernetes delete claims at once.
func TestBucketIsEmptiedAfterDeletionInTheForeground(t *testing.T) {
	w := newWorld(t)
	cleaned, _ := counted(w)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)

	w.delete(sb, foreground)
	w.untilGone(sb)

	if cleaned.Load() == 0 {
		t.Error("no pod has removed the objects")
	}
	if err := w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind); err == nil {
		t.Error("something is said to be left")
	}
}

// What a driver has made for a claim cannot be reached without it. Files that stay there are named, with what can be
// done.
func TestFilesThatAreOutOfReach(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(*testWorld, *v1alpha1.StorageBenchmark, func()){
		"deletion in the foreground": func(w *testWorld, sb *v1alpha1.StorageBenchmark, _ func()) { w.delete(sb, foreground) },
		"the claim is deleted": func(w *testWorld, sb *v1alpha1.StorageBenchmark, release func()) {
			w.delete(w.onlyClaim())
			release()
			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if state := sb.Status.Targets[0].TestFiles; state != v1alpha1.TestFilesLeftBehind {
				w.Errorf("test files are %q", state)
			}
			w.delete(sb)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cleaned, release := counted(w)
			class := create(w, &storagev1.StorageClass{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "efs-"}, Provisioner: storage.EFSDriver, ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete),
			})
			w.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(w.Context()), class) })
			sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].StorageClassName = &class.Name
			}).Build())
			w.untilStep(sb, v1alpha1.ReasonMeasuring)
			claim := w.onlyClaim()

			after(w, sb, release)

			w.untilGone(sb)
			if name == "deletion in the foreground" && cleaned.Load() > 0 {
				return // the operator was faster than Kubernetes, and has kept the claim until the files were removed
			}
			w.Eventually(func() error {
				return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind,
					"directory storagebench-"+string(sb.UID)+" on volume handle-"+claim.Name+", whose claim is gone", "remove that directory")
			})
		})
	}
}

// A bucket is mounted again where its claim was deleted between runs.
func TestBucketIsMountedAgain(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	claim := w.onlyClaim()
	w.delete(claim)
	w.Eventually(func() error { return w.gone(claim.DeepCopy()) })
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
	w.Eventually(func() error {
		volumes := w.volumes()
		if len(volumes) != 1 || volumes[0].Spec.ClaimRef.UID == claim.UID {
			return fmt.Errorf("volumes are %v", volumes)
		}
		return nil
	})
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))

	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A volume that was to be made anew, and that Kubernetes does not let go, is waited for until a deadline, and is named.
func TestBucketWhoseVolumeStays(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.ProvisioningSeconds = new(int32(60)) }).Build())
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
	claim, volume := w.onlyClaim(), w.volumes()[0]
	held := client.MergeFrom(volume.DeepCopy())
	volume.Finalizers = append(volume.Finalizers, "example.com/held")
	if err := w.Client.Patch(t.Context(), &volume, held); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.letGo(&volume) })
	w.delete(claim)
	w.Eventually(func() error { return w.gone(claim.DeepCopy()) })
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "target s3: PersistentVolume "+volume.Name+" is being deleted", "example.com/held")
	w.passUntil(time.Minute, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "PersistentVolume "+volume.Name)
	}, sb)
	w.letGo(&volume)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "is being deleted")
}

// letGo removes a finalizer of somebody's.
func (w *testWorld) letGo(object client.Object) {
	w.Helper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := w.Client.Patch(context.WithoutCancel(w.Context()), object, patch); client.IgnoreNotFound(err) != nil {
		w.Error(err)
	}
}

// While a benchmark is suspended, whoever may make claims can put another one, or another volume, in the place of its
// own. Nothing on that is removed: on a bucket, clean-up would remove all that there is. What is left of the
// benchmark's own is named.
func TestSwappedStorageIsNotCleaned(t *testing.T) {
	t.Parallel()
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	for name, swap := range map[string]func(w *testWorld, sb *v1alpha1.StorageBenchmark, name string) client.Object{
		"a claim": func(w *testWorld, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			return claimOf(w.Namespace, name, size)
		},
		"a claim that passes for the benchmark's": func(w *testWorld, sb *v1alpha1.StorageBenchmark, name string) client.Object {
			claim := claimOf(w.Namespace, name, size)
			claim.Labels, claim.OwnerReferences = childmeta.Labels(sb, v1alpha1.LabelTarget, "s3", v1alpha1.LabelClient, "0"), []metav1.OwnerReference{builder.OwnedBy(sb)}
			return claim
		},
		"a volume": func(w *testWorld, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			volume := w.volumes()[0]
			w.delete(&volume)
			w.Eventually(func() error { return w.gone(volume.DeepCopy()) })
			return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
				Capacity: volume.Spec.Capacity, AccessModes: volume.Spec.AccessModes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				PersistentVolumeSource: volume.Spec.PersistentVolumeSource,
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cleaned, _ := counted(w)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
			w.untilStep(sb, v1alpha1.ReasonMeasuring)
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
			w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
			claim := w.onlyClaim()
			w.delete(claim)
			w.Eventually(func() error { return w.gone(claim.DeepCopy()) })
			theirs := create(w, swap(w, sb, claim.Name))
			t.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(t.Context()), theirs) })
			before := theirs.DeepCopyObject().(client.Object)

			w.delete(sb)
			w.Eventually(func() error { return w.gone(sb.DeepCopy()) })

			if n := cleaned.Load(); n > 0 {
				t.Errorf("pods that remove files were seen %d times", n)
			}
			if err := w.gone(theirs); metav1.IsControlledBy(before, sb) {
				return // Kubernetes deletes what names a benchmark as its owner
			} else if err == nil || theirs.GetDeletionTimestamp() != nil || len(theirs.GetOwnerReferences()) > 0 || len(theirs.GetLabels()) > 0 {
				t.Errorf("it is %+v", theirs)
			}
			w.Eventually(func() error {
				return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "objects of s3://my-bucket/", "aws s3 rm --recursive")
			})
		})
	}
}

// What was on somebody's claim goes with its volume, unless that is retained, or its driver leaves files behind, or
// nobody deletes it.
func TestFilesOfALostClaim(t *testing.T) {
	const retain, remove, gone = corev1.PersistentVolumeReclaimRetain, corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimPolicy("")
	for name, test := range map[string]struct {
		policy corev1.PersistentVolumeReclaimPolicy
		by     string // the driver that has made the volume
		noted  string // in the status
		want   v1alpha1.TestFilesState
	}{
		"retained":                             {retain, fakecluster.Driver, fakecluster.Driver, v1alpha1.TestFilesLeftBehind},
		"to be deleted":                        {remove, fakecluster.Driver, fakecluster.Driver, v1alpha1.TestFilesRemoved},
		"gone":                                 {gone, "", fakecluster.Driver, v1alpha1.TestFilesRemoved},
		"to be deleted, and files stay":        {remove, storage.EFSDriver, storage.EFSDriver, v1alpha1.TestFilesLeftBehind},
		"to be deleted, files stay, not noted": {remove, storage.EFSDriver, "", v1alpha1.TestFilesLeftBehind},
		"gone, and files stay":                 {gone, "", storage.EFSDriver, v1alpha1.TestFilesLeftBehind},
		"gone, of a bucket":                    {gone, "", storage.S3Driver, v1alpha1.TestFilesLeftBehind},
		"made by hand, and nobody deletes it":  {remove, "", "", v1alpha1.TestFilesLeftBehind},
		"gone, and nobody knows what it was":   {gone, "", "", v1alpha1.TestFilesLeftBehind},
	} {
		t.Run(name, func(t *testing.T) {
			target := builder.NewClaimTarget("t", "mine")
			sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Driver: test.noted, Volumes: []v1alpha1.VolumeStatus{{Name: "pv", Handle: "vol-1"}}}}
			s := passOver(&Reconciler{Live: fakeLive(test.policy, test.by)}, sb)
			if got, err := filesOfLostClaim(t, s, &target); err != nil || got != test.want {
				t.Errorf("test files are %s, %v, want %s", got, err, test.want)
			}
			if gone, err := pvc.IsClaimGone(t.Context(), s, &target); err != nil || !gone {
				t.Errorf("the claim is gone: %t, %v", gone, err)
			}
			if left := cleanup.LeftFiles(s.SB, &target, cleanup.ClaimGone, ""); left.What != "directory storagebench- on volume vol-1, whose claim is gone" {
				t.Errorf("left is %q", left.What)
			}
		})
	}
}

// A volume that has come to a claim which is there does not go, and what is on it stays.
func TestFilesOnAVolumeThatAnotherClaimHas(t *testing.T) {
	claim := claimOf("ns", "mine", nil)
	claim.UID, claim.Spec.VolumeName = "after", "pv"
	ending := claim.DeepCopy()
	ending.DeletionTimestamp, ending.Finalizers = at(0), []string{"kubernetes.io/pvc-protection"}
	another := claim.DeepCopy()
	another.UID = "another"
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv", Annotations: map[string]string{owned.ProvisionedBy: fakecluster.Driver}},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete, ClaimRef: &corev1.ObjectReference{Namespace: "ns", Name: "mine", UID: "after"},
		},
	}
	for name, test := range map[string]struct {
		claims []client.Object
		want   v1alpha1.TestFilesState
	}{
		"it is there":                      {[]client.Object{claim}, v1alpha1.TestFilesLeftBehind},
		"it is being deleted":              {[]client.Object{ending}, v1alpha1.TestFilesRemoved},
		"it is gone":                       {nil, v1alpha1.TestFilesRemoved},
		"it is gone, another has its name": {[]client.Object{another}, v1alpha1.TestFilesRemoved},
	} {
		target := builder.NewClaimTarget("t", "mine")
		sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
		sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Driver: fakecluster.Driver, Claims: []v1alpha1.ClaimStatus{{Name: "mine", UID: "before"}}, Volumes: []v1alpha1.VolumeStatus{{Name: "pv"}}}}
		live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(volume.DeepCopy()).WithObjects(test.claims...).Build()
		if got, err := filesOfLostClaim(t, passOver(&Reconciler{Live: live}, sb), &target); err != nil || got != test.want {
			t.Errorf("%s: test files are %s, %v, want %s", name, got, err, test.want)
		}
	}
}

// The cache may still have a claim of which users are told what to do now that it is gone.
func TestClaimIsGoneBeforeTheCacheHearsOfIt(t *testing.T) {
	sb := builder.OneRun("ns", "sb").Build()
	sb.Status.StartTime = at(0)
	target := &sb.Spec.Targets[0]
	name := storage.ClaimName(sb, target, 0)
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)}}}
	somebodys := claim.DeepCopy()
	somebodys.OwnerReferences = nil
	for _, test := range []struct {
		name string
		live []client.Object
		want bool
	}{
		{"gone", nil, true}, {"there", []client.Object{claim}, false}, {"somebody else has made one of the name", []client.Object{somebodys}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(test.live...).Build()
			s := passOver(&Reconciler{Live: live}, sb)
			s.Children.Claims = map[string]*corev1.PersistentVolumeClaim{name: claim}
			if gone, err := pvc.IsClaimGone(t.Context(), s, target); err != nil || gone != test.want {
				t.Errorf("the claim is gone: %t, %v", gone, err)
			}
		})
	}
}

// filesOfLostClaim says what becomes of test files on somebody's claim that is gone.
func filesOfLostClaim(t *testing.T, p *pass.Pass, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	t.Helper()
	volumes, err := pvc.LostVolumes(t.Context(), p, target)
	return cleanup.FilesOnLostClaim(p.SB.Status.Target(target.Name).Driver, volumes...), err
}

// fakeLive has a volume of a reclaim policy that a driver has made, none of "".
func fakeLive(policy corev1.PersistentVolumeReclaimPolicy, by string) client.Reader {
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme())
	if policy != "" {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: policy, PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: by}},
		}}
		if by != "" {
			pv.Annotations = map[string]string{owned.ProvisionedBy: by}
		}
		c.WithObjects(pv)
	}
	return c.Build()
}
