package measure

import (
	"context"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/plan"
)

// findJob sees what has become of the Job of a client that was there and is not found.
func findJob(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, planned *plan.Run, client int32,
) (pass.Outcome, error) {
	wanted := job.ForRun(p.SB, p.World.Image, jobSpec(p).ForMeasuring(run, planned, client))
	found, err := p.World.LiveJob(ctx, *wanted.Name, "get Job")
	if err != nil {
		return pass.Outcome{}, err
	}
	if why := owned.WhyLost(p.SB, "Job", found); why != "" {
		p.Disrupted(run, why)
		return pass.SaveFirst(), nil
	}
	if err := workers.Restore(ctx, p, found, wanted.Labels, wanted.Annotations); err != nil {
		return pass.Outcome{}, err
	}
	return p.AwaitCache(found)
}
