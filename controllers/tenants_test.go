package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// victimsClass is no other test's: a retained volume of their class would have benchmarks of a single run bind their
// claims first.
const victimsClass = "victims"

// retainedVolume is a volume of another namespace, whose data its StorageClass has Kubernetes keep.
func retainedVolume(w *testWorld, claim string) *corev1.PersistentVolume {
	w.Helper()
	uid := uuid.NewUUID() // of the claim that it was made for
	return create(w, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(uid), Annotations: map[string]string{owned.ProvisionedBy: fakecluster.Driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: victimsClass, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef:               &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: envtest.Namespace(w, w.Client), Name: claim, UID: uid},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: fakecluster.Driver, VolumeHandle: "victims-secret-handle"}},
		},
	})
}

// A claim can name any volume of the cluster. By one that passes for a benchmark's, a tenant neither has the operator
// delete the data of another namespace nor learns what the volume is called.
func TestForgedClaimOnVolumeOfAnotherNamespace(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	quota := w.limit("persistentvolumeclaims", 0)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "exceeded quota")
	stop() // the next one cannot know that the claim is not of this one
	w.delete(quota)
	forged := storage.ClaimName(sb, &sb.Spec.Targets[0], 0) // by any other name it would not even be looked at
	victim := retainedVolume(w, forged)
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
	create(w, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.Namespace, Name: forged, Labels: childmeta.Labels(sb, v1alpha1.LabelTarget, "fast", v1alpha1.LabelClient, "0"),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(victimsClass), AccessModes: victim.Spec.AccessModes, VolumeName: victim.Name,
			Resources: corev1.VolumeResourceRequirements{Requests: victim.Spec.Capacity},
		},
	})
	w.startOperator()

	// Kubernetes binds it no more than the operator believes it.
	ended := func() error {
		return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	}
	w.passUntil(300*time.Second, ended, sb)
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "the volume of target fast")

	if err := w.gone(victim); err == nil || victim.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain || !victim.DeletionTimestamp.IsZero() {
		t.Errorf("the victim's volume is %+v", victim)
	}
	if text := harness.Conditions(sb); strings.Contains(text, "victims") {
		t.Errorf("a condition tells of the volume: %s", text)
	}
	for _, volume := range sb.Status.Targets[0].Volumes {
		if volume.Name == victim.Name || strings.Contains(volume.Handle, "victims") {
			t.Errorf("the status tells of volume %+v", volume)
		}
	}
}

// forgedClaim makes a claim that is like one of the benchmark's in all but who has made it, and whose volume is
// retained.
func forgedClaim(w *testWorld, sb *v1alpha1.StorageBenchmark) *corev1.PersistentVolumeClaim {
	w.Helper()
	claim := claimOf(w.Namespace, storage.ClaimName(sb, &sb.Spec.Targets[0], 0), corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")})
	claim.Spec.StorageClassName = new(fakecluster.RetainClass)
	claim.Labels, claim.OwnerReferences = childmeta.Labels(sb, v1alpha1.LabelTarget, "fast", v1alpha1.LabelClient, "0"), []metav1.OwnerReference{builder.OwnedBy(sb)}
	create(w, claim)
	w.Eventually(func() error {
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(claim), claim); err != nil || claim.Spec.VolumeName != "" {
			return err
		}
		return errors.New("the claim is not bound")
	})
	return claim
}

// A benchmark's names are known as soon as it has a UID. A claim that somebody makes before the operator does, or in
// the place of the operator's own, passes for that by name, labels and owner. It is named, and neither measured nor
// deleted, and what its StorageClass retains stays retained.
func TestForgedClaimInThePlaceOfTheOperators(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testWorld, *v1alpha1.StorageBenchmark){
		"before it": func(*testWorld, *v1alpha1.StorageBenchmark) {},
		"after it": func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
			w.untilStep(sb, v1alpha1.ReasonMeasuring)
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
			w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
			claim := w.onlyClaim()
			w.delete(claim)
			w.Eventually(func() error { return w.gone(claim) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
			}).Build())
			prepare(w, sb)
			runs := len(w.runPods())
			claim := forgedClaim(w, sb)
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			w.passUntil(pvc.NotePatience, func() error { // a second operator would have noted it by then
				return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed)
			}, sb)
			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "PersistentVolumeClaim "+claim.Name+" exists, and was not made for this benchmark")
			if got := len(w.runPods()); got > runs {
				t.Errorf("%d pods measure that did not before", got-runs)
			}

			volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
			if err := w.gone(claim); err == nil || !claim.DeletionTimestamp.IsZero() {
				t.Errorf("the claim is %+v", claim)
			}
			if err := w.gone(volume); err == nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
				t.Errorf("the volume is %+v", volume)
			}
		})
	}
}

// A claim is somebody else's where this operator knows that it has made none of that name, and no other operator notes
// it within notePatience. This operator knows nothing of what an operator before it has made.
func TestClaimThatWasNeverMade(t *testing.T) {
	sb := builder.OneRun("ns", "sb").Build()
	target := &sb.Spec.Targets[0]
	claim := claimOf("ns", storage.ClaimName(sb, target, 0), nil)
	claim.OwnerReferences = []metav1.OwnerReference{builder.OwnedBy(sb)}
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumeclaims"}, claim.Name, errors.New("exceeded quota"))
	claim.UID = "claim"
	for name, test := range map[string]struct {
		remember func(*pass.Memory)
		noted    types.UID
		foreign  bool
	}{
		"another operator may have made it": {func(*pass.Memory) {}, "", false},
		"none was made":                     {func(m *pass.Memory) { m.NoteUnmade(claim.Name) }, "", true},
		"it was refused":                    {func(m *pass.Memory) { m.NoteUnmade(claim.Name); m.NoteMade(claim.Name, refused) }, "", true},
		"it was made":                       {func(m *pass.Memory) { m.NoteUnmade(claim.Name); m.NoteMade(claim.Name, nil) }, "", false},
		"nobody knows": {func(m *pass.Memory) {
			m.NoteUnmade(claim.Name)
			m.NoteMade(claim.Name, apierrors.NewTimeoutError("late", 0))
		}, "", false},
		"another operator made it and noted it": {func(m *pass.Memory) { m.NoteUnmade(claim.Name) }, "claim", false},
	} {
		t.Run(name, func(t *testing.T) {
			sb := sb.DeepCopy()
			sb.Status.StartTime = at(0)
			sb.Status.Targets = []v1alpha1.TargetStatus{{
				Name: target.Name, Claims: []v1alpha1.ClaimStatus{{Name: claim.Name, UID: test.noted}},
			}}
			p := passOver(&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim).Build()}, sb)
			test.remember(p.Memory)
			there, err := pvc.ReadInPlace(t.Context(), p, storage.For(sb, target, storage.User{}))
			if taken := there.TakenFrom(&p.Children); err != nil || taken != "" {
				t.Errorf("taken at once: %q, %v", taken, err)
			}
			facts := owned.ProvisionFacts{Unnoted: there.UnnotedOf(&p.Children)}
			pvc.JudgeUnnoted(p.Memory, &facts, noon)
			pvc.JudgeUnnoted(p.Memory, &facts, noon.Add(pvc.NotePatience-1))
			if facts.Taken != "" || (facts.Unnoted != "") != test.foreign {
				t.Errorf("taken before its time, or waited for in vain: %+v", facts)
			}
			if pvc.JudgeUnnoted(p.Memory, &facts, noon.Add(pvc.NotePatience)); (facts.Taken != "") != test.foreign {
				t.Errorf("in the end: %+v", facts)
			}
		})
	}
}

// What has the name of an object that the operator would make, and is somebody else's, is neither taken over nor
// deleted.
func TestObjectsOfSomebodyElse(t *testing.T) {
	t.Parallel()
	capacity := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	for name, test := range map[string]struct {
		target v1alpha1.Target
		theirs func(w *testWorld, sb *v1alpha1.StorageBenchmark, name string) client.Object
		want   string
	}{
		"claim": {builder.NewTarget("t"), func(w *testWorld, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			return claimOf(w.Namespace, name, capacity)
		}, "PersistentVolumeClaim sb-t-"},
		"claim with the labels": {builder.NewTarget("t"), func(w *testWorld, sb *v1alpha1.StorageBenchmark, name string) client.Object {
			claim := claimOf(w.Namespace, name, capacity)
			claim.Labels = childmeta.Labels(sb, v1alpha1.LabelTarget, "t")
			return claim
		}, "PersistentVolumeClaim sb-t-"},
		"StorageClass": {v1alpha1.Target{Name: "t", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}, func(_ *testWorld, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			return &storagev1.StorageClass{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: storage.EBSDriver, Parameters: map[string]string{"type": "gp3"},
				ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
			}
		}, "StorageClass sb-t-"},
		"PersistentVolume": {s3Target(), func(_ *testWorld, sb *v1alpha1.StorageBenchmark, name string) client.Object {
			return &corev1.PersistentVolume{
				// Of a benchmark in another namespace.
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelUID: "another"}},
				Spec: corev1.PersistentVolumeSpec{
					Capacity: capacity, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
					PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: storage.S3Driver, VolumeHandle: name, VolumeAttributes: map[string]string{"bucketName": "my-bucket"}}},
				},
			}
		}, "PersistentVolume sb-s3-"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(test.target).Workload(reads("w")).Suspended().Build())
			theirs := create(w, test.theirs(w, sb, childmeta.Name(sb, test.target.Name)))
			t.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(t.Context()), theirs) })
			before := theirs.DeepCopyObject().(client.Object)
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, test.want, "exists, and was not made for this benchmark; delete or rename it")
			w.delete(sb)
			w.Eventually(func() error { return w.gone(sb.DeepCopy()) })

			if err := w.gone(theirs); err == nil {
				t.Fatal("it is gone")
			}
			if !maps.Equal(theirs.GetLabels(), before.GetLabels()) || len(theirs.GetOwnerReferences()) > 0 || theirs.GetDeletionTimestamp() != nil {
				t.Errorf("it has labels %v, owners %v, deleted %v", theirs.GetLabels(), theirs.GetOwnerReferences(), theirs.GetDeletionTimestamp())
			}
		})
	}
}

func claimOf(namespace, name string, capacity corev1.ResourceList) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(builder.StorageClass), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: capacity},
		},
	}
}

// podOfSomebodyElse is what a pod does that is not the operator's.
func podOfSomebodyElse() corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:   corev1.RestartPolicyNever,
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: job.MeasureContainer, Image: "theirs", SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}}},
	}
}

// Jobs and pods cannot be taken over: what they run cannot be changed, and the API server says so.
func TestJobsAndPodsOfSomebodyElse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		repetitions int32
		theirs      func(sb *v1alpha1.StorageBenchmark) client.Object
		want        string
	}{
		"Job": {1, func(sb *v1alpha1.StorageBenchmark) client.Object {
			return &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Namespace: sb.Namespace, Name: childmeta.RunName(sb, "randread.fast", 1, 0)},
				Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: podOfSomebodyElse()}},
			}
		}, "the Job was refused"},
		"anchor": {2, func(sb *v1alpha1.StorageBenchmark) client.Object {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: sb.Namespace, Name: childmeta.AnchorName(sb, 0, 1)}, Spec: podOfSomebodyElse()}
		}, "was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = &test.repetitions }).Build())
			theirs := create(w, test.theirs(sb))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, test.want)

			if err := w.gone(theirs); err == nil || theirs.GetLabels()[v1alpha1.LabelBenchmark] != "" || len(theirs.GetOwnerReferences()) > 0 || theirs.GetDeletionTimestamp() != nil {
				t.Errorf("theirs is %+v", theirs)
			}
		})
	}
}

// forgeries are objects of somebody else that pass for a benchmark's by labels and owner. Only their names are their
// own.
func forgeries(w *testWorld, sb *v1alpha1.StorageBenchmark) map[string]client.Object {
	owned := func(labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: w.Namespace, Labels: labels, Annotations: map[string]string{v1alpha1.AnnotationRun: "randread.fast"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))},
		}
	}
	run := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, "fast", v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0")
	anchor := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0")
	spec := podOfSomebodyElse()
	claim := claimOf(w.Namespace, "forged", corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")})
	claim.ObjectMeta, claim.Spec.StorageClassName = owned(childmeta.Labels(sb, v1alpha1.LabelTarget, "fast", v1alpha1.LabelClient, "0")), new(fakecluster.RetainClass)
	objects := map[string]client.Object{
		"claim":     claim,
		"Job":       &batchv1.Job{ObjectMeta: owned(run), Spec: batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: spec}}},
		"pod":       &corev1.Pod{ObjectMeta: owned(run), Spec: spec},
		"lone pod":  &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Labels: run, Annotations: owned(run).Annotations}, Spec: spec},
		"anchor":    &corev1.Pod{ObjectMeta: owned(anchor), Spec: spec},
		"ConfigMap": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Labels: childmeta.Labels(sb)}},
	}
	for what, object := range objects {
		object.SetName("theirs-" + strings.ToLower(strings.ReplaceAll(what, " ", "-")))
	}
	return objects
}

// What has the labels of a benchmark, and names it as its owner, is not touched as long as its name is not one that the
// benchmark gives. The volume of such a claim stays retained.
func TestForgedLabelsAndOwner(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Spec.Containers[0].Image == "theirs" {
			return fakecluster.Hang(job.MeasureContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(pod.Spec.Containers[0].Name) })
	sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())
	forged := forgeries(w, sb)
	for _, object := range forged {
		create(w, object)
	}
	w.Eventually(func() error {
		if volumes := w.volumes(); len(volumes) != 1 || volumes[0].Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
			return fmt.Errorf("the volumes of the forged claim are %v", volumes)
		}
		return nil
	})
	victim := &w.volumes()[0]
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		t.Error(err)
	}
	for what, object := range forged {
		if err := w.gone(object); err == nil || object.GetDeletionTimestamp() != nil {
			t.Errorf("the forged %s was deleted", what)
		}
	}
	if err := w.gone(victim); err == nil || victim.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		t.Errorf("the volume of the forged claim is %+v", victim.Spec)
	}
	// The labels alone, without an owner, do not let Kubernetes delete anything either.
	w.delete(sb)
	w.Eventually(func() error { return w.gone(sb.DeepCopy()) })
	for _, what := range []string{"lone pod", "ConfigMap"} {
		if err := w.gone(forged[what]); err == nil || forged[what].GetDeletionTimestamp() != nil {
			t.Errorf("the %s was deleted with the benchmark", what)
		}
	}
}
