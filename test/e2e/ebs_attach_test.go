//go:build e2e

package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Kubernetes attaches a volume of EBS to the node of its pod, in whose zone it is, and a benchmark ends when it is detached and deleted.
func TestEBSVolumeIsAttached(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "attached", lasting(10), onEBS)
	create(t, sb)
	pod := runningPod(t, sb)
	volume := volumeOf(t, pod)
	if at := attachments(t, volume); len(at) != 1 || at[0].Spec.NodeName != pod.Spec.NodeName || !at[0].Status.Attached {
		t.Errorf("the volume of pod %s on node %s has the attachments %+v", pod.Name, pod.Spec.NodeName, at)
	}
	if affinity := volume.Spec.NodeAffinity; affinity == nil || !strings.Contains(affinity.String(), corev1.LabelTopologyZone) {
		t.Errorf("the volume can be at nodes of %v", affinity)
	}
	completes(t, sb)
	if at := attachments(t, volume); len(at) != 0 {
		t.Errorf("after the benchmark the volume has the attachments %+v", at)
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(volume), volume); !apierrors.IsNotFound(err) {
		t.Errorf("after the benchmark the volume is there: %v", err)
	}
}

// onEBS has a benchmark measure a gp3 volume.
func onEBS(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Targets = []v1alpha1.Target{{Name: "volume", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}}
}

// volumeOf returns the volume of a pod that has one.
func volumeOf(t *testing.T, pod *corev1.Pod) *corev1.PersistentVolume {
	t.Helper()
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim, volume := &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{}
		if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: pod.Namespace, Name: v.PersistentVolumeClaim.ClaimName}, claim); err != nil {
			t.Fatal(err)
		}
		if err := k8s.Get(t.Context(), client.ObjectKey{Name: claim.Spec.VolumeName}, volume); err != nil {
			t.Fatal(err)
		}
		return volume
	}
	t.Fatalf("pod %s has no volume", pod.Name)
	return nil
}

// attachments returns those of a volume.
func attachments(t *testing.T, volume *corev1.PersistentVolume) (found []storagev1.VolumeAttachment) {
	t.Helper()
	var all storagev1.VolumeAttachmentList
	if err := k8s.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, one := range all.Items {
		if name := one.Spec.Source.PersistentVolumeName; name != nil && *name == volume.Name {
			found = append(found, one)
		}
	}
	return found
}
