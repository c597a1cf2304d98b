package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
)

// part is what one client does in an attempt of a run.
type part struct {
	client int32
	job    *batchv1.Job
	pod    *corev1.Pod
	seen   attempt.State
}

// partsOf returns what the clients of a run's attempt do whose Jobs are there.
func (p *pass) partsOf(ctx context.Context, run *v1alpha1.Run) ([]part, error) {
	var parts []part
	began := beginnings{}
	for client := range run.ClientCount() {
		existing := p.JobOf(run, client)
		if existing == nil {
			continue
		}
		pod, err := p.podOf(ctx, existing)
		if err != nil {
			return nil, err
		}
		seen := began.note(p.memory.began, pod, attempt.Observe(existing, pod, p.now.Time), p.now.Time)
		parts = append(parts, part{client: client, job: existing, pod: pod, seen: seen})
	}
	p.memory.began = began
	return parts, nil
}

// statesOf returns what the clients are at.
func statesOf(parts []part) []attempt.State {
	return each(parts, func(p part) attempt.State { return p.seen })
}

// String names the client, and its node if it has one.
func (p part) String() string {
	if p.pod == nil || p.pod.Spec.NodeName == "" {
		return child.Client(p.client)
	}
	return fmt.Sprintf("%s on node %s", child.Client(p.client), p.pod.Spec.NodeName)
}

// removeSpentJobs deletes the Jobs of runs before this one that are in its way. All that they have told has to be in the status.
func (p *pass) removeSpentJobs(ctx context.Context, run *v1alpha1.Run) (outcome, error) {
	own := sets.New[string]()
	for client := range run.ClientCount() {
		own.Insert(job.RunName(p.sb, run.Name, run.Attempts, client))
	}
	var spent []*batchv1.Job
	for name, j := range p.Jobs {
		if !own.Has(name) && j.DeletionTimestamp.IsZero() && attempt.IsSpent(p.sb, j, p.Pods[name], p.memory.jobRefused) {
			spent = append(spent, j)
		}
	}
	if _, isSaved := p.allSaved(); len(spent) > 0 && !isSaved {
		return saveFirst(), nil
	}
	return goOn(), p.deleteJobs(ctx, spent)
}
