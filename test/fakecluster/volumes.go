package fakecluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	claimProtection    = "kubernetes.io/pvc-protection"
	volumeProtection   = "kubernetes.io/pv-protection"
	provisionedBy      = "pv.kubernetes.io/provisioned-by"
	storageProvisioner = "volume.kubernetes.io/storage-provisioner"
)

// Provisioning is what becomes of a claim.
type Provisioning struct {
	bound   bool
	late    bool
	volume  string
	refusal string
}

// Bind has a volume provisioned.
func Bind() Provisioning { return Provisioning{bound: true} }

// BindLate has a volume provisioned, and nobody tell the claim of it.
func BindLate() Provisioning { return Provisioning{bound: true, late: true} }

// BindTo has the claim bound to a volume that exists.
func BindTo(volume string) Provisioning { return Provisioning{volume: volume} }

// Refuse has the CSI driver refuse, in its words.
func Refuse(words string) Provisioning { return Provisioning{refusal: words} }

// Wait has nothing happen, as for a claim whose provisioner is not there.
func Wait() Provisioning { return Provisioning{} }

// provision binds claims to new volumes, and lets go of claims that are deleted and not in use.
func (c *Cluster) provision(ctx context.Context) error {
	return c.eachClaim(ctx, func(claim *corev1.PersistentVolumeClaim) error {
		switch {
		case !claim.DeletionTimestamp.IsZero():
			return c.releaseClaim(ctx, claim)
		case claim.Spec.VolumeName == "":
			return c.provisionClaim(ctx, claim)
		case claim.Status.Phase != corev1.ClaimBound:
			return c.confirm(ctx, claim)
		}
		return nil
	})
}

// confirm binds a claim that names its volume, unless that is another claim's, also one of that name which is gone.
func (c *Cluster) confirm(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	var volume corev1.PersistentVolume
	if err := c.client.Get(ctx, client.ObjectKey{Name: claim.Spec.VolumeName}, &volume); err != nil {
		return err
	}
	ref := volume.Spec.ClaimRef
	if ref == nil || ref.Namespace != claim.Namespace || ref.Name != claim.Name || (ref.UID != "" && ref.UID != claim.UID) {
		return nil
	}
	if ref.UID == "" {
		volume.Spec.ClaimRef = referenceTo(claim)
		return c.client.Update(ctx, &volume)
	}
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = claim.Spec.Resources.Requests
	claim.Status.AccessModes = claim.Spec.AccessModes
	return c.client.Status().Update(ctx, claim)
}

func (c *Cluster) provisionClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	decision := c.provisioning(claim)
	switch {
	case decision.bound:
		return c.bind(ctx, claim, decision.late)
	case decision.volume != "":
		return c.bindTo(ctx, claim, decision.volume)
	case decision.refusal == "" || c.refused[claim.UID]:
		return nil
	}
	err := c.warn(ctx, Driver, claim, "PersistentVolumeClaim", "ProvisioningFailed", decision.refusal)
	c.refused[claim.UID] = err == nil
	return err
}

// bindTo binds a claim to a volume that exists: as in Kubernetes, first the volume, then the claim.
func (c *Cluster) bindTo(ctx context.Context, claim *corev1.PersistentVolumeClaim, name string) error {
	var volume corev1.PersistentVolume
	if err := c.client.Get(ctx, client.ObjectKey{Name: name}, &volume); err != nil {
		return err
	}
	volume.Spec.ClaimRef = referenceTo(claim)
	if err := c.client.Update(ctx, &volume); err != nil {
		return err
	}
	claim.Spec.VolumeName = name
	return c.client.Update(ctx, claim)
}

func referenceTo(claim *corev1.PersistentVolumeClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
}

func (c *Cluster) bind(ctx context.Context, claim *corev1.PersistentVolumeClaim, late bool) error {
	var class storagev1.StorageClass
	if err := c.client.Get(ctx, client.ObjectKey{Name: *claim.Spec.StorageClassName}, &class); err != nil {
		return err
	}
	name := "pvc-" + string(claim.UID)
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: Driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      claim.Spec.Resources.Requests,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef:                      referenceTo(claim),
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy,
			StorageClassName:              class.Name,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: "handle-" + claim.Name},
			},
		},
	}
	if err := c.client.Create(ctx, volume); late || (err != nil && !apierrors.IsAlreadyExists(err)) {
		return err
	}
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, storageProvisioner, class.Provisioner)
	claim.Spec.VolumeName = name
	return c.client.Update(ctx, claim)
}

// releaseClaim lets go of a claim when no pod names it any more, not even one that has ended.
func (c *Cluster) releaseClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	used := false
	err := c.eachPod(ctx, func(pod *corev1.Pod) error {
		used = used || uses(pod, claim.Name)
		return nil
	})
	if err != nil || used {
		return err
	}
	return c.removeFinalizer(ctx, claim, claimProtection)
}

// reclaim deletes volumes whose claims are gone, unless they are to be retained.
func (c *Cluster) reclaim(ctx context.Context) error {
	var volumes corev1.PersistentVolumeList
	if err := c.cache.List(ctx, &volumes); err != nil {
		return err
	}
	for i := range volumes.Items {
		volume := &volumes.Items[i]
		if owner := volume.Spec.ClaimRef; owner == nil || owner.Namespace != c.namespace {
			continue
		}
		if err := outdated(c.reclaimVolume(ctx, volume)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) reclaimVolume(ctx context.Context, volume *corev1.PersistentVolume) error {
	if !volume.DeletionTimestamp.IsZero() {
		return c.removeFinalizer(ctx, volume, volumeProtection)
	}
	if volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || !c.deletes(volume) {
		return nil
	}
	var claim corev1.PersistentVolumeClaim
	key := client.ObjectKey{Namespace: c.namespace, Name: volume.Spec.ClaimRef.Name}
	if err := c.cache.Get(ctx, key, &claim); err == nil && claim.UID == volume.Spec.ClaimRef.UID {
		return nil
	}
	// The cache may not have heard of it yet.
	err := c.client.Get(ctx, key, &claim)
	if err == nil && claim.UID == volume.Spec.ClaimRef.UID {
		return nil
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	return c.client.Delete(ctx, volume, immediately(volume)...)
}

func uses(pod *corev1.Pod, claim string) bool {
	for _, volume := range pod.Spec.Volumes {
		if source := volume.PersistentVolumeClaim; source != nil && source.ClaimName == claim {
			return true
		}
	}
	return false
}
