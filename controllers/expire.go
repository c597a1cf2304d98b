package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// expire ends the pass over a finished benchmark, and deletes it when its time to live is over. It restores a finalizer
// that is still needed. An invalid spec that was edited before anything was provisioned gets another chance.
func expire(ctx context.Context, p *pass) (outcome, error) {
	if !p.sb.Status.HasEnded() {
		return goOn(), nil
	}
	if p.sb.IsCorrected() {
		p.sb.Status = v1alpha1.StorageBenchmarkStatus{}
		return goOn(), nil
	}
	if lacksFinalizer(p.sb) {
		return p.addFinalizer(ctx)
	}
	p.sb.Status.ObservedGeneration = p.sb.Generation
	remaining, expires := timeToLive(p.sb, p.now.Time)
	switch {
	case !expires:
		return awaitChange(), nil
	case remaining > 0:
		return awaitFor(remaining), nil
	}
	preconditions := client.Preconditions{UID: &p.sb.UID, ResourceVersion: &p.sb.ResourceVersion}
	if err := p.Client.Delete(ctx, p.sb, preconditions, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return awaitFor(retrySoon), unlessGone(err, "delete after ttlSecondsAfterFinished")
	}
	return awaitChange(), nil
}

// isSettled reports whether a finished benchmark needs no pass, and for how long (0: forever). The part of it in the
// cache is enough to tell. An operator that starts finds thousands of finished benchmarks of up to 1 MiB, and need not
// read each from the API server.
func isSettled(sb *v1alpha1.StorageBenchmark, now time.Time) (remaining time.Duration, settled bool) {
	isSeen := sb.Status.ObservedGeneration == sb.Generation && sb.Status.Condition(v1alpha1.ConditionRetrying).Status == ""
	if !sb.Status.HasEnded() || !sb.DeletionTimestamp.IsZero() || !isSeen || lacksFinalizer(sb) {
		return 0, false
	}
	remaining, expires := timeToLive(sb, now)
	return max(remaining, 0), !expires || remaining > 0
}

// timeToLive returns how long a finished benchmark has left, if it expires at all.
func timeToLive(sb *v1alpha1.StorageBenchmark, now time.Time) (remaining time.Duration, expires bool) {
	if sb.Spec.TTLSecondsAfterFinished == nil || sb.Status.CompletionTime == nil {
		return 0, false
	}
	end := sb.Status.CompletionTime.Add(time.Duration(*sb.Spec.TTLSecondsAfterFinished) * time.Second)
	return end.Sub(now), true
}
