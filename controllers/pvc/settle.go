package pvc

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
)

// SettleClaim does what settle does with the volume of a claim of the benchmark.
func SettleClaim(ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim) error {
	mine := func(volume *corev1.PersistentVolume) bool { return owned.IsBound(volume, claim) }
	_, err := Settle(ctx, p, claim.Spec.VolumeName, claim.CreationTimestamp, mine)
	return err
}

// Settle makes sure that a volume that was made for this benchmark, since a time, is deleted with its claim also where
// its StorageClass would retain it. It ignores a volume that is bound to no claim of mine, and does not change a
// volume of somebody else. A namespaced operator sees no volumes.
func Settle(
	ctx context.Context, p *pass.Pass, name string, since metav1.Time, mine func(*corev1.PersistentVolume) bool,
) (cleanup.Fate, error) {
	if name == "" || p.Namespaces.AreSet() {
		return cleanup.NotOurs, nil
	}
	volume, err := p.World.LiveVolume(ctx, name, "get volume "+name)
	if err != nil {
		return cleanup.Unknown, err
	}
	return TieVolume(ctx, p, volume, p.Children.FateOfVolume(volume, since, mine(volume)))
}

// TieVolume has a volume that would be retained deleted with its claim, and says what becomes of it then.
func TieVolume(
	ctx context.Context, p *pass.Pass, volume *corev1.PersistentVolume, fate cleanup.Fate,
) (cleanup.Fate, error) {
	if fate != cleanup.Retained {
		return fate, nil
	}
	tied := volume.DeepCopy()
	tied.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
	unlessChanged := client.MergeFromWithOptions(volume, client.MergeFromWithOptimisticLock{})
	switch err := p.World.Client.Patch(ctx, tied, unlessChanged); {
	case err == nil:
		return cleanup.Goes, nil
	case apierrors.IsNotFound(err):
		return cleanup.NotOurs, nil
	default:
		return cleanup.Unknown, fmt.Errorf("have volume %s deleted with its claim: %w", volume.Name, err)
	}
}

// Tie has each volume that was made for a claim of the benchmark go with that claim, as soon as the claim is bound,
// also where its StorageClass would retain it. If somebody removes the benchmark's finalizer, Kubernetes deletes the
// claim, and nothing tells afterwards to which benchmark the volume belonged. A volume that cannot be read or changed
// holds back nothing: clean-up tries it before the claim goes, has a deadline for that, and says what it could not do.
func Tie(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.Namespaces.AreSet() || p.Now.Before(&p.Memory.TieAgain) {
		return pass.GoOn(), nil
	}
	bound := untied(p.Memory, &p.Children)
	settle := func(claim *corev1.PersistentVolumeClaim) error { return SettleClaim(ctx, p, claim) }
	errs := world.InParallel(ctx, bound, settle)
	for i, err := range errs {
		NoteTied(p.Memory, bound[i], err, p.World.Clock.Now()) // a webhook that is away may take 30 s to say so
		if err != nil {
			ctrl.LoggerFrom(ctx).Info("The volume of a claim may stay without the benchmark's clean-up",
				"claim", bound[i].Name, "why", err.Error())
		}
	}
	return pass.GoOn(), nil
}
