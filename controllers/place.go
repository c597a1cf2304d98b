package controllers

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// This file notes which volumes targets have, and from which nodes they are measured.

// recordPlace notes the volume that a client uses of a target, and its node, once a pod that uses it has been
// scheduled. A volume that clients share is the first one's.
func (p *pass) recordPlace(ctx context.Context, target *v1alpha1.Target, client int32, pod *corev1.Pod) error {
	if pod == nil || pod.Spec.NodeName == "" || (client > 0 && storage.IsShared(target)) {
		return nil
	}
	status := p.targetStatus(target.Name)
	isCompared := storage.IsProvisioned(target) || p.memory.placed[target.Name] == pod.UID
	if isCompared && storage.IsShared(target) && len(status.Volumes) == 1 && status.Volumes[0].Node == pod.Spec.NodeName {
		return nil
	}
	name := storage.ClaimName(p.sb, target, client)
	claim := p.claims[name]
	if claim == nil || claim.Spec.VolumeName == "" { // the claims of a pod that has a node are bound, heard of or not
		var err error
		if claim, err = p.liveClaim(ctx, name); err != nil || claim.Name == "" {
			return unlessGone(err, "get claim of target "+target.Name)
		}
		claim.Spec = trimClaim(&claim.Spec)
	}
	if err := p.notePlacedClaim(ctx, target, claim, pod); err != nil || p.concluded() {
		return err
	}
	if err := p.recordVolume(ctx, status, claim, pod.Spec.NodeName); err != nil {
		return err
	}
	noteLimits(target, status)
	return nil
}

// noteLimits notes the limits that follow from the first client's node: its own, and those that the storage has in its region.
func noteLimits(target *v1alpha1.Target, status *v1alpha1.TargetStatus) {
	if len(status.Volumes) == 0 {
		return
	}
	node := &status.Volumes[0]
	status.Limits = storage.LimitsInZone(target, status.Limits, node.Zone)
	status.ClientLimits = storage.ClientLimits(target, status.Driver, node.InstanceType)
}

// place is what was read of where a claim's volume is used.
type place struct {
	claim *corev1.PersistentVolumeClaim
	// volume is nil where all is known of it, or where the operator sees no volumes.
	volume *corev1.PersistentVolume
	// node is "" where no pod uses the volume yet. labels are those of the node.
	node   string
	labels map[string]string
}

// recordVolume notes in the status which volume a claim of a target is bound to, and which node it is measured from.
func (p *pass) recordVolume(ctx context.Context, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string) error {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	at, err := p.readPlace(ctx, target, claim, node)
	if err == nil {
		p.notePlace(target, at)
	}
	return err
}

// readPlace reads what is not known yet of the volume of a claim, and of its node.
func (p *pass) readPlace(ctx context.Context, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string) (at place, err error) {
	at = place{claim: claim, node: node}
	known := knownVolume(target, claim.Spec.VolumeName)
	if known.Handle == "" && !p.isNamespaced() {
		if at.volume, err = p.liveVolume(ctx, known.Name, "get volume of target "+target.Name); err != nil {
			return at, err
		}
	}
	if node != "" && known.Node != node {
		at.labels, err = p.nodeLabels(ctx, node)
	}
	return at, err
}

// notePlace notes a volume of a target, and its node. Volumes are in the order of their claims, as far as they are known.
func (s *scope) notePlace(target *v1alpha1.TargetStatus, at place) {
	volume := knownVolume(target, at.claim.Spec.VolumeName)
	if at.volume != nil {
		if !isBound(at.volume, at.claim) {
			return
		}
		volume.Handle = handle(at.volume)
		s.noteProvisioning(target, at.claim, at.volume)
		if s.claimTargets[at.claim.Name] == "" { // somebody's, of which nothing else tells the driver
			target.Driver = provisionerOf(at.volume)
		}
		if at.node != "" { // a pod uses it
			s.noteExistingVolume(target, at.claim, at.volume)
		}
	}
	if at.node != "" && volume.Node != at.node {
		volume.Node, volume.Zone, volume.InstanceType = at.node, at.labels[corev1.LabelTopologyZone], at.labels[corev1.LabelInstanceTypeStable]
	}
	s.putVolume(target, volume)
}

// knownVolume returns what is known of a volume of a target, at least its name.
func knownVolume(target *v1alpha1.TargetStatus, name string) v1alpha1.VolumeStatus {
	if at := volumeIndex(target, name); at >= 0 {
		return target.Volumes[at]
	}
	return v1alpha1.VolumeStatus{Name: name}
}

// noteProvisioning notes how long a volume that was made for the benchmark took, of several the one that took longest. The provisioner makes
// the object when it has the volume, which may be long before a run looks. A volume that is older than its claim was there before, or has its
// time from another clock: nothing is known of how long it took.
func (s *scope) noteProvisioning(target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) {
	took := pv.CreationTimestamp.Sub(claim.CreationTimestamp.Time).Milliseconds()
	if s.claims[claim.Name] == nil || took < 0 {
		return
	}
	target.ProvisionedMilliseconds = new(max(took, ptr.Deref(target.ProvisionedMilliseconds, 0)))
}

// putVolume notes a volume of a target, in the place of what was known of it. A target of one claim has no other volume.
func (s *scope) putVolume(target *v1alpha1.TargetStatus, volume v1alpha1.VolumeStatus) {
	switch at := volumeIndex(target, volume.Name); {
	case at >= 0:
		target.Volumes[at] = volume
	case len(target.Claims) > 1:
		target.Volumes = append(target.Volumes, volume)
	default:
		target.Volumes = []v1alpha1.VolumeStatus{volume}
	}
	s.sortVolumes(target)
}

func volumeIndex(target *v1alpha1.TargetStatus, name string) int {
	return slices.IndexFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == name })
}

// sortVolumes puts a target's volumes into the order of their claims, once it is known what all of these are bound to: the
// cache may hear of it late.
func (s *scope) sortVolumes(target *v1alpha1.TargetStatus) {
	if slices.ContainsFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return s.claimOf(target, v.Name) < 0 }) {
		return
	}
	slices.SortFunc(target.Volumes, func(a, b v1alpha1.VolumeStatus) int { return s.claimOf(target, a.Name) - s.claimOf(target, b.Name) })
}

// claimOf returns which of a target's claims is bound to a volume, -1 if that is not known.
func (s *scope) claimOf(target *v1alpha1.TargetStatus, volume string) int {
	return slices.IndexFunc(target.Claims, func(name string) bool {
		return s.claims[name] != nil && s.claims[name].Spec.VolumeName == volume
	})
}

// isBound says whether a volume is a claim's by its own word. By that of the claim it need not be: who makes a claim can name
// any volume of the cluster there, also one of another namespace.
func isBound(pv *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := pv.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && (ref.UID == claim.UID || ref.UID == "")
}

// handle returns what the volume is called by the storage, such as vol-0123456789abcdef0.
func handle(pv *corev1.PersistentVolume) string {
	switch source := pv.Spec.PersistentVolumeSource; {
	case source.CSI != nil:
		return source.CSI.VolumeHandle
	case source.Local != nil:
		return source.Local.Path
	case source.HostPath != nil:
		return source.HostPath.Path
	case source.NFS != nil:
		return source.NFS.Server + ":" + source.NFS.Path
	default:
		return pv.Name
	}
}

// provisionerOf returns the driver that has made a volume, and deletes it, "" if an administrator has made it.
func provisionerOf(pv *corev1.PersistentVolume) string { return pv.Annotations[provisionedBy] }

// driverOf returns the driver of a volume, "" if that has none.
func driverOf(pv *corev1.PersistentVolume) string {
	if pv.Spec.CSI != nil {
		return pv.Spec.CSI.Driver
	}
	return provisionerOf(pv)
}
