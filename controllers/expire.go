package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// expire ends the pass over a finished benchmark, and deletes it when its time to live is over. An invalid
// spec that was edited before anything was provisioned gets another chance.
func expire(ctx context.Context, s *scope) (outcome, error) {
	if !s.finished() {
		return goOn(), nil
	}
	if s.sb.Status.StartTime == nil && s.sb.Generation != s.sb.Status.ObservedGeneration {
		s.sb.Status = v1alpha1.StorageBenchmarkStatus{}
		return goOn(), nil
	}
	s.sb.Status.ObservedGeneration = s.sb.Generation
	remaining, expires := timeToLive(s.sb, s.Clock.Now())
	switch {
	case !expires:
		return awaitChange(), nil
	case remaining > 0:
		return awaitFor(remaining), nil
	}
	preconditions := client.Preconditions{UID: &s.sb.UID, ResourceVersion: &s.sb.ResourceVersion}
	if err := s.Client.Delete(ctx, s.sb, preconditions, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return awaitFor(retrySoon), unlessGone(err, "delete after ttlSecondsAfterFinished")
	}
	return awaitChange(), nil
}

// timeToLive returns how long a finished benchmark has left, if it expires at all.
func timeToLive(sb *v1alpha1.StorageBenchmark, now time.Time) (remaining time.Duration, expires bool) {
	if sb.Spec.TTLSecondsAfterFinished == nil || sb.Status.CompletionTime == nil {
		return 0, false
	}
	end := sb.Status.CompletionTime.Add(time.Duration(*sb.Spec.TTLSecondsAfterFinished) * time.Second)
	return end.Sub(now), true
}
