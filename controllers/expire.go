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
func expire(ctx context.Context, p *pass) (outcome, error) {
	if !p.finished() {
		return goOn(), nil
	}
	if p.sb.Status.StartTime == nil && p.sb.Generation != p.sb.Status.ObservedGeneration {
		p.sb.Status = v1alpha1.StorageBenchmarkStatus{}
		return goOn(), nil
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

// restOf says whether there is nothing to be done about a benchmark as the cache has it, and for how long, 0: until it changes. What has ended may be
// 1 MiB with its results, so it is not read for that.
func restOf(sb *v1alpha1.StorageBenchmark, now time.Time) (after time.Duration, rests bool) {
	isSeen := sb.Status.ObservedGeneration == sb.Generation && conditionOf(sb, v1alpha1.ConditionRetrying).Status == ""
	if !hasEnded(sb) || !sb.DeletionTimestamp.IsZero() || !isSeen {
		return 0, false
	}
	remaining, expires := timeToLive(sb, now)
	if !expires {
		return 0, true
	}
	return max(0, remaining), remaining > 0
}

// timeToLive returns how long a finished benchmark has left, if it expires at all.
func timeToLive(sb *v1alpha1.StorageBenchmark, now time.Time) (remaining time.Duration, expires bool) {
	if sb.Spec.TTLSecondsAfterFinished == nil || sb.Status.CompletionTime == nil {
		return 0, false
	}
	end := sb.Status.CompletionTime.Add(time.Duration(*sb.Spec.TTLSecondsAfterFinished) * time.Second)
	return end.Sub(now), true
}
