package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/plan"
)

// The operator finds its Jobs and pods by their labels, which others may remove. What is still ours by its name and its owner gets them back.

// relabel restores labels of a Job or pod that is found although it has lost some. If another benchmark has come to the
// node meanwhile, this one leaves the node instead.
func relabel(ctx context.Context, p *pass) (outcome, error) {
	object, labels := stripped(&p.Children)
	if object == nil || p.sb.Status.HasMeasured() {
		return goOn(), nil
	}
	lost := ours.Lacking(object.GetLabels(), labels)
	if pod, is := object.(*corev1.Pod); is && slices.Contains(lost, v1alpha1.LabelHoldsNode) {
		if out, err := leaveShared(ctx, p, pod); err != nil || out.stop { // with its labels, nobody would look again
			return out, err
		}
	}
	return goOn(), p.restore(ctx, object, labels, nil)
}

// stripped returns one of the benchmark's Jobs and pods that has lost labels, with those that it was made with. The
// object is nil if all have theirs.
func stripped(c *children.Children) (client.Object, map[string]string) {
	for _, j := range c.Jobs {
		labels := readOf(j.Spec.Template.Labels, readLabels)
		if isStripped(j, labels) {
			return j, labels
		}
		for _, pod := range c.Pods[j.Name] {
			if isStripped(pod, labels) {
				return pod, labels
			}
		}
	}
	for i := range c.Benchmark.Status.Anchors {
		pod := c.AnchorOf(i)
		if pod == nil {
			continue
		}
		if labels := job.LabelsOfAnchor(c.Benchmark, pod); isStripped(pod, labels) {
			return pod, labels
		}
	}
	return nil, nil
}

// isStripped reports whether an object that stays lacks labels.
func isStripped(object client.Object, labels map[string]string) bool {
	return object.GetDeletionTimestamp().IsZero() && len(ours.Lacking(object.GetLabels(), labels)) > 0
}

// leaveShared gives up the node of a pod that did not keep others off it, if another benchmark has come there: the
// attempt under way is repeated on another node, as after the loss of one.
func leaveShared(ctx context.Context, p *pass, pod *corev1.Pod) (outcome, error) {
	if p.sb.Spec.Placement != nil && p.sb.Spec.Placement.Isolation == v1alpha1.IsolationNone || pod.Spec.NodeName == "" {
		return goOn(), nil
	}
	rivals, err := p.rivals(ctx)
	if err != nil {
		return outcome{}, err
	}
	other := rivals.On(p.sb, pod.Spec.NodeName)
	if other == "" {
		return goOn(), nil
	}
	why := fmt.Sprintf("its pod had lost label %s, and %s has come there", v1alpha1.LabelHoldsNode, other)
	if i := slices.Index(ours.AnchorNames(p.sb), pod.Name); i >= 0 {
		return p.loseAnchor(ctx, i, why)
	}
	if run := p.sb.Status.RunningRun(); run != nil {
		p.disrupted(run, why)
		return saveFirst(), nil
	}
	return goOn(), nil
}

// findJob sees what has become of the Job of a client that was there and is not found.
func (p *pass) findJob(ctx context.Context, run *v1alpha1.Run, planned *plan.Run, client int32) (outcome, error) {
	wanted := job.ForRun(p.sb, p.Image, p.jobSpec().ForMeasuring(run, planned, client))
	found, err := p.liveJob(ctx, *wanted.Name, "get Job")
	if err != nil {
		return outcome{}, err
	}
	if why := ours.WhyLost(p.sb, "Job", found); why != "" {
		p.disrupted(run, why)
		return saveFirst(), nil
	}
	if err := p.restore(ctx, found, wanted.Labels, wanted.Annotations); err != nil {
		return outcome{}, err
	}
	return p.awaitCache(found)
}

// findAnchor sees what has become of the anchor of a client that was there and is not found.
func (p *pass) findAnchor(ctx context.Context, which int) (outcome, error) {
	a := &p.sb.Status.Anchors[which]
	found, err := p.livePod(ctx, a.Pod, "get anchor")
	if err != nil {
		return outcome{}, err
	}
	if why := ours.WhyLost(p.sb, "pod", found); why != "" {
		return p.loseAnchor(ctx, which, why)
	}
	wanted := p.nextAnchor(int32(which))
	if err := p.restore(ctx, found, withoutHold(wanted.Labels), wanted.Annotations); err != nil {
		return outcome{}, err
	}
	return p.awaitCache(found)
}

// withoutHold returns labels without the one by which a pod holds its node. Only relabel restores that one, because it looks first
// whether another benchmark has come to the node.
func withoutHold(labels map[string]string) map[string]string {
	others := maps.Clone(labels)
	delete(others, v1alpha1.LabelHoldsNode)
	return others
}

// restore gives an object its labels and annotations back if it has lost one that the operator reads. If it has all of
// these, the cache has yet to hear of it. A restoration is an error: then it is told where it goes on, has a deadline,
// and is not repeated at once.
func (p *pass) restore(ctx context.Context, object client.Object, labels, annotations map[string]string) error {
	lost := append(
		ours.Lacking(object.GetLabels(), readOf(labels, readLabels)),
		ours.Lacking(object.GetAnnotations(), readOf(annotations, readAnnotations))...,
	)
	if len(lost) == 0 {
		return nil
	}
	changes := map[string]any{"labels": labels}
	if annotations != nil { // null would remove those that others have set
		changes["annotations"] = annotations
	}
	if err := p.patchMeta(ctx, object, changes); err != nil {
		return unlessGone(err, "restore "+strings.Join(lost, ", ")+" of "+object.GetName())
	}
	return fmt.Errorf("%s had lost %s, which the operator needs to find it; that was put back; if this goes on, look for an admission webhook or a controller that removes it", object.GetName(), strings.Join(lost, ", "))
}

// findPod returns the pod of a Job that Kubernetes says there is and that is not found, nil if there is none, and gives it its labels back.
// That it had to is no error: the pod is found, and the deadlines of its run hold.
func (p *pass) findPod(ctx context.Context, j *batchv1.Job) (*corev1.Pod, error) {
	var pods corev1.PodList
	isPodOfJob := func(pod *corev1.Pod) bool { return ours.PodOf(j, pod) } // a label can be anybody's
	labelled := client.MatchingLabels{batchv1.ControllerUidLabel: string(j.UID)}
	if err := listLive(ctx, p.Live, &pods, isPodOfJob, client.InNamespace(j.Namespace), labelled); err != nil {
		return nil, fmt.Errorf("list pods of Job %s: %w", j.Name, err)
	}
	if len(pods.Items) == 0 {
		return nil, nil
	}
	pod := &pods.Items[0]
	labels := withoutHold(j.Spec.Template.Labels)
	if lost := ours.Lacking(pod.Labels, labels); len(lost) > 0 && pod.DeletionTimestamp.IsZero() {
		// It is read and patched by one client, and its answer is not what this pass has seen.
		_ = p.restore(ctx, pod.DeepCopy(), labels, j.Spec.Template.Annotations)
	}
	return pod, nil
}
