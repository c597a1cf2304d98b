package pvc

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// InPlace holds the objects that have the names of those that provision a target's storage. An object that does not
// exist is empty, and one that the target does not need is nil.
type InPlace struct {
	Class  *storagev1.StorageClass
	Volume *corev1.PersistentVolume
	Claims []*corev1.PersistentVolumeClaim
}

// ReadInPlace reads it.
func ReadInPlace(ctx context.Context, p *pass.Pass, objects storage.Objects) (there InPlace, err error) {
	if objects.Class != nil {
		if there.Class, err = p.World.LiveClass(ctx, *objects.Class.Name); err != nil {
			return there, err
		}
	}
	if objects.Volume != nil {
		if there.Volume, err = p.World.LiveVolume(ctx, *objects.Volume.Name, "get PersistentVolume"); err != nil {
			return there, err
		}
	}
	// Each is read by its name: the tenants of the namespace choose how many others there are.
	for _, wanted := range objects.Claims {
		claim, err := p.World.LiveClaim(ctx, *wanted.Name, "get claim")
		if err != nil {
			return there, err
		}
		there.Claims = append(there.Claims, claim)
	}
	return there, nil
}

// TakenFrom names one of the objects that is there and somebody else's, "" if there is none. Applied, it would be taken
// over where its spec is the same, and deleted at the end with the data that it stands for. Jobs and pods need no such
// look: their specs cannot be the same, and the API server refuses to change them.
func (there InPlace) TakenFrom(c *children.Children) string {
	switch class, volume := there.Class, there.Volume; {
	case class != nil && class.Name != "" && !owned.ClusterObject(c.Benchmark, class):
		return "StorageClass " + class.Name
	case volume != nil && volume.Name != "" && !owned.ClusterObject(c.Benchmark, volume):
		return "PersistentVolume " + volume.Name
	}
	for _, claim := range there.Claims {
		if claim.Name != "" && !c.IsOwnClaim(claim) && !c.IsUnnotedClaim(claim) {
			return "PersistentVolumeClaim " + claim.Name
		}
	}
	return ""
}

// UnnotedOf names one of the claims that a second operator may have made, "" if there is none.
func (there InPlace) UnnotedOf(c *children.Children) string {
	if i := slices.IndexFunc(there.Claims, c.IsUnnotedClaim); i >= 0 {
		return "PersistentVolumeClaim " + there.Claims[i].Name
	}
	return ""
}

// NotePatience is how long a second operator may take to note a claim that it has made. Its next pass does. A tenant's
// claim is refused after that.
const NotePatience = time.Minute

// JudgeUnnoted takes a claim that nobody has noted for somebody else's when notePatience is over.
func JudgeUnnoted(m *pass.Memory, facts *owned.ProvisionFacts, now time.Time) {
	switch {
	case facts.Unnoted == "":
		m.UnnotedSince = time.Time{}
	case m.UnnotedSince.IsZero():
		m.UnnotedSince = now
	case now.Sub(m.UnnotedSince) >= NotePatience && facts.Taken == "":
		facts.Taken = facts.Unnoted
	}
}

// errUnnoted is the error of a pass that waits for a second operator to note a claim.
func errUnnoted(target *v1alpha1.Target, claim string) error {
	return fmt.Errorf("target %s: %s exists, and this operator has not made it: "+
		"waiting up to %s for another operator to claim it in the status",
		target.Name, claim, NotePatience)
}

// VolumeInTheWay returns the benchmark's own PersistentVolume of storage that is mounted as it is, if it has to go
// before it is made anew, else nil.
func (there InPlace) VolumeInTheWay(sb *v1alpha1.StorageBenchmark) *corev1.PersistentVolume {
	volume := there.Volume
	if volume == nil || !owned.ClusterObject(sb, volume) || !owned.IsInTheWay(volume, there.Claims[0].UID) {
		return nil
	}
	return volume
}

// As soon as a benchmark has a UID, any user who may make claims can make one that looks like the operator's. A claim
// that exists before the operator makes any is such a claim. It is named and noted, so that it is never trusted.
