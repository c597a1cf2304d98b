package controllers

import (
	"context"
	"maps"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// retainedVolume is a volume of another namespace, whose data its StorageClass has Kubernetes keep.
func retainedVolume(w *world, claim string) *corev1.PersistentVolume {
	w.Helper()
	return create(w, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "victims-", Annotations: map[string]string{provisionedBy: fakecluster.Driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: builder.StorageClass, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef:               &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: envtest.Namespace(w, w.client), Name: claim, UID: "victim"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: fakecluster.Driver, VolumeHandle: "victims-secret-handle"}},
		},
	})
}

// A claim can name any volume of the cluster. By one that passes for a benchmark's, a tenant neither has the operator delete
// the data of another namespace nor learns what the volume is called.
func TestForgedClaimOnVolumeOfAnotherNamespace(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.namespace, "sb").Suspended().Build())
	forged := child.Name(sb, "fast", "forged")
	victim := retainedVolume(w, forged)
	w.cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
	create(w, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: forged, Labels: child.Labels(sb, v1alpha1.LabelTarget, "fast"),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(builder.StorageClass), AccessModes: victim.Spec.AccessModes, VolumeName: victim.Name,
			Resources: corev1.VolumeResourceRequirements{Requests: victim.Spec.Capacity},
		},
	})
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := w.gone(victim); err == nil || victim.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain || !victim.DeletionTimestamp.IsZero() {
		t.Errorf("the victim's volume is %+v", victim)
	}
	for _, volume := range sb.Status.Targets[0].Volumes {
		if volume.Name == victim.Name || strings.Contains(volume.Handle, "victims") {
			t.Errorf("the status tells of volume %+v", volume)
		}
	}
}

// What has the name of an object that the operator would make, and is somebody else's, is neither taken over nor deleted.
func TestObjectsOfSomebodyElse(t *testing.T) {
	capacity := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	for name, test := range map[string]struct {
		target v1alpha1.Target
		theirs func(w *world, sb *v1alpha1.StorageBenchmark, name string) client.Object
		want   string
	}{
		"claim": {builder.NewTarget("t"), func(w *world, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			return claimOf(w.namespace, name, capacity)
		}, "PersistentVolumeClaim sb-t-"},
		"claim with the labels": {builder.NewTarget("t"), func(w *world, sb *v1alpha1.StorageBenchmark, name string) client.Object {
			claim := claimOf(w.namespace, name, capacity)
			claim.Labels = child.Labels(sb, v1alpha1.LabelTarget, "t")
			return claim
		}, "PersistentVolumeClaim sb-t-"},
		"StorageClass": {v1alpha1.Target{Name: "t", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}, func(_ *world, _ *v1alpha1.StorageBenchmark, name string) client.Object {
			return &storagev1.StorageClass{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: storage.EBSDriver, Parameters: map[string]string{"type": "gp3"},
				ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
			}
		}, "StorageClass sb-t-"},
		"PersistentVolume": {s3Target(), func(_ *world, sb *v1alpha1.StorageBenchmark, name string) client.Object {
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
			sb := create(w, builder.NewBenchmark(w.namespace, "sb").Target(test.target).Workload(reads("w")).Suspended().Build())
			theirs := create(w, test.theirs(w, sb, child.Name(sb, test.target.Name)))
			t.Cleanup(func() { _ = w.client.Delete(context.WithoutCancel(t.Context()), theirs) })
			before := theirs.DeepCopyObject().(client.Object)
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, test.want, "exists, and was not made for this benchmark; delete or rename it")
			w.delete(sb)
			w.eventually(func() error { return w.gone(sb.DeepCopy()) })

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

// Jobs and pods cannot be taken over: what they run cannot be changed, and the API server says so.
func TestJobsAndPodsOfSomebodyElse(t *testing.T) {
	spec := corev1.PodSpec{
		RestartPolicy:   corev1.RestartPolicyNever,
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: job.MeasureContainer, Image: "theirs", SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}}},
	}
	for name, test := range map[string]struct {
		repetitions int32
		theirs      func(sb *v1alpha1.StorageBenchmark) client.Object
		want        string
	}{
		"Job": {1, func(sb *v1alpha1.StorageBenchmark) client.Object {
			return &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Namespace: sb.Namespace, Name: job.RunName(sb, "randread.fast", 1, 0)},
				Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: spec}},
			}
		}, "the Job was refused"},
		"anchor": {2, func(sb *v1alpha1.StorageBenchmark) client.Object {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: sb.Namespace, Name: job.AnchorName(sb, 0, 1)}, Spec: spec}
		}, "was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := create(w, builder.OneRun(w.namespace, "sb").Suspended().With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = &test.repetitions }).Build())
			theirs := create(w, test.theirs(sb))
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })

			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, test.want)

			if err := w.gone(theirs); err == nil || theirs.GetLabels()[v1alpha1.LabelBenchmark] != "" || len(theirs.GetOwnerReferences()) > 0 || theirs.GetDeletionTimestamp() != nil {
				t.Errorf("theirs is %+v", theirs)
			}
		})
	}
}
