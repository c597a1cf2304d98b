package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// abandon ends measuring when the benchmark is deleted. One that has not begun has nothing to remove.
func abandon(ctx context.Context, s *scope) (outcome, error) {
	if !controllerutil.ContainsFinalizer(s.sb, v1alpha1.Finalizer) {
		return awaitChange(), nil
	}
	if had, err := s.keepClaims(ctx); err != nil || had {
		return awaitFor(retrySoon), err
	}
	if !s.concluded() {
		s.fail(v1alpha1.ReasonDeleted, "the StorageBenchmark was deleted before its end")
	}
	return goOn(), nil
}

// sweep removes the Jobs and pods that are still there when all else is gone, such as those that removed test files:
// their pods would hold back the deletion of somebody's claim.
func sweep(ctx context.Context, s *scope) (outcome, error) {
	cleaned := s.condition(v1alpha1.ConditionCleanedUp)
	deleting := !s.sb.DeletionTimestamp.IsZero()
	if cleaned.Reason == v1alpha1.ReasonRetained && !deleting {
		return goOn(), nil
	}
	left, out, err := s.awaitRemoval(s.removePods(ctx))
	if err != nil || out.stop {
		return out, err
	}
	if len(left) > 0 && cleaned.Status != metav1.ConditionFalse {
		s.setLeftBehind(left)
	}
	return goOn(), nil
}

// removePods deletes all Jobs, and all pods, and returns what is left of them.
func (s *scope) removePods(ctx context.Context) ([]leftover, error) {
	if _, err := s.removeAnchors(ctx); err != nil {
		return nil, err
	}
	return s.removeJobs(ctx, nil)
}

// release lets the benchmark go. Kept logs are owned by it, and go with it: Kubernetes sees to that.
func release(ctx context.Context, s *scope) (outcome, error) {
	if left := s.condition(v1alpha1.ConditionCleanedUp); left.Reason == v1alpha1.ReasonLeftBehind {
		s.Events.Eventf(s.sb, nil, corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "CleanUp", "%s", limitNote(left.Message))
	}
	released := s.before.DeepCopy()
	controllerutil.RemoveFinalizer(released, v1alpha1.Finalizer)
	if err := s.Client.Patch(ctx, released, client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})); err != nil {
		return awaitFor(retrySoon), unlessGone(err, "remove finalizer")
	}
	s.sb.Status = s.before.Status // the benchmark is gone, and its status with it
	return awaitChange(), nil
}
