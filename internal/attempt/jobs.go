package attempt

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/owned"
)

// RunningJobs returns those of the Jobs that run, or will, and are not being deleted, those of which Kubernetes has yet to say that they have ended, and the
// UIDs of all that are the benchmark's.
func RunningJobs(sb *v1alpha1.StorageBenchmark, jobs []*batchv1.Job, pods []*corev1.Pod) (running, ending []*batchv1.Job, own sets.Set[types.UID]) {
	own = sets.New[types.UID]()
	for _, j := range jobs {
		if !owned.Job(sb, j) {
			continue
		}
		own.Insert(j.UID)
		switch {
		case !j.DeletionTimestamp.IsZero():
		case mayRun(j, pods):
			running = append(running, j)
		case !MakesNoPods(j):
			ending = append(ending, j)
		}
	}
	return running, ending, own
}

// mayRun says whether a Job has a pod that has not ended, or will get one, also when somebody has suspended it. The pod of a run is not repeated, that of
// clean-up is. But whoever may edit Jobs can have it repeated, by backoffLimit, until Kubernetes says that the Job has ended.
func mayRun(j *batchv1.Job, pods []*corev1.Pod) bool {
	seen := false
	for _, pod := range pods {
		if !owned.PodOf(j, pod) {
			continue
		}
		seen = true
		if !HasEnded(pod) {
			return true
		}
	}
	repeats := j.Labels[v1alpha1.LabelRole] != v1alpha1.RoleRun
	return !MakesNoPods(j) && (!seen || repeats)
}

// MakesNoPods says whether Kubernetes makes no more pods of a Job.
func MakesNoPods(j *batchv1.Job) bool {
	return isAny(j, batchv1.JobComplete, batchv1.JobSuccessCriteriaMet, batchv1.JobFailed, batchv1.JobFailureTarget)
}

// JobHasFailed says whether Kubernetes repeats a Job's pods no longer.
func JobHasFailed(j *batchv1.Job) bool { return isAny(j, batchv1.JobFailed) }

// isAny says whether one of the conditions of a Job is true.
func isAny(j *batchv1.Job, kinds ...batchv1.JobConditionType) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && slices.Contains(kinds, c.Type)
	})
}

// HasEndedPods says whether Kubernetes has counted pods of a Job that have ended.
func HasEndedPods(j *batchv1.Job) bool { return j.Status.Succeeded+j.Status.Failed > 0 }
