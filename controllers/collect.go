package controllers

import (
	"cmp"
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/series"
)

// collect takes the outcome of an attempt that has ended into the status.
func (p *pass) collect(ctx context.Context, run *v1alpha1.Run, parts []part) error {
	p.NoteWritten(run.Target) // a pod that has lost its labels was not seen before
	whole, client := attempt.Together(statesOf(parts))
	over := p.keepLogs(ctx, run, parts, whole.Phase == attempt.Succeeded)
	why := cmp.Or(whole.Why, "its pod was ended from outside")
	if len(parts) > 1 {
		why = parts[client].String() + ": " + why
	}
	switch whole.Phase {
	case attempt.Succeeded:
		return p.record(ctx, run, parts, over)
	case attempt.Late:
		p.late(run, why)
	case attempt.Interrupted:
		p.disrupted(run, why)
	default:
		p.failRun(run, why)
	}
	return nil
}

// collectEnded takes the outcome of a run that had ended by itself before it was ended for another reason, and says whether there was one.
func (p *pass) collectEnded(ctx context.Context, run *v1alpha1.Run) (bool, error) {
	if run == nil || len(p.MissingJobs(run)) > 0 {
		return false, nil
	}
	parts, err := p.partsOf(ctx, run)
	if err != nil {
		return false, err
	}
	if whole, _ := attempt.Together(statesOf(parts)); !whole.Ended() || whole.Repeatable() {
		return false, nil
	}
	return true, p.collect(ctx, run, parts)
}

// record takes what the runners report into the status. Whatever that is, the worst that it can do is to fail its own run.
// over is what it did over its time, nil if that is not known.
func (p *pass) record(ctx context.Context, run *v1alpha1.Run, parts []part, over *series.Series) error {
	planned, isPlanned := p.planned(run) // not if the spec was edited while the benchmark was suspended
	measured, err := result.Read(reportsOf(parts), planned)
	if err != nil {
		p.failRun(run, err.Error())
		return nil
	}
	measured.AddSeries(over)
	if len(parts) > 1 {
		if err := p.keepClients(ctx, run, measured); err != nil {
			return err
		}
	}
	run.State = v1alpha1.RunSucceeded
	run.Message = ""
	run.CompletionTime = new(p.now)
	run.StartMarginMilliseconds = measured.StartMarginMilliseconds
	run.Result, run.Sections = measured.Result, measured.Sections
	if isPlanned {
		if p.judgeStep(run, planned); run.State == v1alpha1.RunFailed {
			return nil
		}
		p.analyse(run, planned, measured)
	}
	result.BoundOverTime(p.sb.Status.Runs, run) // when warnings have told of it
	return nil
}

// reportsOf returns what the pods have left. All pods are there.
func reportsOf(parts []part) []result.Part {
	return each(parts, func(p part) result.Part { return result.PartOf(p.client, p.pod, p.seen.Report, p.seen.Why) })
}

// analyse takes into the status what the results of a run mean. The results have to be there.
func (s *writer) analyse(run *v1alpha1.Run, planned *plan.Run, measured *result.Measured) {
	target := s.sb.Status.Target(run.Target)
	findings := measured.Analyse(result.Facts{
		Planned: planned, Plan: s.plannedRuns(), Target: target,
		Mode: plan.VolumesOf(s.sb.Status.Targets).ModeOf(planned.Target),
		Runs: s.sb.Status.RunsOn(target), Anchors: s.sb.Status.Anchors,
		ContainerLimits: ptr.Deref(s.sb.Spec.Pod, v1alpha1.PodSettings{}).Resources.Limits,
	})
	target.BurstCredits, run.Warnings, run.Counters, run.Exceeded = findings.BurstCredits, findings.Warnings, findings.Counters, findings.Exceeded
	if run.Result != nil {
		run.LimitedBy = &findings.LimitedBy[0]
	}
	for i := range run.Sections {
		run.Sections[i].LimitedBy = &findings.LimitedBy[i]
	}
}
