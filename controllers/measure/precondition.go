package measure

import (
	"context"
	"fmt"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// A device is written in full before it is measured only where its volume was made for the benchmark's claim.
// Kubernetes binds a claim also to a volume that was there before, if one fits, and what is on that is somebody's. So
// the claim is bound before there is a pod that writes, and its volume is looked at then.

// whyNotWritten says why devices of clients may not be written before a run, "" if they may, or are not. It is an error
// that a claim has no volume: its anchor had it bound, so somebody has just deleted it.
func whyNotWritten(ctx context.Context, p *pass.Pass, planned *plan.Run, clients []int32) (string, error) {
	target := planned.Target
	if !job.WritesDevice(p.SB, target) {
		return "", nil
	}
	for _, client := range clients {
		if !jobSpec(p).Preconditions(planned, client, nil) {
			continue
		}
		name := storage.ClaimName(p.SB, target, client)
		claim, err := p.World.LiveClaim(ctx, name, "get claim of target "+target.Name)
		if err != nil {
			return "", err
		}
		origin, err := pvc.OriginOf(ctx, p, claim)
		if err != nil {
			return "", err
		}
		if why, err := WhyKept(target.Name, name, origin); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// WhyKept says by where the volume of a claim is from why it may not be written, "" if it may.
func WhyKept(target, claim string, origin owned.Origin) (string, error) {
	switch origin {
	case owned.Made:
		return "", nil
	case owned.Unbound:
		return "", fmt.Errorf("claim %s of target %s has no volume that could be written before it is measured",
			claim, target)
	default:
		return fmt.Sprintf("the volume of claim %s of target %s was not made for it, as far as can be seen, "+
			"and precondition would write all of it: "+
			"remove precondition, or use a StorageClass that has no PersistentVolume in phase Available", claim, target), nil
	}
}
