package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
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
	w.cluster.OnClaim(func(claim *corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
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
