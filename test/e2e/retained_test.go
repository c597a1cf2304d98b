//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A volume that somebody has retained, and freed for use by another claim, can come to a benchmark's claim. It still has the
// annotation of the provisioner that has once made it, and it is kept as it was.
func TestRetainedVolumeIsKept(t *testing.T) {
	sideBySide(t)
	retaining := retainingClass(t, storagev1.VolumeBindingImmediate)
	kept := retainedVolume(t, retaining)
	sb := benchmark(t, "on-retained", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &retaining.Name
		// Pods on such a volume have no fsGroup but the user's, and the root of its file system is root's.
		sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(65532)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		}}
	})
	create(t, sb)

	done := until(t, sb, "the benchmark's end", ended)

	if c := succeeded(done); c.Status != metav1.ConditionTrue {
		t.Fatalf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	if volumes := done.Status.Targets[0].Volumes; len(volumes) != 1 || volumes[0].Name != kept.Name {
		t.Fatalf("measured was %+v, and not %s, so this shows nothing", volumes, kept.Name)
	}
	cleaned := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionCleanedUp)
	if cleaned == nil || cleaned.Reason != v1alpha1.ReasonNothingLeft || !strings.Contains(cleaned.Message, "kept, because it was not made for this benchmark: volume "+kept.Name) {
		t.Errorf("CleanedUp = %+v", cleaned)
	}
	checkKept(t, kept)
	if err := k8s.Delete(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the benchmark to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return err != nil, client.IgnoreNotFound(err)
	})
	checkKept(t, kept)
}

// checkKept checks that a volume is there, and would be retained again.
func checkKept(t *testing.T, kept *corev1.PersistentVolume) {
	t.Helper()
	var volume corev1.PersistentVolume
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(kept), &volume); err != nil {
		t.Fatal(err)
	}
	if volume.UID != kept.UID || !volume.DeletionTimestamp.IsZero() || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		t.Errorf("the volume is now %+v", volume)
	}
}

// A retained volume that an administrator frees while a pod of a benchmark waits for a node comes to the benchmark's claim: the scheduler looks for a volume that is
// there before it has one made. Not even then a file on it is changed.
func TestVolumeFreedUnderAWaitingPod(t *testing.T) {
	sideBySide(t, takes(healthyNodes))
	const label = "e2e.storagebench.dev/volume-freed"
	retaining := retainingClass(t, storagev1.VolumeBindingWaitForFirstConsumer)
	claim := createClaimOfClass(t, namespaceOf(t), "before", retaining.Name, corev1.PersistentVolumeFilesystem)
	application, root := startApplication(t, "before", claim)
	plantTree(t, root)
	before := snapshot(t, root)
	node, volume := application.Spec.NodeName, retain(t, application, claim)
	sb := benchmark(t, "volume-freed", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &retaining.Name
		sb.Spec.Placement.NodeSelector = map[string]string{label: "yes"}
	})
	create(t, sb)
	until(t, sb, "a pod that waits for a node", func(sb *v1alpha1.StorageBenchmark) bool {
		return strings.Contains(succeeded(sb).Message, "didn't match Pod's node affinity/selector")
	})
	free(t, volume)
	labelNode(t, node, label)

	done := until(t, sb, "the benchmark's end", ended)
	if c := succeeded(done); c.Reason != v1alpha1.ReasonRunFailed || !strings.Contains(c.Message, "does not let user 65532 of groups [65532] write") {
		t.Errorf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	if volumes := done.Status.Targets[0].Volumes; len(volumes) != 1 || volumes[0].Name != volume.Name {
		t.Fatalf("the claim came to %+v, and not to %s, so this shows nothing", volumes, volume.Name)
	}
	awaitPhase(t, volume, corev1.VolumeReleased)
	free(t, volume)
	after := createClaimOfClass(t, namespaceOf(t), "after", retaining.Name, corev1.PersistentVolumeFilesystem)
	application, root = startApplication(t, "after", after)
	if diff := cmp.Diff(before, snapshot(t, root), cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("after a benchmark (-before +after):\n%s", diff)
	}
	retain(t, application, after)
}

// retain deletes a pod and its claim, and returns the claim's volume, which stays. It goes when the test ends.
func retain(t *testing.T, pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	t.Helper()
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
		t.Fatal(err)
	}
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
	t.Cleanup(func() {
		if err := k8s.Get(context.WithoutCancel(t.Context()), client.ObjectKeyFromObject(volume), volume); err == nil {
			deleteVolume(t, volume)
		}
	})
	for _, object := range []client.Object{pod, claim} {
		if err := k8s.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	awaitPhase(t, volume, corev1.VolumeReleased)
	return volume
}

// retainingClass makes the class of the tests' disks once more, with volumes that are retained.
func retainingClass(t *testing.T, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	t.Helper()
	var slow storagev1.StorageClass
	if err := k8s.Get(t.Context(), client.ObjectKey{Name: class}, &slow); err != nil {
		t.Fatal(err)
	}
	retaining := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix}, Provisioner: slow.Provisioner, Parameters: slow.Parameters,
		ReclaimPolicy: new(corev1.PersistentVolumeReclaimRetain), VolumeBindingMode: &mode,
	}
	if err := k8s.Create(t.Context(), retaining); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), retaining) })
	return retaining
}

// retainedVolume returns a volume whose claim is gone, and that was freed for another one. It goes when the test ends.
func retainedVolume(t *testing.T, of *storagev1.StorageClass) *corev1.PersistentVolume {
	t.Helper()
	claim := createClaimOfClass(t, namespaceOf(t), "before", of.Name, corev1.PersistentVolumeFilesystem)
	eventually(t.Context(), t, "the claim to be bound", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(claim), claim)
		return claim.Status.Phase == corev1.ClaimBound, err
	})
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
	t.Cleanup(func() { deleteVolume(t, volume) })
	if err := k8s.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	awaitPhase(t, volume, corev1.VolumeReleased)
	free(t, volume)
	if volume.Annotations["pv.kubernetes.io/provisioned-by"] == "" {
		t.Fatal("the volume has no annotation of its provisioner, so this shows nothing")
	}
	return volume
}

// free makes a retained volume available again.
func free(t *testing.T, volume *corev1.PersistentVolume) {
	t.Helper()
	freed := volume.DeepCopy()
	freed.Spec.ClaimRef = nil
	if err := k8s.Patch(t.Context(), freed, client.MergeFrom(volume)); err != nil {
		t.Fatal(err)
	}
	awaitPhase(t, volume, corev1.VolumeAvailable)
}

func awaitPhase(t *testing.T, volume *corev1.PersistentVolume, phase corev1.PersistentVolumePhase) {
	t.Helper()
	eventually(t.Context(), t, "the volume to be "+string(phase), func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(volume), volume)
		return volume.Status.Phase == phase, err
	})
}

// deleteVolume has a volume's driver delete it: the provisioner does so with one that no claim needs any more.
func deleteVolume(t *testing.T, volume *corev1.PersistentVolume) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	eventually(ctx, t, "the volume to be Released", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(volume), volume)
		return volume.Status.Phase == corev1.VolumeReleased, err
	})
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}`))
	if err := k8s.Patch(ctx, volume, patch); err != nil {
		t.Errorf("have volume %s deleted: %v", volume.Name, err)
		return
	}
	eventually(ctx, t, "the volume to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(volume), volume)
		return err != nil, client.IgnoreNotFound(err)
	})
}
