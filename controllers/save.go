package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/humanize"
)

// save writes what a pass has found out. It tells users of errors that go on: those of passes, and those of the write
// itself.
func (r *Reconciler) save(ctx context.Context, p *pass.Pass, passErr error) (err error) {
	defer world.Catch(ctx, &err)
	if passErr != nil {
		p.NoteError(passErr)
	} else {
		p.RetractError()
	}
	if err = r.saveStatus(ctx, p); err == nil || isOutdated(err) {
		return err
	}
	err = fmt.Errorf("save status: %w", err)
	return errors.Join(err, r.saveConditions(ctx, p, err))
}

// saveUnread tells users that their benchmark cannot be read from the API server, and returns the error. The cache has
// little more of it than its conditions. The cache lacks the messages of a finished benchmark's conditions, so that a
// write of the conditions would remove them.
func (r *Reconciler) saveUnread(ctx context.Context, p *pass.Pass, cause error) error {
	if p.SB.Status.HasEnded() {
		return cause
	}
	p.TellError(cause)
	if !p.Changed() {
		return cause
	}
	return errors.Join(cause, r.writeStatus(ctx, p))
}

// isOutdated reports whether a write was based on an old version of the benchmark, or on one that is gone.
func isOutdated(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }

// saveStatus writes the status if the pass changed it.
func (r *Reconciler) saveStatus(ctx context.Context, p *pass.Pass) (err error) {
	if !p.Changed() {
		return nil
	}
	defer world.Catch(ctx, &err)
	summarize(p)
	return r.writeStatus(ctx, p)
}

// writeStatus writes the status only onto the version that the pass has read: a pass over an old version must not undo
// what a later one found. Events follow the write.
func (r *Reconciler) writeStatus(ctx context.Context, p *pass.Pass) error {
	beginCleanUp(p, p.World.Clock.Now())
	signal(p)
	err := p.World.Client.Status().Patch(ctx, p.SB, world.StatusPatch{Before: p.Before})
	p.Memory.Writes.NoteWrite(p.Before, !p.SkipsCache && !world.IsTrimmed(p.Before), err)
	if err != nil {
		return crd.Explain(err)
	}
	if p.SB.ResourceVersion != p.Before.ResourceVersion { // a patch that changes nothing makes no version
		noteReplaced(p)
	}
	notify(p.World.Events, p.Before, p.SB)
	r.Metrics.changed(p.Before, p.SB)
	return nil
}

// noteReplaced notes that the version that this pass has read is replaced. A pass that has read it from the API server
// leaves the note as it is: the cache still has the version before.
func noteReplaced(p *pass.Pass) {
	if !p.SkipsCache {
		p.Memory.StaleVersion, p.Memory.StaleSince = p.Before.ResourceVersion, p.World.Clock.Now()
	}
}

// beginCleanUp has the time for clean-up begin with the write that says that measuring has ended. The pass may have
// begun long before.
func beginCleanUp(s *pass.Pass, now time.Time) {
	measured := meta.FindStatusCondition(s.SB.Status.Conditions, v1alpha1.ConditionMeasured)
	if measured != nil && s.Before.Status.Condition(v1alpha1.ConditionMeasured).Status == "" {
		measured.LastTransitionTime = metav1.NewTime(now)
	}
}

// maxRefusal is the most bytes that users are told of why a status was refused: that may repeat all of the status. It
// leaves room for the name of what was kept.
const maxRefusal = world.MaxErrorMessage - 256

// saveConditions writes conditions alone when the status could not be saved, so that users learn of it and it has a
// deadline. All else that the pass has found out is dropped, and found out again by the next one.
func (r *Reconciler) saveConditions(ctx context.Context, p *pass.Pass, cause error) error {
	found := p.SB.Status
	p.SB.Status = *p.Before.Status.DeepCopy()
	adopted := false
	// A policy or a webhook that refuses the status may be changed: it gets QuietErrors to take it.
	isRefused := p.SB.Status.HasMeasured() && isRefusedForGood(cause)
	if isRefused && p.Now.Sub(p.FirstError()) >= pass.QuietErrors {
		adoptConclusion(&p.SB.Status, &found)
		adopted = true
	}
	why := humanize.Fit(cause.Error(), maxRefusal)
	if kept := newLogs(&p.Before.Status, &found); len(kept) > 0 {
		why += "; what was measured is in ConfigMap " + strings.Join(kept, ", ")
	}
	p.NoteError(errors.New(why))
	if p.SB.Status.HasEnded() {
		endUnsaved(p, why)
	}
	if !p.Changed() {
		return nil
	}
	err := r.writeStatus(ctx, p)
	if adopted && err != nil && isRefusedForGood(err) {
		p.SB.Status.ObservedGeneration = p.Before.Status.ObservedGeneration
		p.SB.Status.CompletionTime = p.Before.Status.CompletionTime
		p.SB.Status.StepStartTime = p.Before.Status.StepStartTime
		return r.writeStatus(ctx, p)
	}
	return err
}

// newLogs returns the ConfigMaps with logs of runs that the status names which a pass has found, and the one before
// does not.
func newLogs(before, found *v1alpha1.StorageBenchmarkStatus) []string {
	var names []string
	for i := range found.Runs {
		name := found.Runs[i].LogConfigMap
		saved := slices.ContainsFunc(before.Runs, func(run v1alpha1.Run) bool { return run.LogConfigMap == name })
		if name != "" && !saved {
			names = append(names, name)
		}
	}
	return names
}

// adoptConclusion takes over how a benchmark was cleaned up and has ended. That is true whatever becomes of the rest,
// because it is saved how the benchmark was measured. So it ends, even if the rest of its status is refused to the end.
func adoptConclusion(status, found *v1alpha1.StorageBenchmarkStatus) {
	for _, c := range found.Conditions {
		if c.Type != v1alpha1.ConditionRetrying {
			meta.SetStatusCondition(&status.Conditions, c)
		}
	}
	status.ObservedGeneration, status.CompletionTime = found.ObservedGeneration, found.CompletionTime
	status.StepStartTime = found.StepStartTime
}

// endUnsaved says of a benchmark that has ended that not all of its status is saved, and why. Nothing is tried again.
func endUnsaved(s *pass.Pass, why string) {
	s.RetractError()
	end := s.SB.Status.Condition(v1alpha1.ConditionSucceeded)
	message := fmt.Sprintf("%s; not all of the status could be saved: %s", end.Message, why)
	s.SetCondition(end.Type, end.Status, end.Reason, message)
}

// tooLarge is what etcd says of an object that is larger than it takes. The API server gives it no reason of its own.
const tooLarge = "request is too large"

// isRefusedForGood reports whether a status is refused, or cannot be made, because of its content. The same status
// would be refused again.
func isRefusedForGood(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		world.IsRefused(err) || errors.Is(err, world.ErrFault) ||
		strings.Contains(err.Error(), tooLarge)
}
