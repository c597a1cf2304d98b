package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// save writes what a pass has found out, and tells users of errors that go on: that of the pass, or that the write itself is refused.
func (s *scope) save(ctx context.Context, passErr error) (err error) {
	defer catch(ctx, &err)
	if passErr == nil {
		s.retractError()
	} else {
		s.noteError(passErr)
	}
	if err = s.saveStatus(ctx); err == nil || isOutdated(err) {
		return err
	}
	err = fmt.Errorf("save status: %w", err)
	return errors.Join(err, s.saveConditions(ctx, err))
}

// isOutdated says whether a write was onto an old version of the benchmark, or one that is gone.
func isOutdated(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }

// saveStatus writes the status if the pass changed it.
func (s *scope) saveStatus(ctx context.Context) (err error) {
	if !s.changed() {
		return nil
	}
	defer catch(ctx, &err)
	s.summarize()
	return s.writeStatus(ctx)
}

// writeStatus writes the status only onto the version that the pass has read: a pass over an old version must not undo what a later one
// found. Events follow the write.
func (s *scope) writeStatus(ctx context.Context) error {
	patch := client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})
	if err := s.Client.Status().Patch(ctx, s.sb, patch); err != nil {
		return err
	}
	if s.sb.ResourceVersion != s.before.ResourceVersion { // a patch that changes nothing makes no version
		s.memory.replaced = s.before.ResourceVersion
	}
	notify(s.Events, s.before, s.sb)
	s.Metrics.changed(s.before, s.sb)
	return nil
}

// saveConditions writes conditions alone when the status could not be saved, so that users learn of it and it has a deadline. All else that
// the pass has found out is dropped, and found out again by the next one.
func (s *scope) saveConditions(ctx context.Context, cause error) error {
	found := s.sb.Status
	s.sb.Status = *s.before.Status.DeepCopy()
	if kept := s.newLogs(&found); len(kept) > 0 {
		cause = fmt.Errorf("%w; what was measured is in ConfigMap %s", shortened(cause), strings.Join(kept, ", "))
	} else {
		cause = shortened(cause)
	}
	if s.concluded() && isRefusedForGood(cause) && s.Clock.Since(s.firstError()) >= quietErrors { // who refuses may change their mind
		s.adoptConclusion(&found)
	}
	s.noteError(cause)
	if s.finished() {
		s.endUnsaved(cause)
	}
	if !s.changed() {
		return nil
	}
	return s.writeStatus(ctx)
}

// newLogs returns the ConfigMaps with the logs of runs that a status names, and that is not saved.
func (s *scope) newLogs(found *v1alpha1.StorageBenchmarkStatus) []string {
	var names []string
	for i := range found.Runs {
		name := found.Runs[i].LogConfigMap
		saved := slices.ContainsFunc(s.before.Status.Runs, func(run v1alpha1.Run) bool { return run.LogConfigMap == name })
		if name != "" && !saved {
			names = append(names, name)
		}
	}
	return names
}

// adoptConclusion takes over how a benchmark was cleaned up and has ended. How it was measured is saved, so that this is true whatever
// becomes of the rest: nobody waits for ever for a benchmark of which nothing is left but a status that is refused.
func (s *scope) adoptConclusion(found *v1alpha1.StorageBenchmarkStatus) {
	for _, c := range found.Conditions {
		if c.Type != v1alpha1.ConditionRetrying {
			meta.SetStatusCondition(&s.sb.Status.Conditions, c)
		}
	}
	s.sb.Status.ObservedGeneration, s.sb.Status.CompletionTime = found.ObservedGeneration, found.CompletionTime
}

// endUnsaved says of a benchmark that has ended what of it is not saved. It is not retried.
func (s *scope) endUnsaved(cause error) {
	s.retractError()
	end := s.condition(v1alpha1.ConditionSucceeded)
	s.setCondition(end.Type, end.Status, end.Reason, fmt.Sprintf("%s; not all of the status could be saved: %v", end.Message, cause))
}

// shortenedError is an error of which users are told the beginning.
type shortenedError struct{ error }

// shortened has an error say no more than a condition needs: one about a status may repeat all of it.
func shortened(err error) error { return shortenedError{err} }

// Error implements error.
func (e shortenedError) Error() string { return truncate(e.error.Error(), maxRunMessage) }

// Unwrap has errors.As find what was shortened.
func (e shortenedError) Unwrap() error { return e.error }

// tooLarge is what etcd says of an object that is larger than it takes. The API server gives it no reason of its own.
const tooLarge = "request is too large"

// isRefusedForGood says whether a status is refused, or cannot be made, for what it is: the same one would be again.
func isRefusedForGood(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) || isRefused(err) || errors.Is(err, errFault) ||
		strings.Contains(err.Error(), tooLarge)
}
