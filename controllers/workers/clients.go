package workers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/children"
)

// Part is what one client does in an attempt of a run.
type Part struct {
	Client int32
	Job    *batchv1.Job
	Pod    *corev1.Pod
	Seen   attempt.State
}

// PartsOf returns what the clients of a run's attempt do whose Jobs are there.
func PartsOf(ctx context.Context, p *pass.Pass, run *v1alpha1.Run) ([]Part, error) {
	var parts []Part
	began := pass.Beginnings{}
	for client := range run.ClientCount() {
		existing := p.Children.JobOf(run, client)
		if existing == nil {
			continue
		}
		pod, err := podOf(ctx, p, existing)
		if err != nil {
			return nil, err
		}
		seen := began.Note(p.Memory.Began, pod, attempt.Observe(existing, pod, p.Now.Time), p.Now.Time)
		parts = append(parts, Part{Client: client, Job: existing, Pod: pod, Seen: seen})
	}
	p.Memory.Began = began
	return parts, nil
}

// StatesOf returns what the clients are at.
func StatesOf(parts []Part) []attempt.State {
	return world.Each(parts, func(p Part) attempt.State { return p.Seen })
}

// String names the client, and its node if it has one.
func (p Part) String() string {
	if p.Pod == nil || p.Pod.Spec.NodeName == "" {
		return childmeta.Client(p.Client)
	}
	return fmt.Sprintf("%s on node %s", childmeta.Client(p.Client), p.Pod.Spec.NodeName)
}

// RemoveSpentJobs deletes the Jobs of runs before this one that are in its way. All that they have told has to be in
// the status.
func RemoveSpentJobs(ctx context.Context, p *pass.Pass, run *v1alpha1.Run) (pass.Outcome, error) {
	own := sets.New[string]()
	for client := range run.ClientCount() {
		own.Insert(childmeta.RunName(p.SB, run.Name, run.Attempts, client))
	}
	var spent []*batchv1.Job
	for name, j := range p.Children.Jobs {
		if own.Has(name) || !j.DeletionTimestamp.IsZero() {
			continue
		}
		if attempt.IsSpent(p.SB, j, p.Children.Pods[name], p.Memory.JobRefused) {
			spent = append(spent, j)
		}
	}
	if len(spent) > 0 && p.Changed() {
		return pass.SaveFirst(), nil
	}
	return pass.GoOn(), deleteJobs(ctx, p, spent)
}

// podOf returns the pod of an attempt, or nil. The cache of Jobs may be ahead of that of pods, by which an attempt's
// result would be lost, so only the API server can say that the pod of a Job that has ended is gone, or has lost its
// labels.
func podOf(ctx context.Context, p *pass.Pass, j *batchv1.Job) (*corev1.Pod, error) {
	pod := children.Newest(p.Children.Pods[j.Name])
	isLate := pod != nil && attempt.IsBehind(j, pod, p.Now.Time)
	isMissing := pod == nil && (j.Status.Active > 0 || attempt.Observe(j, nil, p.Now.Time).Ended())
	if isLate || isMissing || p.AsksPods {
		return FindPod(ctx, p, j)
	}
	return pod, nil
}
