package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/controllers/world"
)

// expire ends the pass over a finished benchmark, and deletes it when its time to live is over. It restores a finalizer
// that is still needed. An invalid spec that was edited before anything was provisioned gets another chance.
func expire(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if !p.SB.Status.HasEnded() {
		return pass.GoOn(), nil
	}
	if p.SB.IsCorrected() {
		p.SB.Status = v1alpha1.StorageBenchmarkStatus{}
		return pass.GoOn(), nil
	}
	if prepare.LacksFinalizer(p.SB) {
		return prepare.AddFinalizer(ctx, p)
	}
	p.SB.Status.ObservedGeneration = p.SB.Generation
	remaining, expires := timeToLive(p.SB, p.Now.Time)
	switch {
	case !expires:
		return pass.AwaitChange(), nil
	case remaining > 0:
		return pass.AwaitFor(remaining), nil
	}
	preconditions := client.Preconditions{UID: &p.SB.UID, ResourceVersion: &p.SB.ResourceVersion}
	background := client.PropagationPolicy(metav1.DeletePropagationBackground)
	if err := p.World.Client.Delete(ctx, p.SB, preconditions, background); err != nil {
		return pass.AwaitFor(pass.RetrySoon), world.UnlessGone(err, "delete after ttlSecondsAfterFinished")
	}
	return pass.AwaitChange(), nil
}

// isSettled reports whether a finished benchmark needs no pass, and for how long (0: forever). The part of it in the
// cache is enough to tell. An operator that starts finds thousands of finished benchmarks of up to 1 MiB, and need not
// read each from the API server.
func isSettled(sb *v1alpha1.StorageBenchmark, now time.Time) (remaining time.Duration, settled bool) {
	isSeen := sb.Status.ObservedGeneration == sb.Generation && sb.Status.Condition(v1alpha1.ConditionRetrying).Status == ""
	if !sb.Status.HasEnded() || !sb.DeletionTimestamp.IsZero() || !isSeen || prepare.LacksFinalizer(sb) {
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
