package controllers

import (
	"context"
	"errors"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/ours"
)

// cleanupPolicy Retain keeps what there is to look at: volumes, claims, test files, and Jobs and pods that have ended. What still runs is nothing to look
// at. It works on the volumes, holds nodes, and keeps other benchmarks waiting. So it is ended, within the time for clean-up. Nor is a Job kept that may
// yet get a pod: nobody would see to it any more.

// keptUntil is what users are told of cleanupPolicy Retain.
const keptUntil = "spec.cleanupPolicy is Retain: volumes and test files stay until the StorageBenchmark is deleted"

// retain ends what runs, and keeps the rest. What does not end in time is named.
func (p *pass) retain(ctx context.Context) (outcome, error) {
	left, out, err := p.awaitRemoval(p.untilNothingStrays(ctx, p.endRunning))
	if err != nil || out.stop {
		return out, err
	}
	p.setRetained(left)
	return goOn(), nil
}

// setRetained says that volumes and test files are kept, and what could not be ended.
func (s *scope) setRetained(left []leftover) {
	if len(left) == 0 {
		s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonRetained, keptUntil)
		return
	}
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, s.describeLeft(left)+"; "+keptUntil)
}

// isRetained says whether it was said that all is kept that has ended, so that nothing of it is removed.
func (s *scope) isRetained() bool {
	if !s.sb.DeletionTimestamp.IsZero() {
		return false
	}
	return s.condition(v1alpha1.ConditionCleanedUp).Reason == v1alpha1.ReasonRetained || (hasLeft(s.sb) && s.sb.Spec.CleanupPolicy == v1alpha1.CleanupRetain)
}

// endRunning goes one step further in ending what runs, and returns what has not ended yet.
func (p *pass) endRunning(ctx context.Context) ([]leftover, error) {
	left, err := p.endRunningJobs(ctx)
	anchors, anchorsErr := p.removeAnchors(ctx)
	return append(left, anchors...), errors.Join(err, anchorsErr)
}

// endRunningJobs deletes the benchmark's Jobs that run, and pods of Jobs that are gone, and returns what of them has not ended. Where others keep a Job after
// its deletion, only its pods count.
func (p *pass) endRunningJobs(ctx context.Context) ([]leftover, error) {
	of, err := p.listChildren(ctx, nil)
	if err != nil {
		return nil, err
	}
	running, ending, own := p.runningJobs(of.jobs, of.pods)
	if p.now.Sub(p.cleaningSince()) >= endingPatience || p.isCleanUpHalfOver() {
		running, ending = append(running, ending...), nil
	}
	var left []leftover
	for _, j := range running {
		left = append(left, leftoverJob(j, p.now.Time))
	}
	for _, j := range ending {
		one := leftoverJob(j, p.now.Time)
		one.what += ", whose pods have ended; Kubernetes has not marked it as ended yet"
		left = append(left, one)
	}
	leftPods, orphans, err := p.leftPods(ctx, withoutEnded(of.pods), own)
	if left = append(left, leftPods...); err != nil || p.hasNewFiles() {
		return left, err // what pods tell goes with them, so it has to be saved first
	}
	return left, errors.Join(p.deleteJobs(ctx, running), p.deletePods(ctx, orphans))
}

// endingPatience is how long it is waited for Kubernetes to say that a Job has ended all of whose pods have: it takes a second or two. A Job of which it does
// not say so can get another pod at any time, and is deleted.
const endingPatience = 30 * time.Second

// runningJobs returns those of the Jobs that run, or will, and are not being deleted, those of which Kubernetes has yet to say that they have ended, and the
// UIDs of all that are the benchmark's.
func (s *scope) runningJobs(jobs []batchv1.Job, pods []corev1.Pod) (running, ending []*batchv1.Job, own sets.Set[types.UID]) {
	own = sets.New[types.UID]()
	for i := range jobs {
		j := &jobs[i]
		if !ours.Job(s.sb, j) {
			continue
		}
		own.Insert(j.UID)
		switch {
		case !j.DeletionTimestamp.IsZero():
		case mayRun(j, pods):
			running = append(running, j)
		case !makesNoPods(j):
			ending = append(ending, j)
		}
	}
	return running, ending, own
}

// mayRun says whether a Job has a pod that has not ended, or will get one, also when somebody has suspended it. The pod of a run is not repeated, that of
// clean-up is. But whoever may edit Jobs can have it repeated, by backoffLimit, until Kubernetes says that the Job has ended.
func mayRun(j *batchv1.Job, pods []corev1.Pod) bool {
	seen := false
	for i := range pods {
		if !ours.PodOf(j, &pods[i]) {
			continue
		}
		seen = true
		if !attempt.HasEnded(&pods[i]) {
			return true
		}
	}
	repeats := j.Labels[v1alpha1.LabelRole] != v1alpha1.RoleRun
	return !makesNoPods(j) && (!seen || repeats)
}

// makesNoPods says whether Kubernetes makes no more pods of a Job.
func makesNoPods(j *batchv1.Job) bool {
	ends := []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobSuccessCriteriaMet, batchv1.JobFailed, batchv1.JobFailureTarget}
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && slices.Contains(ends, c.Type)
	})
}

// withoutEnded leaves out pods that have ended.
func withoutEnded(pods []corev1.Pod) []corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod corev1.Pod) bool { return attempt.HasEnded(&pod) })
}
