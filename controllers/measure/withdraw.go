package measure

import (
	"context"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
)

// withdraw ends an attempt whose pod waits for a node, and has an fsGroup, where a volume that was not made for it may
// come to its claim. The next attempt has the claim bound first, or no fsGroup.
func withdraw(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, target *v1alpha1.Target, one workers.Part,
) (pass.Outcome, error) {
	if !pvc.WillChangeGroup(one.Pod) || !pvc.SetsGroup(p) {
		return pass.GoOn(), nil
	}
	sources, err := pvc.SeeFreed(ctx, p, target, one.Client)
	if err != nil {
		return pass.Outcome{}, err
	}
	why := sources.WhyExisting(target.Name)
	if why == "" {
		return pass.GoOn(), nil
	}
	p.Disrupted(run, why+", and the pod would change the group of all files there")
	return pass.SaveFirst(), nil
}
