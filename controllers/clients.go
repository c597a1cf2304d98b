package controllers

import (
	"context"
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
)

// part is what one client does in an attempt of a run.
type part struct {
	client int32
	job    *batchv1.Job
	pod    *corev1.Pod
	seen   observation
}

// clientsOf returns the number of clients of a run, at least 1.
func clientsOf(run *v1alpha1.Run) int32 { return max(run.Clients, 1) }

// partsOf returns what the clients of a run's attempt do whose Jobs are there.
func (s *scope) partsOf(ctx context.Context, run *v1alpha1.Run) ([]part, error) {
	var parts []part
	for client := range clientsOf(run) {
		existing := s.jobs[job.RunName(s.sb, run.Name, run.Attempts, client)]
		if existing == nil {
			continue
		}
		pod, err := s.podOf(ctx, existing)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{client: client, job: existing, pod: pod, seen: inspect(existing, pod, s.Clock.Now())})
	}
	return parts, nil
}

// together judges an attempt by what its clients do, and says which of them decides. One that has ended without a
// result ends the attempt for all: what the others measure is not what was asked for. What would fail again prevails
// over what can be repeated. An attempt has a result when all have; it runs when all run or have a result.
func together(parts []part) (observation, int) {
	decisive := 0
	for i := range parts {
		if rank(parts[i].seen) > rank(parts[decisive].seen) {
			decisive = i
		}
	}
	seen := parts[decisive].seen
	if len(parts) == 1 {
		return seen, decisive
	}
	for _, p := range parts {
		if began := p.seen.since; !began.IsZero() && (seen.since.IsZero() || began.Before(seen.since)) {
			seen.since = began
		}
		if at := p.seen.givenUp; !at.IsZero() && (seen.givenUp.IsZero() || at.Before(seen.givenUp)) {
			seen.givenUp = at
		}
	}
	if seen.progress == ended && !seen.succeeded {
		seen.message = parts[decisive].String() + ": " + seen.message
	}
	return seen, decisive
}

// rank orders what is seen of clients by how much it decides about all of them.
func rank(seen observation) int {
	switch {
	case seen.progress == ended && seen.succeeded:
		return 0
	case seen.progress == running && seen.reason == v1alpha1.ReasonMeasuring:
		return 1
	case seen.progress == running:
		return 2
	case seen.progress == starting:
		return 3
	case seen.disrupted:
		return 4
	default:
		return 5
	}
}

// String names the client, and its node if it has one.
func (p part) String() string {
	if p.pod == nil || p.pod.Spec.NodeName == "" {
		return child.Client(p.client)
	}
	return fmt.Sprintf("%s on node %s", child.Client(p.client), p.pod.Spec.NodeName)
}

// removeEndedJobs deletes the Jobs of runs that have ended, of a benchmark with several clients. All that they have
// told is in the status; many clients in many runs would leave so many that each pass took longer than the one before.
func (s *scope) removeEndedJobs(ctx context.Context) error {
	var ended []*batchv1.Job
	for _, j := range s.jobs {
		if j.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && j.DeletionTimestamp.IsZero() {
			ended = append(ended, j)
		}
	}
	return s.deleteJobs(ctx, ended)
}

// deleteJobs deletes Jobs, and has Kubernetes delete their pods.
func (s *scope) deleteJobs(ctx context.Context, jobs []*batchv1.Job) error {
	return errors.Join(inParallel(jobs, func(j *batchv1.Job) error {
		err := s.Client.Delete(ctx, j, client.Preconditions{UID: &j.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		return unlessGone(err, "delete Job "+j.Name)
	})...)
}
