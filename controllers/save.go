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
	"github.com/storagebench/storagebench/internal/legible"
)

// save writes what a pass has found out. It tells users of errors that go on: those of passes, and those of the write itself.
func (p *pass) save(ctx context.Context, passErr error) (err error) {
	defer catch(ctx, &err)
	if passErr != nil {
		p.noteError(passErr)
	} else {
		p.retractError()
	}
	if err = p.saveStatus(ctx); err == nil || isOutdated(err) {
		return err
	}
	err = fmt.Errorf("save status: %w", err)
	return errors.Join(err, p.saveConditions(ctx, err))
}

// saveUnread tells users that their benchmark cannot be read from the API server, and returns the error. The cache has little
// more of it than its conditions. Of a finished one it lacks their messages, which a write of the conditions would remove.
func (p *pass) saveUnread(ctx context.Context, cause error) error {
	if p.sb.Status.HasEnded() {
		return cause
	}
	p.tellError(cause)
	if !p.changed() {
		return cause
	}
	return errors.Join(cause, p.writeStatus(ctx))
}

// isOutdated says whether a write was onto an old version of the benchmark, or one that is gone.
func isOutdated(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }

// saveStatus writes the status if the pass changed it.
func (p *pass) saveStatus(ctx context.Context) (err error) {
	if !p.changed() {
		return nil
	}
	defer catch(ctx, &err)
	p.summarize()
	return p.writeStatus(ctx)
}

// writeStatus writes the status only onto the version that the pass has read: a pass over an old version must not undo what a later one
// found. Events follow the write.
func (p *pass) writeStatus(ctx context.Context) error {
	p.beginCleanUp(p.Clock.Now())
	p.signal()
	err := p.Client.Status().Patch(ctx, p.sb, statusPatch{p.before})
	p.memory.writes.noteWrite(p.before, !p.skipsCache && !isTrimmed(p.before), err)
	if err != nil {
		return crd.Explain(err)
	}
	if p.sb.ResourceVersion != p.before.ResourceVersion { // a patch that changes nothing makes no version
		p.noteReplaced()
	}
	notify(p.Events, p.before, p.sb)
	p.Metrics.changed(p.before, p.sb)
	return nil
}

// noteReplaced notes that the version that this pass has read is replaced. A pass that has read it from the API server leaves
// the note as it is: the cache still has the version before.
func (p *pass) noteReplaced() {
	if !p.skipsCache {
		p.memory.staleVersion, p.memory.staleSince = p.before.ResourceVersion, p.Clock.Now()
	}
}

// beginCleanUp has the time for clean-up begin with the write that says that measuring has ended. The pass may have begun long before.
func (s *writer) beginCleanUp(now time.Time) {
	measured := meta.FindStatusCondition(s.sb.Status.Conditions, v1alpha1.ConditionMeasured)
	if measured != nil && s.before.Status.Condition(v1alpha1.ConditionMeasured).Status == "" {
		measured.LastTransitionTime = metav1.NewTime(now)
	}
}

// maxRefusal is the most bytes that users are told of why a status was refused: that may repeat all of the status. It leaves room for the name of what was kept.
const maxRefusal = maxErrorMessage - 256

// saveConditions writes conditions alone when the status could not be saved, so that users learn of it and it has a deadline. All else that
// the pass has found out is dropped, and found out again by the next one.
func (p *pass) saveConditions(ctx context.Context, cause error) error {
	found := p.sb.Status
	p.sb.Status = *p.before.Status.DeepCopy()
	adopted := false
	if p.sb.Status.HasMeasured() && isRefusedForGood(cause) && p.now.Sub(p.firstError()) >= quietErrors { // who refuses may change their mind
		adoptConclusion(&p.sb.Status, &found)
		adopted = true
	}
	why := legible.Fit(cause.Error(), maxRefusal)
	if kept := newLogs(&p.before.Status, &found); len(kept) > 0 {
		why += "; what was measured is in ConfigMap " + strings.Join(kept, ", ")
	}
	p.noteError(errors.New(why))
	if p.sb.Status.HasEnded() {
		p.endUnsaved(why)
	}
	if !p.changed() {
		return nil
	}
	err := p.writeStatus(ctx)
	if adopted && err != nil && isRefusedForGood(err) {
		p.sb.Status.ObservedGeneration, p.sb.Status.CompletionTime = p.before.Status.ObservedGeneration, p.before.Status.CompletionTime
		return p.writeStatus(ctx)
	}
	return err
}

// newLogs returns the ConfigMaps with logs of runs that the status names which a pass has found, and the one before does not.
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

// adoptConclusion takes over how a benchmark was cleaned up and has ended. That is true whatever becomes of the rest, because it is saved how the benchmark was
// measured. So it ends, even if the rest of its status is refused to the end.
func adoptConclusion(status, found *v1alpha1.StorageBenchmarkStatus) {
	for _, c := range found.Conditions {
		if c.Type != v1alpha1.ConditionRetrying {
			meta.SetStatusCondition(&status.Conditions, c)
		}
	}
	status.ObservedGeneration, status.CompletionTime = found.ObservedGeneration, found.CompletionTime
}

// endUnsaved says of a benchmark that has ended that not all of its status is saved, and why. Nothing is tried again.
func (s *writer) endUnsaved(why string) {
	s.retractError()
	end := s.sb.Status.Condition(v1alpha1.ConditionSucceeded)
	s.setCondition(end.Type, end.Status, end.Reason, fmt.Sprintf("%s; not all of the status could be saved: %s", end.Message, why))
}

// tooLarge is what etcd says of an object that is larger than it takes. The API server gives it no reason of its own.
const tooLarge = "request is too large"

// isRefusedForGood says whether a status is refused, or cannot be made, for what it is: the same one would be again.
func isRefusedForGood(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) || isRefused(err) || errors.Is(err, errFault) ||
		strings.Contains(err.Error(), tooLarge)
}
