package workers

import (
	"context"

	"github.com/storagebench/storagebench/controllers/pass"
)

// IfFresh acts if this pass has read the newest version of the benchmark. Otherwise it has the next one come soon.
func IfFresh(ctx context.Context, p *pass.Pass, act func() (pass.Outcome, error)) (pass.Outcome, error) {
	if fresh, err := p.World.IsFresh(ctx, p.SB); err != nil || !fresh {
		return pass.AwaitFor(pass.RetrySoon), err
	}
	return act()
}
