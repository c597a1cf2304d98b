package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/schedule"
)

const (
	// refusedAgain is how long after the API server has refused a StorageBenchmark it is tried again.
	refusedAgain = time.Minute
	// lookAnyway is how long it is waited at a time: timers do not notice that the clock has been set.
	lookAnyway = 10 * time.Minute
	// maxMissed is where status.missedStarts stops.
	maxMissed = 1_000_000
)

// start makes the StorageBenchmark of a start that is due, and returns how long it is until the next pass.
func start(ctx context.Context, p *pass) (time.Duration, error) {
	cron, problem := schedule.Parse(&p.schedule.Spec, p.now)
	problems := judge(p)
	if problem != nil {
		problems = append(field.ErrorList{problem}, problems...)
	}
	if len(problems) > 0 {
		refuseSpec(p, problems)
		p.decided = true
		return 0, nil
	}
	if awaitsMade(p) {
		return retrySoon, nil
	}
	facts := startFacts(p)
	if facts.IsAhead() {
		facts.Last = p.now
		p.schedule.Status.LastScheduleTime = new(metav1.NewTime(p.now))
	}
	decision := schedule.Decide(cron, facts)
	p.due = decision.Due
	if after, err := carryOut(ctx, p, &decision); err != nil || after > 0 {
		return after, err
	}
	noteNext(p, &decision)
	p.decided = true
	return until(p, decision.Next), nil
}

// carryOut makes what is due. It returns how long to wait where that cannot be made now, 0 if there is nothing to wait
// for.
func carryOut(ctx context.Context, p *pass, decision *schedule.Start) (time.Duration, error) {
	switch {
	case decision.Due.IsZero():
		return 0, nil
	case decision.Made:
		noteMade(p, decision)
		return 0, nil
	}
	if fresh, err := isFresh(ctx, p); err != nil || !fresh {
		return retrySoon, err
	}
	for _, b := range decision.Replaces {
		if replaced, err := replace(ctx, p, b); err != nil || !replaced {
			return retrySoon, err
		}
	}
	if refused, err := makeBenchmark(ctx, p, decision); err != nil || refused {
		return refusedAgain, err
	}
	return 0, nil
}

// until returns how long to wait for a time, 0 if that never comes.
func until(p *pass, next time.Time) time.Duration {
	if next.IsZero() {
		return 0
	}
	return min(max(next.Sub(p.now), time.Millisecond), lookAnyway)
}

func startFacts(p *pass) *schedule.Facts {
	spec, status := &p.schedule.Spec, &p.schedule.Status
	succeeded, failed := p.historyLimits()
	return &schedule.Facts{
		Name: p.schedule.Name, UID: p.schedule.UID,
		Now: p.now, Created: p.schedule.CreationTimestamp.Time, Last: ptr.Deref(status.LastScheduleTime, metav1.Time{}).Time,
		Deadline:  time.Duration(ptr.Deref(spec.StartingDeadlineSeconds, 0)) * time.Second,
		Suspended: ptr.Deref(spec.Suspend, false), Policy: spec.ConcurrencyPolicy,
		Benchmarks: p.facts(), Limits: succeeded + failed,
	}
}

// awaitsMade reports whether the cache has not heard yet of the StorageBenchmark that was made last. It may be active.
func awaitsMade(p *pass) bool {
	made := p.memory.made
	if slices.ContainsFunc(p.benchmarks, func(sb v1alpha1.StorageBenchmark) bool { return sb.Name == made }) {
		p.memory.made = ""
	}
	// Caches are late by the machine's time, whatever the clock says.
	return p.memory.made != "" && time.Since(p.memory.madeAt) < awaitMade
}

// isFresh reports whether this pass has read the newest version of the schedule: it may have been suspended, or
// deleted.
func isFresh(ctx context.Context, p *pass) (bool, error) {
	var current v1alpha1.StorageBenchmarkSchedule
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.schedule), &current); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return current.ResourceVersion == p.before.ResourceVersion, nil
}

// replace deletes a StorageBenchmark in favour of the next one. It does not if that has ended meanwhile: its point is
// to be kept first.
func replace(ctx context.Context, p *pass, b schedule.Benchmark) (bool, error) {
	current := &v1alpha1.StorageBenchmark{}
	err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: b.Name}, current)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("get StorageBenchmark %s: %w", b.Name, err)
	case current.UID != b.UID || stateOf(current) != schedule.Active:
		return false, nil
	}
	sameVersion := client.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion}
	err = p.Client.Delete(ctx, current, sameVersion, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case apierrors.IsConflict(err):
		return false, nil
	case client.IgnoreNotFound(err) != nil:
		return false, fmt.Errorf("delete StorageBenchmark %s: %w", b.Name, err)
	}
	p.Events.Eventf(p.schedule, nil, corev1.EventTypeNormal, "Replaced", "Delete", "%s",
		"deleted StorageBenchmark "+b.Name+", because concurrencyPolicy is Replace")
	return true, nil
}

// makeBenchmark makes the StorageBenchmark of a start. It is made once: who makes it again finds it by its name.
func makeBenchmark(ctx context.Context, p *pass, decision *schedule.Start) (refused bool, err error) {
	sb := schedule.ForStart(p.schedule, decision.Due)
	err = p.Client.Create(ctx, sb)
	switch {
	case apierrors.IsAlreadyExists(err):
		if why, err := whoseIs(ctx, p, sb); err != nil || why != "" {
			refuseStart(p, why)
			return true, err
		}
	case isRefusal(err):
		refuseStart(p, fmt.Sprintf("StorageBenchmark %s cannot be made: %s", sb.Name, err))
		return true, nil
	case err != nil:
		return false, fmt.Errorf("make StorageBenchmark %s: %w", sb.Name, err)
	default:
		p.Events.Eventf(p.schedule, nil, corev1.EventTypeNormal, "Made", "Create", "%s", "made StorageBenchmark "+sb.Name)
		p.benchmarks = append(p.benchmarks, *sb)
		p.memory.made, p.memory.madeAt = sb.Name, time.Now()
	}
	noteMade(p, decision)
	return false, nil
}

// noteMade notes a start that was made, and those that were missed before it.
func noteMade(p *pass, decision *schedule.Start) {
	status := &p.schedule.Status
	status.LastScheduleTime = new(metav1.NewTime(decision.Due))
	if decision.Missed == 0 {
		return
	}
	status.MissedStarts = min(status.MissedStarts+int32(decision.Missed), maxMissed)
	number := humanize.Plural(decision.Missed, "start")
	if decision.Missed > schedule.MostMissed {
		number = fmt.Sprintf("more than %d starts", schedule.MostMissed)
	}
	p.missed = fmt.Sprintf("%s before %s were missed: the operator was away, the schedule was suspended, "+
		"another StorageBenchmark was not over, or too many were there", number, decision.Due.UTC().Format(time.RFC3339))
}

// isRefusal reports whether the API server refuses a StorageBenchmark: a quota, a policy or a webhook may.
func isRefusal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// whoseIs says why a StorageBenchmark that has the name of one of the schedule's is not its, "" if it is.
func whoseIs(ctx context.Context, p *pass, sb *v1alpha1.StorageBenchmark) (string, error) {
	var there metav1.PartialObjectMetadata
	there.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	err := p.Live.Get(ctx, client.ObjectKeyFromObject(sb), &there)
	switch {
	case apierrors.IsNotFound(err):
		return "", errors.New("a StorageBenchmark that was there is gone") // tried again
	case err != nil:
		return "", fmt.Errorf("get StorageBenchmark %s: %w", sb.Name, err)
	case slices.Contains(scheduleOf(&there), string(p.schedule.UID)):
		return "", nil
	}
	return fmt.Sprintf("there is a StorageBenchmark %s already, which is not this schedule's; delete it", sb.Name), nil
}
