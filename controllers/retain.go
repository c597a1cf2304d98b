package controllers

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// cleanupPolicy Retain keeps what there is to look at: volumes, claims, test files, and Jobs and pods that have ended. What still runs is nothing to look
// at. It works on the volumes, holds nodes, and keeps other benchmarks waiting. So it is ended, within the time for clean-up. Nor is a Job kept that may
// yet get a pod: nobody would see to it any more.

// keptUntil is what users are told of cleanupPolicy Retain.
const keptUntil = "spec.cleanupPolicy is Retain: volumes and test files stay until the StorageBenchmark is deleted"

// retain ends what runs, and keeps the rest. What does not end in time is named.
func (p *pass) retain(ctx context.Context) (outcome, error) {
	left, out, err := p.awaitRemoval(p.untilNothingIsLeft(ctx, p.endRunning))
	if err != nil || out.stop {
		return out, err
	}
	p.setRetained(left)
	return goOn(), nil
}

// setRetained says that volumes and test files are kept, and what could not be ended.
func (s *writer) setRetained(left []cleanup.Leftover) {
	reason, words := v1alpha1.ReasonRetained, keptUntil
	if len(left) > 0 {
		reason, words = v1alpha1.ReasonLeftBehind, s.cleaning().DescribeLeft(left)+"; "+keptUntil
	}
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, reason, words)
}

// isRetained says whether it was said that all is kept that has ended, so that nothing of it is removed.
func (s *scope) isRetained() bool {
	if !s.sb.DeletionTimestamp.IsZero() {
		return false
	}
	return s.sb.Status.Condition(v1alpha1.ConditionCleanedUp).Reason == v1alpha1.ReasonRetained || (s.sb.Status.HasLeftovers() && s.sb.Spec.CleanupPolicy == v1alpha1.CleanupRetain)
}

// endRunning goes one step further in ending what runs, and returns what has not ended yet.
func (p *pass) endRunning(ctx context.Context) ([]cleanup.Leftover, error) {
	left, err := p.endRunningJobs(ctx)
	anchors, anchorsErr := p.removeAnchors(ctx)
	return append(left, anchors...), errors.Join(err, anchorsErr)
}

// endRunningJobs deletes the benchmark's Jobs that run, and pods of Jobs that are gone, and returns what of them has not ended. Where others keep a Job after
// its deletion, only its pods count.
func (p *pass) endRunningJobs(ctx context.Context) ([]cleanup.Leftover, error) {
	jobs, pods, err := p.listChildren(ctx, nil)
	if err != nil {
		return nil, err
	}
	running, ending, own := attempt.RunningJobs(p.sb, jobs, pods)
	if spent := p.cleaning(); p.now.Sub(spent.Tried) >= endingPatience || spent.IsHalfOver() {
		running, ending = append(running, ending...), nil
	}
	var left []cleanup.Leftover
	for _, j := range running {
		left = append(left, cleanup.LeftJob(j, p.now.Time))
	}
	for _, j := range ending {
		one := cleanup.LeftJob(j, p.now.Time)
		one.What += ", whose pods have ended; Kubernetes has not marked it as ended yet"
		left = append(left, one)
	}
	leftPods, err := p.endJobs(ctx, running, attempt.WithoutEndedPods(pods), own)
	return append(left, leftPods...), err
}

// endingPatience is how long it is waited for Kubernetes to say that a Job has ended all of whose pods have: it takes a second or two. A Job of which it does
// not say so can get another pod at any time, and is deleted.
const endingPatience = 30 * time.Second
