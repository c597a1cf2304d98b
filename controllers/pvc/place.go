package pvc

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// This file notes which volumes targets have, and from which nodes they are measured.

// RecordPlace notes the volume that a client uses of a target, and its node, once a pod that uses it has been
// scheduled. A volume that clients share is the first one's.
func RecordPlace(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, client int32, pod *corev1.Pod) error {
	status := p.SB.Status.Target(target.Name)
	if !MayHaveNewPlace(target, status, client, pod, p.Memory.Placed[target.Name]) {
		return nil
	}
	name := storage.ClaimName(p.SB, target, client)
	claim := p.Children.Claims[name]
	if claim == nil || claim.Spec.VolumeName == "" { // the claims of a pod that has a node are bound, heard of or not
		var err error
		if claim, err = p.World.LiveClaim(ctx, name, "get claim of target "+target.Name); err != nil || claim.Name == "" {
			return err
		}
		claim.Spec = world.TrimClaim(&claim.Spec)
	}
	if err := notePlacedClaim(ctx, p, target, claim, pod); err != nil || p.SB.Status.HasMeasured() {
		return err
	}
	if err := RecordVolume(ctx, p, status, claim, pod.Spec.NodeName); err != nil {
		return err
	}
	owned.NoteLimits(target, status)
	return nil
}

// MayHaveNewPlace reports whether a client's pod has a node from which a volume may not be noted yet. compared is the
// pod by which a user's claim was last compared with the one that was noted.
func MayHaveNewPlace(
	target *v1alpha1.Target, status *v1alpha1.TargetStatus, client int32, pod *corev1.Pod, compared types.UID,
) bool {
	if pod == nil || pod.Spec.NodeName == "" {
		return false
	}
	isCompared := storage.IsProvisioned(target) || compared == pod.UID
	isNoted := isCompared && len(status.Volumes) == 1 && status.Volumes[0].Node == pod.Spec.NodeName
	return !storage.IsShared(target) || (client == 0 && !isNoted)
}

// RecordVolume notes in the status which volume a claim of a target is bound to, and which node it is measured from.
func RecordVolume(
	ctx context.Context, p *pass.Pass, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string,
) error {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	at, err := readPlace(ctx, p, target, claim, node)
	if err == nil {
		owned.Note(p.SB, target, p.Children.Claims, at)
	}
	return err
}

// readPlace reads what is not known yet of the volume of a claim, and of its node.
func readPlace(
	ctx context.Context, p *pass.Pass, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string,
) (at owned.Place, err error) {
	at = owned.Place{
		Claim: claim, Named: p.Children.ClaimTargets[claim.Name] != "", Node: node,
		Provisioned: p.Memory.Provisioned(claim.UID, p.Now.Time),
	}
	known := owned.Known(target, claim.Spec.VolumeName)
	if known.Handle == "" && !p.Namespaces.AreSet() {
		if at.Volume, err = p.World.LiveVolume(ctx, known.Name, "get volume of target "+target.Name); err != nil {
			return at, err
		}
	}
	if node != "" && known.Node != node {
		at.Labels, err = p.World.NodeLabels(ctx, node)
	}
	return at, err
}
