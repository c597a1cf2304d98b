package pvc

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// This file reads the facts by which package ours decides where volumes are from.

// ExistingVolumes returns those claims of clients of a target whose volume was there before the benchmark, or may have
// been.
func ExistingVolumes(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, clients ...int32,
) (sets.Set[string], error) {
	sources, err := readSources(ctx, p, target, clients...)
	if err != nil {
		return nil, err
	}
	sources.NoProvisioner = p.SB.Status.Target(target.Name).Driver == storage.NoProvisioner
	fits := []fitting{owned.MayGet}
	if p.SB.Status.Target(target.Name).IsForOnePod() { // no anchor has those bound before
		fits = append(fits, owned.MayBeFreed)
	}
	err = lookFitting(ctx, p, target, &sources, fits...)
	return sources.Existing(), err
}

// readSources reads where the volumes of the claims of clients of a target are from.
func readSources(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, clients ...int32) (owned.Sources, error) {
	if !owned.MayHaveExisting(target) {
		return owned.Sources{}, nil
	}
	names := sets.New[string]() // clients share some claims
	for _, client := range clients {
		names.Insert(storage.ClaimName(p.SB, target, client))
	}
	origins, err := origins(ctx, p, target, names.UnsortedList())
	return owned.Sources{Unseen: p.Namespaces.AreSet(), Origins: origins}, err
}

// fitting reports whether a volume may come to one of a target's claims that have none yet.
type fitting func(
	sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target, unbound sets.Set[string], volume *corev1.PersistentVolume,
) bool

// lookFitting looks for a volume of the cluster that fits claims without a volume in one of the ways, where something
// depends on that.
func lookFitting(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, sources *owned.Sources, ways ...fitting,
) error {
	if !sources.DependsOnVolumes() {
		return nil
	}
	unbound := sources.Unbound()
	return p.World.EachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if slices.ContainsFunc(ways, func(fits fitting) bool { return fits(p.SB, target, unbound, volume) }) {
			sources.Fitting = volume.Name
		}
	})
}

// origins says where the volumes of claims of a target are from, by the names of the claims.
func origins(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claims []string,
) (map[string]owned.Origin, error) {
	origins := map[string]owned.Origin{}
	for _, name := range claims {
		var err error
		claim := p.Children.Claims[name]
		if claim == nil || claim.Spec.VolumeName == "" { // the cache may not have heard yet that it is bound
			if claim, err = p.World.LiveClaim(ctx, name, "get claim of target "+target.Name); err != nil {
				return nil, err
			}
		}
		if origins[name], err = OriginOf(ctx, p, claim); err != nil {
			return nil, err
		}
	}
	return origins, nil
}

// OriginOf says where the volume of a claim is from.
func OriginOf(ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim) (owned.Origin, error) {
	if p.Namespaces.AreSet() || claim.Spec.VolumeName == "" {
		return owned.OriginOf(claim, nil), nil
	}
	volume, err := p.World.LiveVolume(ctx, claim.Spec.VolumeName, "get volume "+claim.Spec.VolumeName)
	return owned.OriginOf(claim, volume), err
}

// WithoutSource says of a target that a claim of it has got a volume that was there before, on which there is nothing
// of its dataSource: Kubernetes binds a claim to a free volume that fits, without a look at what the claim is to be
// made from.
func WithoutSource(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (string, error) {
	origins, err := origins(ctx, p, target, Unsourced(p.Memory, &p.Children, target))
	if err != nil {
		return "", err
	}
	return NoteSources(p.Memory, &p.Children, target, origins), nil
}

// RestUntied is how long volumes that could not be read or changed are left alone: each try holds up the pass.
const RestUntied = time.Minute

// Unsourced returns the claims of a target that are bound, and of whose volumes nobody has looked yet whether they have
// what is on its dataSource.
func Unsourced(m *pass.Memory, c *children.Children, target *v1alpha1.Target) []string {
	if target.DataSource == nil {
		return nil
	}
	return slices.DeleteFunc(storage.ClaimNames(c.Benchmark, target), func(name string) bool {
		claim := c.Claims[name]
		return claim == nil || claim.Spec.VolumeName == "" || m.Sourced.Has(claim.UID)
	})
}

// NoteSources remembers which claims have volumes that were made for them, and says which one has not.
func NoteSources(
	m *pass.Memory, c *children.Children, target *v1alpha1.Target, origins map[string]owned.Origin,
) string {
	for _, name := range storage.ClaimNames(c.Benchmark, target) {
		claim := c.Claims[name]
		switch origins[name] {
		case owned.Existing:
			return fmt.Sprintf("target %s: claim %s was bound to volume %s, which was not made for it "+
				"and does not hold the data of %s: a free volume of the StorageClass fits; "+
				"reserve that by its claimRef, or name another StorageClass, and create the benchmark anew",
				target.Name, name, claim.Spec.VolumeName, target.DataSource)
		case owned.Made, owned.Unbound:
			m.Sourced = m.Sourced.Union(sets.New(claim.UID))
		}
	}
	return ""
}

// NoteTied remembers the result of a try to tie the volume of a claim. A refused change is not tried again. A conflict
// with a change by somebody else is no reason to wait.
func NoteTied(m *pass.Memory, claim *corev1.PersistentVolumeClaim, err error, now time.Time) {
	switch {
	case err == nil, world.IsRefused(err), apierrors.IsInvalid(err):
		m.Tied = m.Tied.Union(sets.New(claim.UID))
	case !apierrors.IsConflict(err):
		m.TieAgain = metav1.NewTime(now.Add(RestUntied))
	}
}

// untied returns the claims of the benchmark that are bound, and whose volumes were not looked at.
func untied(m *pass.Memory, c *children.Children) (bound []*corev1.PersistentVolumeClaim) {
	for _, claim := range c.Claims {
		if claim.Status.Phase == corev1.ClaimBound && !m.Tied.Has(claim.UID) && !c.MountsAsIs(claim) {
			bound = append(bound, claim)
		}
	}
	return bound
}
