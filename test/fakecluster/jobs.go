package fakecluster

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// runJobs is the Job controller, for Jobs of one pod that is not repeated.
func (c *Cluster) runJobs(ctx context.Context) error {
	if err := c.releaseOrphans(ctx); err != nil {
		return err
	}
	return c.eachJob(ctx, func(job *batchv1.Job) error {
		var pods []*corev1.Pod
		err := c.eachPod(ctx, func(pod *corev1.Pod) error {
			if metav1.IsControlledBy(pod, job) {
				pods = append(pods, pod)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !job.DeletionTimestamp.IsZero() {
			return c.deleteJob(ctx, job, pods)
		}
		return c.runJob(ctx, job, pods)
	})
}

func (c *Cluster) runJob(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod) error {
	switch {
	case job.Status.CompletionTime != nil || job.Status.Failed > 0:
		return c.countPods(ctx, pods)
	case len(pods) == 0 && job.Status.StartTime == nil:
		return c.createPod(ctx, job)
	case len(pods) == 0:
		return nil // not yet in the cache
	case !c.ends(job):
		return nil
	case ended(pods[0]) || (!pods[0].DeletionTimestamp.IsZero() && pods[0].Spec.NodeName == ""):
		return c.finishJob(ctx, job, pods[0].Status.Phase == corev1.PodSucceeded)
	}
	return nil
}

func (c *Cluster) createPod(ctx context.Context, job *batchv1.Job) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: job.Name + "-abcde",
			Labels: job.Spec.Template.Labels, Annotations: job.Spec.Template.Annotations,
			// So that the pod stays until its outcome has been counted.
			Finalizers: []string{batchv1.JobTrackingFinalizer},
		},
		Spec: job.Spec.Template.Spec,
	}
	if err := controllerutil.SetControllerReference(job, pod, c.client.Scheme()); err != nil {
		return err
	}
	switch err := c.client.Create(ctx, pod); {
	case apierrors.IsForbidden(err):
		return c.refusePod(ctx, job, err)
	case err != nil && !apierrors.IsAlreadyExists(err): // which is made, and not heard of yet
		return err
	}
	job.Status.StartTime = new(c.now())
	job.Status.Active = 1
	return c.client.Status().Update(ctx, job)
}

// refusePod tells that a pod may not be made, as by a quota. It is tried again.
func (c *Cluster) refusePod(ctx context.Context, job *batchv1.Job, why error) error {
	if c.refused[job.UID] {
		return nil
	}
	err := c.warn(ctx, "job-controller", job, "Job", "FailedCreate", "Error creating: "+why.Error())
	c.refused[job.UID] = err == nil
	return err
}

func (c *Cluster) finishJob(ctx context.Context, job *batchv1.Job, succeeded bool) error {
	now := c.now()
	condition := func(kind batchv1.JobConditionType, reason string) batchv1.JobCondition {
		return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, Reason: reason, LastProbeTime: now, LastTransitionTime: now}
	}
	job.Status.Active, job.Status.UncountedTerminatedPods = 0, nil
	if succeeded {
		job.Status.Succeeded, job.Status.CompletionTime = 1, &now
		job.Status.Conditions = []batchv1.JobCondition{
			condition(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonCompletionsReached),
			condition(batchv1.JobComplete, batchv1.JobReasonCompletionsReached),
		}
	} else {
		job.Status.Failed = 1
		job.Status.Conditions = []batchv1.JobCondition{
			condition(batchv1.JobFailureTarget, batchv1.JobReasonBackoffLimitExceeded),
			condition(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded),
		}
	}
	return c.client.Status().Update(ctx, job)
}

// releaseOrphans lets go of pods whose Job was deleted in the background.
func (c *Cluster) releaseOrphans(ctx context.Context) error {
	return c.eachPod(ctx, func(pod *corev1.Pod) error {
		owner := metav1.GetControllerOf(pod)
		if pod.DeletionTimestamp.IsZero() || owner == nil {
			return nil
		}
		var job batchv1.Job
		err := c.client.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: owner.Name}, &job)
		if client.IgnoreNotFound(err) != nil || (err == nil && job.UID == owner.UID) {
			return err
		}
		return c.removeFinalizer(ctx, pod, batchv1.JobTrackingFinalizer)
	})
}

// countPods lets go of pods whose outcome is in their Job's status.
func (c *Cluster) countPods(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if err := outdated(c.removeFinalizer(ctx, pod, batchv1.JobTrackingFinalizer)); err != nil {
			return err
		}
	}
	return nil
}

// deleteJob deletes the pods of a Job that is deleted in the foreground, and then lets it go.
func (c *Cluster) deleteJob(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod) error {
	if err := c.countPods(ctx, pods); err != nil {
		return err
	}
	for _, pod := range pods {
		if !pod.DeletionTimestamp.IsZero() {
			continue
		}
		if err := outdated(c.client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})); err != nil {
			return err
		}
	}
	var remaining corev1.PodList
	if err := c.client.List(ctx, &remaining, client.InNamespace(c.namespace), client.MatchingLabels{batchv1.ControllerUidLabel: string(job.UID)}); err != nil {
		return err
	}
	if len(remaining.Items) > 0 {
		return nil
	}
	return c.removeFinalizer(ctx, job, metav1.FinalizerDeleteDependents)
}
