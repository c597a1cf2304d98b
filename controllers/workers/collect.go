package workers

import (
	"cmp"
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/search"
	"github.com/storagebench/storagebench/internal/series"
)

// Collect takes the outcome of an attempt that has ended into the status.
func Collect(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []Part) error {
	p.Children.NoteWritten(run.Target) // a pod that has lost its labels was not seen before
	whole, client := attempt.Together(StatesOf(parts))
	over := keepLogs(ctx, p, run, parts, whole.Phase == attempt.Succeeded)
	why := cmp.Or(whole.Why, "its pod was ended from outside")
	if len(parts) > 1 {
		why = parts[client].String() + ": " + why
	}
	switch whole.Phase {
	case attempt.Succeeded:
		return Record(ctx, p, run, parts, over)
	case attempt.Late:
		p.Late(run, why)
	case attempt.Interrupted:
		p.Disrupted(run, why)
	default:
		p.FailRun(run, why)
	}
	return nil
}

// CollectEnded takes the outcome of a run that had ended by itself before it was ended for another reason, and reports
// whether there was one.
func CollectEnded(ctx context.Context, p *pass.Pass, run *v1alpha1.Run) (bool, error) {
	if run == nil || len(p.Children.MissingJobs(run)) > 0 {
		return false, nil
	}
	parts, err := PartsOf(ctx, p, run)
	if err != nil {
		return false, err
	}
	if whole, _ := attempt.Together(StatesOf(parts)); !whole.Ended() || whole.Repeatable() {
		return false, nil
	}
	return true, Collect(ctx, p, run, parts)
}

// Record takes what the runners report into the status. Whatever that is, the worst that it can do is to fail its own
// run. over is what it did over its time, nil if that is not known.
func Record(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []Part, over *series.Series) error {
	planned, isPlanned := p.Planned(run) // not if the spec was edited while the benchmark was suspended
	measured, err := result.Read(reportsOf(parts), planned)
	if err != nil {
		p.FailRun(run, err.Error())
		return nil
	}
	measured.AddSeries(over)
	if len(parts) > 1 {
		if err := KeepClients(ctx, p, run, measured); err != nil {
			return err
		}
	}
	run.State = v1alpha1.RunSucceeded
	run.Message = ""
	run.CompletionTime = new(p.Now)
	run.StartMarginMilliseconds = measured.StartMarginMilliseconds
	run.Result, run.Sections, run.Probe = measured.Result, measured.Sections, measured.Probe
	if isPlanned {
		if judgeStep(p, run, planned); run.State == v1alpha1.RunFailed {
			return nil
		}
		analyse(p, run, planned, measured)
	}
	result.BoundOverTime(p.SB.Status.Runs, run) // when warnings have told of it
	return nil
}

// reportsOf returns what the pods have left. All pods are there.
func reportsOf(parts []Part) []result.Part {
	return world.Each(parts, func(p Part) result.Part { return result.PartOf(p.Client, p.Pod, p.Seen.Report, p.Seen.Why) })
}

// analyse takes into the status what the results of a run mean. The results have to be there.
func analyse(s *pass.Pass, run *v1alpha1.Run, planned *plan.Run, measured *result.Measured) {
	target := s.SB.Status.Target(run.Target)
	findings := measured.Analyse(result.Facts{
		Planned: planned, Plan: s.PlannedRuns(), Target: target,
		Mode: plan.VolumesOf(s.SB.Status.Targets).ModeOf(planned.Target),
		Runs: s.SB.Status.RunsOn(target), Anchors: s.SB.Status.Anchors,
		ContainerLimits: ptr.Deref(s.SB.Spec.Pod, v1alpha1.PodSettings{}).Resources.Limits,
	})
	target.BurstCredits, run.Warnings = findings.BurstCredits, findings.Warnings
	run.Counters, run.Exceeded = findings.Counters, findings.Exceeded
	if run.Result != nil {
		run.LimitedBy = &findings.LimitedBy[0]
	}
	for i := range run.Sections {
		run.Sections[i].LimitedBy = &findings.LimitedBy[i]
	}
}

// judgeStep notes whether a step of a search keeps the budget. It fails a run for which this cannot be known.
func judgeStep(s *pass.Pass, run *v1alpha1.Run, planned *plan.Run) {
	if run.Search == nil || planned.Workload.Search == nil {
		return
	}
	verdict, err := search.Judge(planned.Workload.Search, run.Result, planned.Rate())
	if err != nil {
		s.FailRun(run, err.Error())
		return
	}
	run.Search.Verdict = verdict
}
