package clean

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// removeVolumes deletes the claims that were made, and with them their volumes.
func removeVolumes(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	// Not from the cache, which may not have heard yet of a claim that the last pass has made. A volume costs money.
	claims, err := pvc.LiveClaims(ctx, p)
	errs := []error{err}
	var left []cleanup.Leftover
	var unneeded []*corev1.PersistentVolumeClaim
	for _, claim := range p.Children.OwnClaims(claims) {
		left = append(left, cleanup.LeftClaim(claim))
		if !cleanup.KeepsClaim(p.SB.Status.Target(p.Children.ClaimTargets[claim.Name]).TestFiles, !p.Changed()) {
			unneeded = append(unneeded, claim)
		}
	}
	errs = append(errs, deleteClaims(ctx, p, unneeded))
	remaining, err := remainingVolumes(ctx, p)
	left = append(left, remaining...)
	if err := errors.Join(append(errs, err)...); err != nil || len(left) > 0 {
		return left, err
	}
	return LateVolumes(ctx, p)
}

// deleteClaims deletes claims, and before them the Jobs that removed files there: Kubernetes keeps a claim as long as
// a pod names it.
func deleteClaims(ctx context.Context, p *pass.Pass, claims []*corev1.PersistentVolumeClaim) error {
	for i, claim := range claims { // the cache may have an older one, or a newer one
		if cached := p.Children.Claims[claim.Name]; cached != nil && cached.UID == claim.UID && cached.Spec.VolumeName != "" {
			claims[i] = cached
			continue
		}
		p.Children.Claims[claim.Name] = claim
	}
	freed := sets.New[string]()
	var recorded []*corev1.PersistentVolumeClaim
	var errs []error
	for _, claim := range claims {
		target := p.SB.Status.Target(p.Children.ClaimTargets[claim.Name])
		if err := pvc.RecordVolume(ctx, p, target, claim, ""); err != nil {
			errs = append(errs, err)
			continue
		}
		recorded = append(recorded, claim)
		if freed.Has(target.Name) {
			continue
		}
		freed.Insert(target.Name)
		cleaners := client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleCleanUp, v1alpha1.LabelTarget: target.Name}
		_, err := workers.RemoveJobs(ctx, p, cleaners)
		errs = append(errs, err)
	}
	var settled []*corev1.PersistentVolumeClaim
	settle := func(claim *corev1.PersistentVolumeClaim) error { return pvc.SettleClaim(ctx, p, claim) }
	for i, err := range world.InParallel(ctx, recorded, settle) {
		if errs = append(errs, err); err == nil {
			settled = append(settled, recorded[i])
		}
	}
	return errors.Join(append(errs, world.DeleteAll(ctx, p.World.Client, "", settled))...)
}

// remainingVolumes returns the volumes that were made for the benchmark and are not gone yet.
func remainingVolumes(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	known := owned.Provisioned(p.SB)
	// Their claims may be gone. That they were bound to these was seen when they were recorded.
	mine := func(volume *corev1.PersistentVolume) bool {
		ref := volume.Spec.ClaimRef
		isNamed := func(c v1alpha1.ClaimStatus) bool { return c.Name == ref.Name }
		isOfTarget := func(t v1alpha1.TargetStatus) bool { return slices.ContainsFunc(t.Claims, isNamed) }
		return ref != nil && ref.Namespace == p.SB.Namespace && slices.ContainsFunc(p.SB.Status.Targets, isOfTarget)
	}
	fates, errs := world.Gather(ctx, world.ParallelCalls, known, func(volume v1alpha1.VolumeStatus) (cleanup.Fate, error) {
		return pvc.Settle(ctx, p, volume.Name, p.SB.CreationTimestamp, mine)
	})
	return LeftVolumes(p, known, fates), errors.Join(errs...)
}

// LeftVolumes says how to be rid of volumes that are not gone, by what becomes of each, and notes those that are kept.
func LeftVolumes(s *pass.Pass, all []v1alpha1.VolumeStatus, fates []cleanup.Fate) (left []cleanup.Leftover) {
	s.Kept = cleanup.Kept{}
	for i, volume := range all {
		left = append(left, cleanup.LeftVolume(volume, fates[i])...)
		if fates[i] == cleanup.Stays {
			s.Kept.Add(volume, owned.IsOnDevice(s.SB.Status.Targets, volume.Name))
		}
	}
	return left
}

// removeClusterObjects deletes the PersistentVolumes and StorageClasses that were made, when no claim is left that
// needs them. They have no namespace, so Kubernetes does not remove them with the benchmark.
func removeClusterObjects(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	if !slices.ContainsFunc(p.SB.Spec.Targets, func(t v1alpha1.Target) bool { return storage.Driver(&t) != "" }) {
		return nil, nil
	}
	if p.Namespaces.AreSet() {
		return children.LeftClusterObjects(p.Namespaces, p.SB), nil
	}
	mine := client.MatchingLabels(childmeta.ClusterLabels(p.SB))
	var left []cleanup.Leftover
	var unneeded []client.Object
	var errs []error
	for _, of := range []struct {
		list           client.ObjectList
		kind, resource string
	}{
		{&corev1.PersistentVolumeList{}, "PersistentVolume", "pv"},
		{&storagev1.StorageClassList{}, "StorageClass", "storageclass"},
	} {
		if err := p.World.Live.List(ctx, of.list, mine); err != nil {
			errs = append(errs, fmt.Errorf("list PersistentVolumes and StorageClasses: %w", err))
			continue
		}
		err := meta.EachListItem(of.list, world.Typed(func(object client.Object) {
			if owned.ClusterObject(p.SB, object) {
				left = append(left, cleanup.Leftover{
					What:    of.kind + " " + object.GetName(),
					Command: "kubectl delete " + of.resource + " " + object.GetName(),
				})
				unneeded = append(unneeded, object)
			}
		}))
		errs = append(errs, err)
	}
	return left, errors.Join(append(errs, world.DeleteAll(ctx, p.World.Client, "", unneeded))...)
}
