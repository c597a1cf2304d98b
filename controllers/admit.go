package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// admit notes that the operator has seen the spec, and adds the finalizer before anything is made.
func admit(ctx context.Context, s *scope) (outcome, error) {
	if controllerutil.AddFinalizer(s.sb, v1alpha1.Finalizer) {
		patch := client.MergeFromWithOptions(s.before, client.MergeFromWithOptimisticLock{})
		if err := s.Client.Patch(ctx, s.sb, patch); err != nil {
			return awaitFor(retrySoon), unlessGone(err, "add finalizer")
		}
		return awaitChange(), nil
	}
	s.sb.Status.ObservedGeneration = s.sb.Generation
	if s.condition(v1alpha1.ConditionSucceeded).Status == "" {
		s.step(v1alpha1.ReasonPending, "")
	}
	return goOn(), nil
}
