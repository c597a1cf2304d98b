package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// maxLostNodes is how many nodes, or anchors on them, may be lost before the benchmark fails.
const maxLostNodes = 8

// anchor holds a node for the whole benchmark, by a pod that has all volumes mounted. When that is lost, the
// run under way is repeated from another one.
func anchor(ctx context.Context, s *scope) (outcome, error) {
	if s.concluded() || !s.anchored() || s.ended() == len(s.sb.Status.Runs) {
		return goOn(), nil
	}
	if len(s.sb.Status.Anchors) == 0 {
		s.sb.Status.Anchors = []v1alpha1.Anchor{{}}
	}
	a := &s.sb.Status.Anchors[0]
	if a.StartTime == nil {
		return s.beginAnchor(a), nil
	}
	pod := s.anchors[job.AnchorName(s.sb, a.Attempts)]
	if pod == nil {
		return s.createAnchor(ctx, a)
	}
	a.Pod = pod.Name
	if why := lostAnchor(pod); why != "" {
		return s.loseAnchor(ctx, a, why)
	}
	// One that has run before may be started again by its kubelet, and has its volumes all the while.
	if a.Node == "" && !isRunning(pod) {
		return s.anchorStart(a, pod).watch(ctx)
	}
	return goOn(), s.holdNode(ctx, a, pod)
}

// anchored says whether the benchmark has an anchor. A single run's pod can hold its node itself.
func (s *scope) anchored() bool { return len(s.sb.Status.Runs) > 1 }

// beginAnchor writes down that an attempt to hold a node begins, before its pod is made.
func (s *scope) beginAnchor(a *v1alpha1.Anchor) outcome {
	a.Attempts++
	a.StartTime = new(s.now())
	a.Pod, a.Node = "", ""
	s.step(v1alpha1.ReasonProvisioning, describeAnchor(a))
	return halt()
}

func describeAnchor(a *v1alpha1.Anchor) string {
	if a.Attempts > 1 {
		return fmt.Sprintf("the anchor (one pod that mounts all volumes), attempt %d", a.Attempts)
	}
	return "the anchor (one pod that mounts all volumes)"
}

// createAnchor makes the anchor's pod, unless it was seen before: then somebody has deleted it.
func (s *scope) createAnchor(ctx context.Context, a *v1alpha1.Anchor) (outcome, error) {
	if fresh, err := s.isFresh(ctx); err != nil || !fresh {
		return haltFor(retrySoon), err
	}
	name := job.AnchorName(s.sb, a.Attempts)
	if a.Pod != "" {
		err := s.Live.Get(ctx, types.NamespacedName{Namespace: s.sb.Namespace, Name: name}, &corev1.Pod{})
		if apierrors.IsNotFound(err) {
			return s.loseAnchor(ctx, a, "its pod was deleted")
		}
		return haltFor(retrySoon), err
	}
	// An old one that Kubernetes has not ended yet would keep the new one off its node.
	if _, err := s.removeAnchors(ctx, name); err != nil {
		return outcome{}, err
	}
	err := s.Client.Apply(ctx, job.ForAnchor(s.sb, s.Image, a.Attempts, s.anchorVolumes()), applyOptions...)
	if apierrors.IsInvalid(err) {
		s.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%s was refused: %v", describeAnchor(a), err))
		return halt(), nil
	}
	if apierrors.IsForbidden(err) {
		// A quota or an admission policy. Others may lift it, so this is a wait with a deadline.
		return s.anchorStart(a, nil).refused("pod", err), nil
	}
	if err != nil {
		return outcome{}, fmt.Errorf("apply anchor: %w", err)
	}
	a.Pod = name
	return haltFor(s.deadline(a.StartTime.Time, s.sb.Spec.Deadlines.StartSeconds)), nil
}

// anchorVolumes returns the volumes that an anchor mounts: all but those that only one pod may have, which have
// to be left to the runs.
func (s *scope) anchorVolumes() []job.Volume {
	var volumes []job.Volume
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		if !slices.Contains(s.targetStatus(target.Name).AccessModes, corev1.ReadWriteOncePod) {
			volumes = append(volumes, s.volumeOf(target))
		}
	}
	return volumes
}

func (s *scope) anchorStart(a *v1alpha1.Anchor, pod *corev1.Pod) *start {
	st := &start{scope: s, what: describeAnchor(a), began: a.StartTime, pod: pod}
	st.expire = func(message string) { s.fail(v1alpha1.ReasonDeadlineExceeded, message) }
	for i := range s.sb.Spec.Targets {
		st.targets = append(st.targets, &s.sb.Spec.Targets[i])
	}
	return st
}

// holdNode notes the node that the anchor holds, and the volumes mounted there.
func (s *scope) holdNode(ctx context.Context, a *v1alpha1.Anchor, pod *corev1.Pod) error {
	if a.Node == pod.Spec.NodeName {
		return nil
	}
	for i := range s.sb.Spec.Targets {
		if err := s.recordPlace(ctx, &s.sb.Spec.Targets[i], pod); err != nil {
			return err
		}
	}
	a.Node = pod.Spec.NodeName
	return nil
}

// lostAnchor says why an anchor's pod no longer holds its node, or nothing.
func lostAnchor(pod *corev1.Pod) string {
	if hasEnded(pod) || isDisrupted(pod) {
		return orElse(podFailure(pod), "its pod ended")
	}
	return ""
}

func isRunning(pod *corev1.Pod) bool {
	status := containerStatus(pod.Status.ContainerStatuses, job.AnchorContainer)
	return status != nil && status.State.Running != nil
}

// loseAnchor ends the run under way, unless that has ended by itself, and has another node looked for.
func (s *scope) loseAnchor(ctx context.Context, a *v1alpha1.Anchor, why string) (outcome, error) {
	why = fmt.Sprintf("the benchmark lost node %s: %s", orElse(a.Node, "(none yet)"), why)
	run := s.runningRun()
	collected, err := s.collectEnded(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	switch {
	case run == nil || collected:
	case run.Job == "":
		run.State = v1alpha1.RunPending // it has not begun
	default:
		s.disrupted(run, why)
	}
	a.Disruptions++
	a.Message = truncate(why, maxRunMessage)
	if a.Disruptions > maxLostNodes {
		s.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%d nodes were lost, the last one because %s", a.Disruptions, why))
		return halt(), nil
	}
	return s.beginAnchor(a), nil
}

// releaseNode lets the node go, and says whether there was one. The anchor is looked for again by whoever needs
// it next.
func (s *scope) releaseNode() bool {
	if len(s.sb.Status.Anchors) == 0 || s.sb.Status.Anchors[0].StartTime == nil {
		return false
	}
	a := &s.sb.Status.Anchors[0]
	a.StartTime, a.Pod, a.Node = nil, "", ""
	return true
}

// node returns the node that the anchor holds, "" without an anchor.
func (s *scope) node() string {
	if len(s.sb.Status.Anchors) == 0 {
		return ""
	}
	return s.sb.Status.Anchors[0].Node
}

// isAnchor says whether a pod is an anchor of the benchmark.
func (s *scope) isAnchor(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleAnchor && metav1.IsControlledBy(pod, s.sb)
}
