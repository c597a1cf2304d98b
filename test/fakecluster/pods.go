package fakecluster

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// runPods is the scheduler and the kubelet.
func (c *Cluster) runPods(ctx context.Context) error {
	return c.eachPod(ctx, func(pod *corev1.Pod) error {
		outcome := c.outcome(pod)
		switch {
		case outcome.lost && pod.Status.Phase == corev1.PodRunning:
			return nil
		case pod.Spec.NodeName == "":
			return c.schedule(ctx, pod, outcome)
		case ended(pod) && !pod.DeletionTimestamp.IsZero():
			return c.client.Delete(ctx, pod, immediately(pod)...)
		case ended(pod):
			return nil
		case !pod.DeletionTimestamp.IsZero():
			return c.terminate(ctx, pod)
		}
		return c.advance(ctx, pod, outcome)
	})
}

func (c *Cluster) schedule(ctx context.Context, pod *corev1.Pod, outcome Outcome) error {
	if !pod.DeletionTimestamp.IsZero() {
		return nil
	}
	if outcome.unschedulable != "" {
		if len(pod.Status.Conditions) > 0 && pod.Status.Conditions[0].Message == outcome.unschedulable {
			return nil
		}
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: c.now(),
			Reason: corev1.PodReasonUnschedulable, Message: outcome.unschedulable,
		}}
		return c.client.Status().Update(ctx, pod)
	}
	unbound := false
	err := c.eachClaim(ctx, func(claim *corev1.PersistentVolumeClaim) error {
		unbound = unbound || uses(pod, claim.Name) && claim.Status.Phase != corev1.ClaimBound
		return nil
	})
	if err != nil || unbound {
		return err
	}
	client, err := strconv.Atoi(cmp.Or(pod.Labels[v1alpha1.LabelClient], "0"))
	if err != nil {
		return err
	}
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: NodeOf(client)}}
	return c.client.SubResource("binding").Create(ctx, pod, binding)
}

// advance takes a pod one step further in its life.
func (c *Cluster) advance(ctx context.Context, pod *corev1.Pod, outcome Outcome) error {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	for i := range containers {
		status := statusOf(pod, containers[i].Name)
		if status.State.Terminated != nil {
			continue
		}
		before := status.State
		if before.Running != nil && awaitsStart(pod, &containers[i]) {
			return nil
		}
		status.State = outcome.next(stages(pod, containers[i].Name), before, c.now())
		if status.State == before {
			return nil
		}
		pod.Status.Phase = corev1.PodRunning
		if i < len(pod.Spec.InitContainers) || status.State.Waiting != nil {
			pod.Status.Phase = corev1.PodPending
		}
		if end := status.State.Terminated; end != nil {
			end.Message = outcome.messageOf(pod, end.Message)
			pod.Status.Conditions = append(pod.Status.Conditions, outcome.conditionsAt(c.now())...)
			switch {
			case outcome.sidecar:
				statusOf(pod, "proxy").State.Running = &corev1.ContainerStateRunning{StartedAt: c.now()}
			case end.ExitCode != 0:
				pod.Status.Phase = corev1.PodFailed
			case i == len(containers)-1:
				pod.Status.Phase = corev1.PodSucceeded
			}
		}
		return c.client.Status().Update(ctx, pod)
	}
	return nil
}

// stages returns the containers that one of a pod does the work of: the one that measures may lay out files before.
func stages(pod *corev1.Pod, container string) []string {
	if container == job.MeasureContainer && job.LaysOutFirst(&pod.Spec) {
		return []string{job.LayoutContainer, container}
	}
	return []string{container}
}

// awaitsStart says whether a container waits to be told when to start.
func awaitsStart(pod *corev1.Pod, container *corev1.Container) bool {
	waits := slices.ContainsFunc(container.Args, func(arg string) bool { return strings.HasPrefix(arg, "--start-file=") })
	return waits && pod.Annotations[v1alpha1.AnnotationStartTime] == ""
}

// terminate ends a pod that is deleted while it lives. The runner ends as one that is interrupted.
func (c *Cluster) terminate(ctx context.Context, pod *corev1.Pod) error {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		status := statusOf(pod, container.Name)
		if status.State.Running == nil {
			continue
		}
		status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: digest.ExitInterrupted, Reason: "Error", Message: "the run was ended before fio had finished",
			StartedAt: status.State.Running.StartedAt, FinishedAt: c.now(),
		}}
	}
	pod.Status.Phase = corev1.PodFailed
	return c.client.Status().Update(ctx, pod)
}

// statusOf returns the status of a container, which it adds to the pod's where there is none.
func statusOf(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	statuses := &pod.Status.ContainerStatuses
	if slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == name }) {
		statuses = &pod.Status.InitContainerStatuses
	}
	for i := range *statuses {
		if (*statuses)[i].Name == name {
			return &(*statuses)[i]
		}
	}
	*statuses = append(*statuses, corev1.ContainerStatus{Name: name, Image: "fake", ImageID: "fake"})
	return &(*statuses)[len(*statuses)-1]
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
