package schedule

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/schedule"
)

const (
	// maxMessage is the most bytes of a condition's message.
	maxMessage = 4096
	// maxActive is how many names status.active has.
	maxActive = 32
)

// refuseSpec says that nothing is made, because the schedule asks for what cannot be.
func refuseSpec(p *pass, problems field.ErrorList) {
	message := problems.ToAggregate().Error()
	p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, message)
	p.setCondition(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidSpec, message)
	p.schedule.Status.NextScheduleTime = nil
}

// refuseStart says that a start is due, and why it cannot be made.
func refuseStart(p *pass, why string) {
	p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartRefused, why)
	meta.RemoveStatusCondition(&p.schedule.Status.Conditions, v1alpha1.ConditionStalled)
}

// noteNext says when the next start is due, or why none is made.
func noteNext(p *pass, decision *schedule.Start) {
	status := &p.schedule.Status
	meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionStalled)
	status.NextScheduleTime = nil
	if !decision.Next.IsZero() {
		status.NextScheduleTime = new(metav1.NewTime(decision.Next))
	}
	switch {
	case ptr.Deref(p.schedule.Spec.Suspend, false):
		p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonSuspended, "spec.suspend is true")
	case decision.Crowded:
		p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonTooManyBenchmarks, whyCrowded(p))
	case decision.Waits:
		p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive,
			"a start is due and waits until another StorageBenchmark is over, because concurrencyPolicy is Forbid")
	case decision.Due.IsZero() && hasFailedForGood(p):
		failStart(p, p.memory.failed.err.Error()+"; its deadline has passed")
	case wasRefused(p) && decision.Due.IsZero():
		// As it was: the start that was refused, or failed, is over, and no other one has been made.
	case isActive(p):
		p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive, "")
	default:
		p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting, "")
	}
}

// whyCrowded returns how many StorageBenchmarks are there when no other one is made, and what helps.
func whyCrowded(p *pass) string {
	succeeded, failed := p.historyLimits()
	active := 0
	for i := range p.benchmarks {
		if stateOf(&p.benchmarks[i]) == schedule.Active {
			active++
		}
	}
	why := fmt.Sprintf("%d StorageBenchmarks of this schedule are there, %d of them active: "+
		"no other one is made until there are fewer than %d. ",
		len(p.benchmarks), active, schedule.MostThere(succeeded+failed))
	switch kept := p.schedule.Status.Condition(v1alpha1.ConditionHistoryKept); {
	case kept.Status == metav1.ConditionFalse:
		return why + "Those that have ended are not deleted until the history has their points, and that fails: " +
			kept.Message
	case p.memory.undeleted != nil:
		return why + "One that has ended cannot be deleted: " + p.memory.undeleted.Error()
	case active > len(p.benchmarks)/2:
		return why + "Look why they do not end, have spec.schedule start them less often, or set concurrencyPolicy to Forbid"
	}
	return why + "Delete those that are not needed"
}

// wasRefused reports whether the last start of the current spec was refused, or failed.
func wasRefused(p *pass) bool {
	c := p.schedule.Status.Condition(v1alpha1.ConditionScheduled)
	hasFailed := c.Reason == v1alpha1.ReasonStartRefused || c.Reason == v1alpha1.ReasonStartFailed
	return hasFailed && c.ObservedGeneration == p.schedule.Generation
}

func isActive(p *pass) bool {
	for i := range p.benchmarks {
		if stateOf(&p.benchmarks[i]) == schedule.Active {
			return true
		}
	}
	return false
}

// summarize says which StorageBenchmarks are there.
func summarize(p *pass) {
	status := &p.schedule.Status
	status.Active, status.ActiveBenchmarks = nil, 0
	for i := range p.benchmarks {
		sb := &p.benchmarks[i]
		switch stateOf(sb) {
		case schedule.Active:
			status.ActiveBenchmarks++
			if len(status.Active) < maxActive {
				status.Active = append(status.Active, sb.Name)
			}
		case schedule.Succeeded:
			noteSuccess(p, sb.Status.CompletionTime)
			noteEnded(p, sb)
		case schedule.Failed:
			noteEnded(p, sb)
		}
	}
}

// maxResult is the most bytes of the message of the last result.
const maxResult = 1024

// noteEnded keeps how the last StorageBenchmark ended, also when that is deleted. A later time than now is that of a
// clock that was ahead.
func noteEnded(p *pass, sb *v1alpha1.StorageBenchmark) {
	last := p.schedule.Status.LastResult
	if last != nil && !schedule.IsAhead(last.CompletionTime.Time, p.now) && p.endOf(sb).Before(last.CompletionTime.Time) {
		return
	}
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	result := &v1alpha1.ScheduleResult{
		Benchmark: sb.Name, CompletionTime: metav1.NewTime(p.endOf(sb)), Reason: humanize.Cut(succeeded.Reason, 64, ""),
	}
	if succeeded.Status != metav1.ConditionTrue {
		result.Message = humanize.Fit(succeeded.Message, maxResult)
	}
	p.schedule.Status.LastResult = result
}

// noteSuccess keeps the time of the last success. One that comes from a clock that was ahead is kept until there is
// another one.
func noteSuccess(p *pass, ended *metav1.Time) {
	if ended == nil {
		return
	}
	last := p.schedule.Status.LastSuccessfulTime
	isAhead := schedule.IsAhead(ended.Time, p.now)
	wasAhead := last != nil && schedule.IsAhead(last.Time, p.now)
	if last == nil || wasAhead && !isAhead || wasAhead == isAhead && ended.After(last.Time) {
		p.schedule.Status.LastSuccessfulTime = ended.DeepCopy()
	}
}

// save writes the status if it has changed.
func save(ctx context.Context, p *pass) error {
	if equality.Semantic.DeepEqual(p.before.Status, p.schedule.Status) {
		return nil
	}
	// The patch must not have the version that a write of this pass gave the schedule.
	patch := client.MergeFromWithOptions(p.before, client.MergeFromWithOptimisticLock{})
	written := p.schedule.DeepCopy()
	err := p.Client.Status().Patch(ctx, written, patch)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return errOutdated
	case err != nil:
		return fmt.Errorf("write status: %w", crd.Explain(err))
	}
	if written.ResourceVersion != p.before.ResourceVersion {
		p.memory.staleVersion = p.before.ResourceVersion
	}
	notify(p)
	return nil
}

// bad is the status of each condition that users are told of.
var bad = map[string]metav1.ConditionStatus{
	v1alpha1.ConditionScheduled:   metav1.ConditionFalse,
	v1alpha1.ConditionHistoryKept: metav1.ConditionFalse,
	v1alpha1.ConditionRegressed:   metav1.ConditionTrue,
}

// notify tells users by events what the status write has changed for the worse.
func notify(p *pass) {
	if p.missed != "" {
		p.Events.Eventf(p.schedule, nil, corev1.EventTypeWarning, "MissedStarts", "Create", "%s", p.missed)
	}
	news := newlyWorse(p)
	for kind, status := range bad {
		was, is := p.before.Status.Condition(kind), p.schedule.Status.Condition(kind)
		if is.Status != status || is.Reason == v1alpha1.ReasonSuspended {
			continue
		}
		again := kind == v1alpha1.ConditionRegressed && news
		if was.Reason == is.Reason && !again {
			continue
		}
		note := humanize.Cut(is.Message, humanize.MaxNote, "…")
		p.Events.Eventf(p.schedule, nil, corev1.EventTypeWarning, is.Reason, "Reconcile", "%s", note)
	}
}

// newlyWorse reports whether a figure got worse after the last change that users were told of, and remembers that they
// are told. An operator that has just begun assumes that they were told of what it finds.
func newlyWorse(p *pass) bool {
	if p.memory.history == nil {
		return false
	}
	found := &p.memory.history.regressed
	if found.status != metav1.ConditionTrue {
		p.memory.told = 0
		return false
	}
	news := found.isNews(p.memory.told)
	p.memory.told = max(p.memory.told, found.worst)
	return news
}

// awaitMade is how long the cache may take to hear of a StorageBenchmark that was made. One that is deleted before is
// not waited for any longer.
const awaitMade = 10 * time.Second
