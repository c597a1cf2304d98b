package clean

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// cleanupPolicy Retain keeps what there is to look at: volumes, claims, test files, and Jobs and pods that have ended.
// Pods that still run are ended within the time for clean-up: they work on the volumes, hold nodes, and keep other
// benchmarks waiting. A Job that may yet get a pod is deleted too, because nobody would watch it any more.

// KeptUntil is what users are told of cleanupPolicy Retain.
const KeptUntil = "spec.cleanupPolicy is Retain: volumes and test files stay until the StorageBenchmark is deleted"

// Retain ends what runs, and keeps the rest. It names the objects that do not end in time.
func Retain(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	left, err := workers.UntilNothingIsLeft(ctx, p, endRunning)
	left, out, err := AwaitRemoval(p, left, err)
	if err != nil || out.Stop {
		return out, err
	}
	setRetained(p, left)
	return pass.GoOn(), nil
}

// setRetained says that volumes and test files are kept, and what could not be ended.
func setRetained(s *pass.Pass, left []cleanup.Leftover) {
	reason, words := v1alpha1.ReasonRetained, KeptUntil
	if len(left) > 0 {
		reason, words = v1alpha1.ReasonLeftBehind, s.Cleaning().DescribeLeft(left)+"; "+KeptUntil
	}
	s.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, reason, words)
}

// IsRetained reports whether users were told that everything that has ended is kept, so that none of it is removed.
func IsRetained(s *pass.Pass) bool {
	if !s.SB.DeletionTimestamp.IsZero() {
		return false
	}
	return s.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Reason == v1alpha1.ReasonRetained ||
		(s.SB.Status.HasLeftovers() && s.SB.Spec.CleanupPolicy == v1alpha1.CleanupRetain)
}

// endRunning goes one step further in ending what runs, and returns what has not ended yet.
func endRunning(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	left, err := endRunningJobs(ctx, p)
	anchors, anchorsErr := workers.RemoveAnchors(ctx, p)
	return append(left, anchors...), errors.Join(err, anchorsErr)
}

// endRunningJobs deletes the benchmark's Jobs that run, and pods of Jobs that are gone, and returns what of them has
// not ended. Where others keep a Job after its deletion, only its pods count.
func endRunningJobs(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	jobs, pods, err := workers.ListChildren(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	running, ending, own := attempt.RunningJobs(p.SB, jobs, pods)
	if spent := p.Cleaning(); p.Now.Sub(spent.Tried) >= EndingPatience || spent.IsHalfOver() {
		running, ending = append(running, ending...), nil
	}
	var left []cleanup.Leftover
	for _, j := range running {
		left = append(left, cleanup.LeftJob(j, p.Now.Time))
	}
	for _, j := range ending {
		one := cleanup.LeftJob(j, p.Now.Time)
		one.What += ", whose pods have ended; Kubernetes has not marked it as ended yet"
		left = append(left, one)
	}
	leftPods, err := workers.EndJobs(ctx, p, running, attempt.WithoutEndedPods(pods), own)
	return append(left, leftPods...), err
}

// EndingPatience is how long it is waited for Kubernetes to say that a Job has ended all of whose pods have: it takes a
// second or two. A Job of which it does not say so can get another pod at any time, and is deleted.
const EndingPatience = 30 * time.Second
