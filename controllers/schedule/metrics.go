package schedule

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
)

// forgetPredecessor has metrics say nothing of a schedule that had the name before, of whose deletion no pass was made.
func forgetPredecessor(p *pass) {
	if p.memory.timed == 0 { // which is so before the first pass alone
		p.Results.ForgetSchedule(client.ObjectKeyFromObject(p.schedule))
	}
}

// serveState has metrics say what the status says.
func serveState(p *pass) {
	if p.memory.timed != p.schedule.Generation {
		p.memory.period, p.memory.timed = 0, p.schedule.Generation
		if cron, problem := schedule.Parse(&p.schedule.Spec, p.now); problem == nil {
			p.memory.period = cron.Period(p.now)
		}
	}
	p.Results.SetSchedule(p.schedule, p.memory.period)
}

// serveResult has metrics say what the last point does. As long as its benchmark is there they have all that this has
// measured, which is more than the history keeps.
func serveResult(ctx context.Context, p *pass, h *history.History) {
	if len(h.Points) == 0 {
		return
	}
	last := &h.Points[len(h.Points)-1]
	if p.memory.served == last.UID {
		return
	}
	result := resultmetrics.FromPoint(last)
	sb := &v1alpha1.StorageBenchmark{}
	err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: last.Benchmark}, sb)
	if err == nil && string(sb.UID) == last.UID {
		result = resultmetrics.FromBenchmark(sb)
	}
	p.Results.SetResult(client.ObjectKeyFromObject(p.schedule), result)
	if client.IgnoreNotFound(err) == nil { // else it may be there, and has more
		p.memory.served = last.UID
	}
}
