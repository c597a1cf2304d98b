package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// What package ours decides about where volumes are from depends on what this file reads.

// existingVolumes returns those claims of clients of a target whose volume was there before the benchmark, or may have been.
func (p *pass) existingVolumes(ctx context.Context, target *v1alpha1.Target, clients ...int32) (sets.Set[string], error) {
	sources, err := p.readSources(ctx, target, clients...)
	if err != nil {
		return nil, err
	}
	sources.NoProvisioner = p.sb.Status.Target(target.Name).Driver == storage.NoProvisioner
	fits := []fitting{ours.MayGet}
	if p.sb.Status.Target(target.Name).IsForOnePod() { // no anchor has those bound before
		fits = append(fits, ours.MayBeFreed)
	}
	err = p.lookFitting(ctx, target, &sources, fits...)
	return sources.Existing(), err
}

// readSources reads where the volumes of the claims of clients of a target are from.
func (p *pass) readSources(ctx context.Context, target *v1alpha1.Target, clients ...int32) (ours.Sources, error) {
	if !ours.MayHaveExisting(target) {
		return ours.Sources{}, nil
	}
	names := sets.New[string]() // clients share some claims
	for _, client := range clients {
		names.Insert(storage.ClaimName(p.sb, target, client))
	}
	origins, err := p.origins(ctx, target, names.UnsortedList())
	return ours.Sources{Unseen: p.namespaces.AreSet(), Origins: origins}, err
}

// fitting says whether a volume may come to one of a target's claims that have none yet.
type fitting func(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target, unbound sets.Set[string], volume *corev1.PersistentVolume) bool

// lookFitting looks for a volume of the cluster that fits claims without a volume in one of the ways, where something depends on that.
func (p *pass) lookFitting(ctx context.Context, target *v1alpha1.Target, sources *ours.Sources, ways ...fitting) error {
	if !sources.DependsOnVolumes() {
		return nil
	}
	unbound := sources.Unbound()
	return p.eachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if slices.ContainsFunc(ways, func(fits fitting) bool { return fits(p.sb, target, unbound, volume) }) {
			sources.Fitting = volume.Name
		}
	})
}

// origins says where the volumes of claims of a target are from, by the names of the claims.
func (p *pass) origins(ctx context.Context, target *v1alpha1.Target, claims []string) (map[string]ours.Origin, error) {
	origins := map[string]ours.Origin{}
	for _, name := range claims {
		var err error
		claim := p.Claims[name]
		if claim == nil || claim.Spec.VolumeName == "" { // the cache may not have heard yet that it is bound
			if claim, err = p.liveClaim(ctx, name, "get claim of target "+target.Name); err != nil {
				return nil, err
			}
		}
		if origins[name], err = p.originOf(ctx, claim); err != nil {
			return nil, err
		}
	}
	return origins, nil
}

// originOf says where the volume of a claim is from.
func (p *pass) originOf(ctx context.Context, claim *corev1.PersistentVolumeClaim) (ours.Origin, error) {
	if p.namespaces.AreSet() || claim.Spec.VolumeName == "" {
		return ours.OriginOf(claim, nil), nil
	}
	volume, err := p.liveVolume(ctx, claim.Spec.VolumeName, "get volume "+claim.Spec.VolumeName)
	return ours.OriginOf(claim, volume), err
}

// withoutSource says of a target that a claim of it has got a volume that was there before, on which there is nothing of its dataSource: Kubernetes binds a
// claim to a free volume that fits, without a look at what the claim is to be made from.
func (p *pass) withoutSource(ctx context.Context, target *v1alpha1.Target) (string, error) {
	origins, err := p.origins(ctx, target, p.memory.unsourced(&p.Children, target))
	if err != nil {
		return "", err
	}
	return p.memory.noteSources(&p.Children, target, origins), nil
}

// restUntied is how long volumes that could not be read or changed are left alone: each try holds up the pass.
const restUntied = time.Minute

// tie has each volume that was made for a claim of the benchmark go with that claim, as soon as the claim is bound, also where its StorageClass would
// retain it. If somebody removes the benchmark's finalizer, Kubernetes deletes the claim, and nothing tells afterwards to which benchmark the volume belonged. A volume
// that cannot be read or changed holds back nothing: clean-up tries it before the claim goes, has a deadline for that, and says what it could not do.
func tie(ctx context.Context, p *pass) (outcome, error) {
	if p.namespaces.AreSet() || p.now.Before(&p.memory.tieAgain) {
		return goOn(), nil
	}
	bound := p.memory.untied(&p.Children)
	errs := inParallel(ctx, bound, func(claim *corev1.PersistentVolumeClaim) error { return p.settleClaim(ctx, claim) })
	for i, err := range errs {
		p.memory.noteTied(bound[i], err, p.Clock.Now()) // a webhook that is away may take 30 s to say so
		if err != nil {
			ctrl.LoggerFrom(ctx).Info("The volume of a claim may stay without the benchmark's clean-up", "claim", bound[i].Name, "why", err.Error())
		}
	}
	return goOn(), nil
}

// unsourced returns the claims of a target that are bound, and of whose volumes nobody has looked yet whether they have what is on its dataSource.
func (m *memory) unsourced(c *children.Children, target *v1alpha1.Target) []string {
	if target.DataSource == nil {
		return nil
	}
	return slices.DeleteFunc(storage.ClaimNames(c.Benchmark, target), func(name string) bool {
		claim := c.Claims[name]
		return claim == nil || claim.Spec.VolumeName == "" || m.sourced.Has(claim.UID)
	})
}

// noteSources remembers which claims have volumes that were made for them, and says which one has not.
func (m *memory) noteSources(c *children.Children, target *v1alpha1.Target, origins map[string]ours.Origin) string {
	for _, name := range storage.ClaimNames(c.Benchmark, target) {
		claim := c.Claims[name]
		switch origins[name] {
		case ours.Existing:
			return fmt.Sprintf("target %s: claim %s was bound to volume %s, which was not made for it and does not hold the data of %s: a free volume of the StorageClass fits; "+
				"reserve that by its claimRef, or name another StorageClass, and create the benchmark anew",
				target.Name, name, claim.Spec.VolumeName, target.DataSource)
		case ours.Made, ours.Unbound:
			m.sourced = m.sourced.Union(sets.New(claim.UID))
		}
	}
	return ""
}

// noteTied remembers what has come of a try to tie the volume of a claim. What is refused is not tried again. Who has changed the volume meanwhile is no reason
// to wait.
func (m *memory) noteTied(claim *corev1.PersistentVolumeClaim, err error, now time.Time) {
	switch {
	case err == nil, isRefused(err), apierrors.IsInvalid(err):
		m.tied = m.tied.Union(sets.New(claim.UID))
	case !apierrors.IsConflict(err):
		m.tieAgain = metav1.NewTime(now.Add(restUntied))
	}
}

// untied returns the claims of the benchmark that are bound, and whose volumes were not looked at.
func (m *memory) untied(c *children.Children) (bound []*corev1.PersistentVolumeClaim) {
	for _, claim := range c.Claims {
		if claim.Status.Phase == corev1.ClaimBound && !m.tied.Has(claim.UID) && !c.MountsAsIs(claim) {
			bound = append(bound, claim)
		}
	}
	return bound
}
