package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
)

// abandon ends measuring when the benchmark is deleted. One that has not begun has nothing to remove.
func abandon(_ context.Context, s *scope) (outcome, error) {
	if !controllerutil.ContainsFinalizer(s.sb, v1alpha1.Finalizer) {
		return halt(), nil
	}
	if !s.concluded() {
		s.fail(v1alpha1.ReasonDeleted, "the StorageBenchmark was deleted before its end")
	}
	return goOn(), nil
}

// release removes what is left of Jobs and pods, and then lets the benchmark go.
func release(ctx context.Context, s *scope) (outcome, error) {
	lingering, err := s.deleteJobs(ctx)
	if err != nil {
		return outcome{}, err
	}
	if remaining := s.deadline(s.cleanUpBegan(), s.sb.Spec.Deadlines.CleanUpSeconds); lingering && remaining > 0 {
		s.step(v1alpha1.ReasonCleaningUp, "waiting for the removal of Jobs and their pods")
		return haltFor(min(remaining, pollChildren)), nil
	}
	if left := s.condition(v1alpha1.ConditionCleanedUp); left.Reason == v1alpha1.ReasonLeftBehind {
		s.Events.Eventf(s.sb, nil, corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "CleanUp", "%s", left.Message)
	}
	released := s.before.DeepCopy()
	controllerutil.RemoveFinalizer(released, v1alpha1.Finalizer)
	if err := s.Client.Patch(ctx, released, client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})); err != nil {
		return outcome{}, fmt.Errorf("remove finalizer: %w", client.IgnoreNotFound(err))
	}
	s.sb.Status = s.before.Status // the benchmark is gone, and its status with it
	return halt(), nil
}

// deleteJobs deletes all Jobs of the benchmark and says whether any of them, or of their pods, is left.
func (s *scope) deleteJobs(ctx context.Context) (bool, error) {
	var jobs batchv1.JobList
	// Not from the cache, which may not have heard yet of a Job that the last pass has made.
	if err := s.Live.List(ctx, &jobs, client.InNamespace(s.sb.Namespace), client.MatchingLabels(child.Labels(s.sb))); err != nil {
		return false, fmt.Errorf("list Jobs: %w", err)
	}
	lingering := false
	for i := range jobs.Items {
		if !metav1.IsControlledBy(&jobs.Items[i], s.sb) {
			continue
		}
		lingering = true
		if err := s.deleteJob(ctx, &jobs.Items[i]); err != nil {
			return false, err
		}
	}
	return lingering, nil
}
