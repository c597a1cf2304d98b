package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/provisioning"
	"github.com/storagebench/storagebench/internal/storage"
)

// inPlace is what there is by the names of what provisions a target's storage. What is not there is empty, or nil where the target needs none.
type inPlace struct {
	class  *storagev1.StorageClass
	volume *corev1.PersistentVolume
	claims []*corev1.PersistentVolumeClaim
}

// readInPlace reads it.
func (p *pass) readInPlace(ctx context.Context, objects storage.Objects) (there inPlace, err error) {
	if objects.Class != nil {
		if there.class, err = p.liveClass(ctx, *objects.Class.Name); err != nil {
			return there, err
		}
	}
	if objects.Volume != nil {
		if there.volume, err = p.liveVolume(ctx, *objects.Volume.Name, "get PersistentVolume"); err != nil {
			return there, err
		}
	}
	for _, wanted := range objects.Claims { // each by its name: how many others there are in a namespace is its tenants' choice
		claim, err := p.liveClaim(ctx, *wanted.Name, "get claim")
		if err != nil {
			return there, err
		}
		there.claims = append(there.claims, claim)
	}
	return there, nil
}

// takenFrom names one of the objects that is there and somebody else's, "" if there is none. Applied, it would be taken over where
// its spec is the same, and deleted at the end with the data that it stands for. Jobs and pods need no such look: their specs
// cannot be the same, and the API server refuses to change them.
func (there inPlace) takenFrom(c *children.Children) string {
	switch class, volume := there.class, there.volume; {
	case class != nil && class.Name != "" && !ours.ClusterObject(c.Benchmark, class):
		return "StorageClass " + class.Name
	case volume != nil && volume.Name != "" && !ours.ClusterObject(c.Benchmark, volume):
		return "PersistentVolume " + volume.Name
	}
	for _, claim := range there.claims {
		if claim.Name != "" && !c.IsOwnClaim(claim) && !c.IsUnnotedClaim(claim) {
			return "PersistentVolumeClaim " + claim.Name
		}
	}
	return ""
}

// unnotedOf names one of the claims that a second operator may have made, "" if there is none.
func (there inPlace) unnotedOf(c *children.Children) string {
	if i := slices.IndexFunc(there.claims, c.IsUnnotedClaim); i >= 0 {
		return "PersistentVolumeClaim " + there.claims[i].Name
	}
	return ""
}

// notePatience is how long a second operator may take to note a claim that it has made. Its next pass does. A tenant's
// claim is refused after that.
const notePatience = time.Minute

// judgeUnnoted takes a claim that nobody has noted for somebody else's when notePatience is over.
func (m *memory) judgeUnnoted(facts *provisioning.Facts, now time.Time) {
	switch {
	case facts.Unnoted == "":
		m.unnotedSince = time.Time{}
	case m.unnotedSince.IsZero():
		m.unnotedSince = now
	case now.Sub(m.unnotedSince) >= notePatience && facts.Taken == "":
		facts.Taken = facts.Unnoted
	}
}

// errUnnoted is the error of a pass that waits for a second operator to note a claim.
func errUnnoted(target *v1alpha1.Target, claim string) error {
	return fmt.Errorf("target %s: %s exists, and this operator has not made it: waiting up to %s for another operator to claim it in the status",
		target.Name, claim, notePatience)
}

// volumeInTheWay returns the benchmark's own PersistentVolume of storage that is mounted as it is, if it has to go before it is made anew, else nil.
func (there inPlace) volumeInTheWay(sb *v1alpha1.StorageBenchmark) *corev1.PersistentVolume {
	if there.volume == nil || !ours.ClusterObject(sb, there.volume) || !provisioning.IsInTheWay(there.volume, there.claims[0].UID) {
		return nil
	}
	return there.volume
}

// Whoever may make claims can make one that is like the operator's in all, as soon as the benchmark has a UID. One that is there before the operator makes any is
// such a one. It is named, and noted, so that nothing is ever believed of it.

// refuseTakenClaim ends a benchmark for which nothing was made yet, and for which there is a claim all the same.
func (p *pass) refuseTakenClaim(ctx context.Context, target *v1alpha1.Target, claim string) (outcome, error) {
	return p.ifFresh(ctx, func() (outcome, error) {
		p.sb.Status.Target(target.Name).ClaimsUID = ours.Foreign
		p.refuseTaken(target, "PersistentVolumeClaim "+claim)
		return saveFirst(), nil
	})
}

// takenClaim returns a target, and a claim that has a name of its claims, which the operator has given to none yet. The target is nil if there is no such claim.
func (p *pass) takenClaim(ctx context.Context) (*v1alpha1.Target, string, error) {
	for i := range p.sb.Spec.Targets {
		target := &p.sb.Spec.Targets[i]
		if !storage.IsProvisioned(target) {
			continue
		}
		names := storage.ClaimNames(p.sb, target)
		claims, errs := gather(ctx, parallelCalls, names, func(name string) (*corev1.PersistentVolumeClaim, error) {
			return p.liveClaim(ctx, name, "get claims of target "+target.Name)
		})
		if err := errors.Join(errs...); err != nil {
			return nil, "", err
		}
		if at := slices.IndexFunc(claims, func(claim *corev1.PersistentVolumeClaim) bool { return claim.Name != "" }); at >= 0 {
			return target, names[at], nil
		}
		p.memory.noteUnmade(names...)
	}
	return nil, "", nil
}
