package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// removeVolumes deletes the claims that were made, and with them their volumes.
func (p *pass) removeVolumes(ctx context.Context) ([]cleanup.Leftover, error) {
	// Not from the cache, which may not have heard yet of a claim that the last pass has made. A volume costs money.
	claims, err := p.liveClaims(ctx)
	errs := []error{err}
	var left []cleanup.Leftover
	var unneeded []*corev1.PersistentVolumeClaim
	for _, claim := range p.OwnClaims(claims) {
		left = append(left, cleanup.LeftClaim(claim))
		if !cleanup.KeepsClaim(p.sb.Status.Target(p.ClaimTargets[claim.Name]).TestFiles, !p.changed()) {
			unneeded = append(unneeded, claim)
		}
	}
	errs = append(errs, p.deleteClaims(ctx, unneeded))
	remaining, err := p.remainingVolumes(ctx)
	left = append(left, remaining...)
	if err := errors.Join(append(errs, err)...); err != nil || len(left) > 0 {
		return left, err
	}
	return p.lateVolumes(ctx)
}

// deleteClaims deletes claims, and before them the Jobs that removed files there: Kubernetes keeps a claim as long as
// a pod names it.
func (p *pass) deleteClaims(ctx context.Context, claims []*corev1.PersistentVolumeClaim) error {
	for i, claim := range claims { // the cache may have an older one, or a newer one
		if cached := p.Claims[claim.Name]; cached != nil && cached.UID == claim.UID && cached.Spec.VolumeName != "" {
			claims[i] = cached
			continue
		}
		p.Claims[claim.Name] = claim
	}
	freed := sets.New[string]()
	var recorded []*corev1.PersistentVolumeClaim
	var errs []error
	for _, claim := range claims {
		target := p.sb.Status.Target(p.ClaimTargets[claim.Name])
		if err := p.recordVolume(ctx, target, claim, ""); err != nil {
			errs = append(errs, err)
			continue
		}
		recorded = append(recorded, claim)
		if freed.Has(target.Name) {
			continue
		}
		freed.Insert(target.Name)
		cleaners := client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleCleanUp, v1alpha1.LabelTarget: target.Name}
		_, err := p.removeJobs(ctx, cleaners)
		errs = append(errs, err)
	}
	var settled []*corev1.PersistentVolumeClaim
	for i, err := range inParallel(ctx, recorded, func(claim *corev1.PersistentVolumeClaim) error { return p.settleClaim(ctx, claim) }) {
		if errs = append(errs, err); err == nil {
			settled = append(settled, recorded[i])
		}
	}
	return errors.Join(append(errs, deleteAll(ctx, p, "", settled))...)
}

// settleClaim does what settle does with the volume of a claim of the benchmark.
func (p *pass) settleClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	mine := func(volume *corev1.PersistentVolume) bool { return volumes.IsBound(volume, claim) }
	_, err := p.settle(ctx, claim.Spec.VolumeName, claim.CreationTimestamp, mine)
	return err
}

// settle sees to it that a volume that was made for this benchmark, since a time, goes with its claim also where its
// StorageClass would retain it. One that is bound to nothing of mine is not looked at, and somebody's own is not changed. A namespaced
// operator sees no volumes.
func (p *pass) settle(ctx context.Context, name string, since metav1.Time, mine func(*corev1.PersistentVolume) bool) (cleanup.Fate, error) {
	if name == "" || p.namespaces.AreSet() {
		return cleanup.NotOurs, nil
	}
	volume, err := p.liveVolume(ctx, name, "get volume "+name)
	if err != nil {
		return cleanup.Unknown, err
	}
	return p.tieVolume(ctx, volume, p.FateOfVolume(volume, since, mine(volume)))
}

// tieVolume has a volume that would be retained deleted with its claim, and says what becomes of it then.
func (p *pass) tieVolume(ctx context.Context, volume *corev1.PersistentVolume, fate cleanup.Fate) (cleanup.Fate, error) {
	if fate != cleanup.Retained {
		return fate, nil
	}
	tied := volume.DeepCopy()
	tied.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
	switch err := p.Client.Patch(ctx, tied, client.MergeFromWithOptions(volume, client.MergeFromWithOptimisticLock{})); {
	case err == nil:
		return cleanup.Goes, nil
	case apierrors.IsNotFound(err):
		return cleanup.NotOurs, nil
	default:
		return cleanup.Unknown, fmt.Errorf("have volume %s deleted with its claim: %w", volume.Name, err)
	}
}

// remainingVolumes returns the volumes that were made for the benchmark and are not gone yet.
func (p *pass) remainingVolumes(ctx context.Context) ([]cleanup.Leftover, error) {
	known := volumes.Provisioned(p.sb)
	// Their claims may be gone. That they were bound to these was seen when they were recorded.
	mine := func(volume *corev1.PersistentVolume) bool {
		ref := volume.Spec.ClaimRef
		return ref != nil && ref.Namespace == p.sb.Namespace && slices.ContainsFunc(p.sb.Status.Targets, func(t v1alpha1.TargetStatus) bool { return slices.Contains(t.Claims, ref.Name) })
	}
	fates, errs := gather(ctx, parallelCalls, known, func(volume v1alpha1.VolumeStatus) (cleanup.Fate, error) {
		return p.settle(ctx, volume.Name, p.sb.CreationTimestamp, mine)
	})
	return p.leftVolumes(known, fates), errors.Join(errs...)
}

// leftVolumes says how to be rid of volumes that are not gone, by what becomes of each, and notes those that are kept.
func (s *writer) leftVolumes(all []v1alpha1.VolumeStatus, fates []cleanup.Fate) (left []cleanup.Leftover) {
	s.kept = cleanup.Kept{}
	for i, volume := range all {
		left = append(left, cleanup.LeftVolume(volume, fates[i])...)
		if fates[i] == cleanup.Stays {
			s.kept.Add(volume, volumes.IsOnDevice(s.sb.Status.Targets, volume.Name))
		}
	}
	return left
}

// removeClusterObjects deletes the PersistentVolumes and StorageClasses that were made, when no claim is left that
// needs them. They have no namespace, so Kubernetes does not remove them with the benchmark.
func (p *pass) removeClusterObjects(ctx context.Context) ([]cleanup.Leftover, error) {
	if !slices.ContainsFunc(p.sb.Spec.Targets, func(t v1alpha1.Target) bool { return storage.Driver(&t) != "" }) {
		return nil, nil
	}
	if p.namespaces.AreSet() {
		return p.namespaces.LeftClusterObjects(p.sb), nil
	}
	mine := client.MatchingLabels(child.ClusterLabels(p.sb))
	var left []cleanup.Leftover
	var unneeded []client.Object
	var errs []error
	for _, of := range []struct {
		list           client.ObjectList
		kind, resource string
	}{{&corev1.PersistentVolumeList{}, "PersistentVolume", "pv"}, {&storagev1.StorageClassList{}, "StorageClass", "storageclass"}} {
		if err := p.Live.List(ctx, of.list, mine); err != nil {
			errs = append(errs, fmt.Errorf("list PersistentVolumes and StorageClasses: %w", err))
			continue
		}
		err := meta.EachListItem(of.list, typed(func(object client.Object) {
			if ours.ClusterObject(p.sb, object) {
				left = append(left, cleanup.Leftover{What: of.kind + " " + object.GetName(), Command: "kubectl delete " + of.resource + " " + object.GetName()})
				unneeded = append(unneeded, object)
			}
		}))
		errs = append(errs, err)
	}
	return left, errors.Join(append(errs, deleteAll(ctx, p, "", unneeded))...)
}
