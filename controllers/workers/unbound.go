package workers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// This file tells why a claim has no volume yet.

// ExplainClaim tells why a claim is not bound yet: what the cluster lacks for that, and the driver's own words. A
// volume that is made only when its pod has been scheduled may wait for a pod that cannot be.
func ExplainClaim(
	ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod,
) (string, error) {
	lacks, err := WhatClaimLacks(ctx, p, claim)
	if err != nil {
		return "", err
	}
	said, err := LastWarning(ctx, p, claim.UID)
	words := slices.DeleteFunc(
		[]string{lacks, cmp.Or(said.Text, attempt.StartMessage(pod))},
		func(text string) bool { return text == "" },
	)
	return cmp.Or(strings.Join(words, "; "), describeUnbound(p, claim)), err
}

// describeUnbound tells of a claim about which nobody says anything, with the StorageClass of its target.
func describeUnbound(s *pass.Pass, claim *corev1.PersistentVolumeClaim) string {
	text := fmt.Sprintf("claim %s is not bound yet", claim.Name)
	if class := s.SB.Status.Target(s.Children.ClaimTargets[claim.Name]).StorageClassName; class != "" {
		text += fmt.Sprintf(" (StorageClass %s)", class)
	}
	return text
}

// WhatClaimLacks tells what the cluster lacks for the volume of a claim, "" if nothing is known to be lacking.
func WhatClaimLacks(ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim) (string, error) {
	name := p.Children.ClaimTargets[claim.Name]
	i := slices.IndexFunc(p.SB.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name })
	if i < 0 {
		return "", nil
	}
	target := &p.SB.Spec.Targets[i]
	if lacks, err := lacksClass(ctx, p, target, claim); lacks || err != nil {
		return fmt.Sprintf("there is no StorageClass %s, and no volume that names it is free",
			*claim.Spec.StorageClassName), err
	}
	if driver := p.SB.Status.Target(name).Driver; driver != storage.NoProvisioner {
		return whyNotOnNode(ctx, p, claim.Annotations[owned.SelectedNode], driver)
	}
	return whyNoneIsFree(ctx, p, target)
}

// lacksClass reports whether the claim that a target names, or one of the target's class, names a StorageClass that
// does not exist. Volumes that an administrator has made may name such a class, so that it is no error before one is
// lacking. An operator of some namespaces cannot tell.
func lacksClass(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim,
) (bool, error) {
	name := ptr.Deref(claim.Spec.StorageClassName, "")
	isNamed := target.ClaimName != nil || name == ptr.Deref(target.StorageClassName, "")
	if name == "" || !isNamed || p.Namespaces.AreSet() {
		return false, nil
	}
	err := p.World.Live.Get(ctx, client.ObjectKey{Name: name}, &storagev1.StorageClass{})
	return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}

// RestReleased is how long the volumes of the cluster are left alone after a look at them: there may be many.
const RestReleased = 20 * time.Second

// whyNoneIsFree names a volume of a target's static StorageClass that would fit, had it not been another claim's
// before, "" if there is none.
func whyNoneIsFree(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (string, error) {
	if last := p.Memory.Released; last.Target == target.Name && p.Now.Time.Before(last.Until) {
		return last.Text, nil
	}
	found := pass.Released{Target: target.Name, Until: p.World.Clock.Now().Add(RestReleased)}
	err := p.World.EachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if found.Text == "" && owned.IsReleased(p.SB, target, volume) {
			found.Text = describeReleased(volume, p.SB.Namespace)
		}
	})
	p.Memory.Released = found
	return found.Text, err
}

// describeReleased tells what makes a volume usable again. Claims of other namespaces are not named: users need not
// know of them.
func describeReleased(volume *corev1.PersistentVolume, namespace string) string {
	before := "a claim of another namespace"
	if ref := volume.Spec.ClaimRef; ref.Namespace == namespace {
		before = fmt.Sprintf("claim %s/%s", ref.Namespace, ref.Name)
	}
	return fmt.Sprintf(
		"volume %s fits, but is Released since %s: have an administrator save or wipe what is on it, and clear its claimRef "+
			`(kubectl patch pv %s --type=json -p '[{"op": "remove", "path": "/spec/claimRef"}]')`,
		volume.Name,
		before,
		volume.Name,
	)
}

// WithoutOldScheduling returns a pod without what the scheduler said before it has chosen the node for which the volume
// of a claim is made: the pod keeps these words until the volume is there. There need not be a pod or a claim.
func WithoutOldScheduling(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) *corev1.Pod {
	if pod == nil || pod.Spec.NodeName != "" || claim == nil || claim.Annotations[owned.SelectedNode] == "" {
		return pod
	}
	chosen := pod.DeepCopy()
	chosen.Status.Conditions = slices.DeleteFunc(
		chosen.Status.Conditions,
		func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled },
	)
	return chosen
}
