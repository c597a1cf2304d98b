package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
)

// pass is one pass over a schedule: what was read, the status as it becomes, and the API to act with.
type pass struct {
	*Reconciler

	schedule *v1alpha1.StorageBenchmarkSchedule
	before   *v1alpha1.StorageBenchmarkSchedule
	now      time.Time
	memory   *memory
	// benchmarks are the schedule's, the oldest first.
	benchmarks []v1alpha1.StorageBenchmark
	// missed is what users are told of starts that were missed, as soon as the status counts them.
	missed string
	// due is when the start was due that this pass was to make, and decided says that it is known what became of it.
	due     time.Time
	decided bool
	// startTook is how long the start took.
	startTook time.Duration
}

// run makes the pass, and returns when to make another one if nothing changes before; 0: not at all.
func (p *pass) run(ctx context.Context) (time.Duration, error) {
	if p.schedule.ResourceVersion == p.memory.staleVersion {
		return 0, errOutdated
	}
	if err := p.list(ctx); err != nil {
		return 0, err
	}
	p.forgetPredecessor()
	defer p.serveState()
	p.schedule.Status.ObservedGeneration = p.schedule.Generation
	whole := ctx // the status is written also when the time of the pass is over
	ctx, cancel := within(whole, passPatience, "the pass")
	defer cancel()
	after, failed := p.startInTime(ctx) // first: a large history must not keep other schedules' starts waiting
	p.noteFailure(failed)
	kept := p.keepHistory(ctx)
	p.noteWaiting()
	p.summarize()
	if err := p.saveInTime(whole); err != nil {
		return 0, errors.Join(failed, err)
	}
	if p.decided && failed == nil {
		p.forgetFailure()
	}
	if kept > 0 {
		return sooner(after, kept), failed // as long as the status does not tell of the history, the StorageBenchmark is what has it looked at
	}
	// Last: a StorageBenchmark is what tells of its start, and of its success, until the status does.
	return after, errors.Join(failed, explained(ctx, p.deleteSurplus(ctx)))
}

// sooner returns the shorter of two times, of which 0 is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// list reads the StorageBenchmarks of the schedule: those that it controls.
func (p *pass) list(ctx context.Context) error {
	var list v1alpha1.StorageBenchmarkList
	if err := p.Client.List(ctx, &list, client.InNamespace(p.schedule.Namespace), client.MatchingFields{bySchedule: string(p.schedule.UID)}); err != nil {
		return fmt.Errorf("list StorageBenchmarks: %w", err)
	}
	p.benchmarks = list.Items
	slices.SortFunc(p.benchmarks, func(a, b v1alpha1.StorageBenchmark) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	there := map[types.UID]bool{}
	for i := range p.benchmarks {
		there[p.benchmarks[i].UID] = true
	}
	for uid := range p.memory.kept {
		if !there[uid] {
			p.memory.kept.Delete(uid)
		}
	}
	return nil
}

// scheduleOf returns the UID of the schedule that controls a StorageBenchmark.
func scheduleOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != schedule.Kind || owner.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	return []string{string(owner.UID)}
}

// stateOf says how far a StorageBenchmark is.
func stateOf(sb *v1alpha1.StorageBenchmark) schedule.State {
	switch {
	case !sb.Status.HasEnded():
		return schedule.Active
	case sb.Status.Condition(v1alpha1.ConditionSucceeded).Status == metav1.ConditionTrue:
		return schedule.Succeeded
	}
	return schedule.Failed
}

// facts returns what is known of the StorageBenchmarks.
func (p *pass) facts() []schedule.Benchmark {
	var facts []schedule.Benchmark
	for i := range p.benchmarks {
		sb := &p.benchmarks[i]
		fact := schedule.Benchmark{
			Name: sb.Name, UID: sb.UID, State: stateOf(sb), Created: sb.CreationTimestamp.Time,
			Kept: p.memory.kept.Has(sb.UID), Marked: sb.Annotations[v1alpha1.AnnotationHistoryKept] == string(sb.UID), Deleting: !sb.DeletionTimestamp.IsZero(),
		}
		if fact.State != schedule.Active {
			fact.Ended = p.endOf(sb)
		}
		facts = append(facts, fact)
	}
	return facts
}

// endOf returns when a StorageBenchmark ended. Of one that did so while the clock was ahead that is not known: it counts as one of the oldest, so that it does not stay the newest
// until that time comes.
func (p *pass) endOf(sb *v1alpha1.StorageBenchmark) time.Time {
	ended := ptr.Deref(sb.Status.CompletionTime, sb.CreationTimestamp).Time
	if schedule.IsAhead(ended, p.now) {
		ended = sb.CreationTimestamp.Time
	}
	if schedule.IsAhead(ended, p.now) {
		ended = time.Unix(0, 0)
	}
	return ended
}

// historyLimits returns how many StorageBenchmarks are kept that have succeeded, and that have failed.
func (p *pass) historyLimits() (succeeded, failed int) {
	const manySucceeded, manyFailed = 3, 1 // the CRD's defaults, where a CRD is older
	spec := &p.schedule.Spec
	return int(ptr.Deref(spec.SuccessfulBenchmarksHistoryLimit, manySucceeded)),
		int(ptr.Deref(spec.FailedBenchmarksHistoryLimit, manyFailed))
}

// deleteSurplus deletes the StorageBenchmarks that have ended and are more than the limits let be.
func (p *pass) deleteSurplus(ctx context.Context) error {
	p.memory.undeleted = nil
	succeeded, failed := p.historyLimits()
	for _, surplus := range schedule.Surplus(p.facts(), succeeded, failed) {
		if err := p.delete(ctx, surplus); err != nil {
			p.memory.undeleted = err
			return err
		}
	}
	return nil
}

// delete deletes a StorageBenchmark, and none that has come in its place. Its finalizer keeps it until all is gone that was made for it.
func (p *pass) delete(ctx context.Context, b schedule.Benchmark) error {
	object := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: p.schedule.Namespace, Name: b.Name}}
	err := p.Client.Delete(ctx, object, client.Preconditions{UID: &b.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete StorageBenchmark %s: %w", b.Name, err)
	}
	return nil
}
