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

// Two clients on two nodes measure one raw block volume of type io2, which is attached to both, and share its IOPS.
func TestEBSVolumeIsAttachedTwice(t *testing.T) {
	sideBySide(t, load(2))
	sb := benchmark(t, "attached-twice", clients(2), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{
			Name: "io2", EBS: &v1alpha1.EBSVolume{Type: "io2", IOPS: new(int32(1000))},
			AccessMode: new(corev1.ReadWriteMany), VolumeMode: new(corev1.PersistentVolumeBlock),
		}}
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("16k"), IODepth: new(int32(4)), IOEngine: new("libaio"), Direct: new(true),
			Size: new("64M"), TimeBased: new(true), RuntimeSeconds: new(int32(3)),
		}
	})
	create(t, sb)
	volume := volumeOf(t, runningPod(t, sb))
	nodes := map[string]bool{}
	for _, one := range attachments(t, volume) {
		nodes[one.Spec.NodeName] = one.Status.Attached
	}
	done := completes(t, sb)
	run, first, second := &done.Status.Runs[0], done.Status.NodeOf(0), done.Status.NodeOf(1)
	if len(nodes) != 2 || !nodes[first] || !nodes[second] {
		t.Errorf("the volume was attached to %v, the clients were on %q and %q", nodes, first, second)
	}
	if volumes := done.Status.Targets[0].Volumes; len(volumes) != 1 {
		t.Errorf("the clients had the volumes %+v", volumes)
	}
	write := run.Result.Of(v1alpha1.OperationWrite)
	// A client has all of the volume's rate while the other one has not begun, or has ended.
	elapsed, together := run.Result.ElapsedMilliseconds, run.Result.CommonMilliseconds
	most := 1000 * (2*elapsed - together) / max(elapsed, 1) * 105 / 100
	if each := write.PerClient; run.Result.Clients != 2 || each == nil || each.MinMilliIOPS == 0 || write.IOPS() > most {
		t.Errorf("the result of both is %+v, %+v", run.Result, write)
	}
	checkClientRecords(t, run)
	if at := attachments(t, volume); len(at) != 0 {
		t.Errorf("after the benchmark the volume has the attachments %+v", at)
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
