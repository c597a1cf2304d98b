package prepare

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// Relabel restores labels of a Job or pod that is found although it has lost some. If another benchmark has come to the
// node meanwhile, this one leaves the node instead.
func Relabel(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	object, labels := stripped(&p.Children)
	if object == nil || p.SB.Status.HasMeasured() {
		return pass.GoOn(), nil
	}
	lost := owned.Lacking(object.GetLabels(), labels)
	if pod, is := object.(*corev1.Pod); is && slices.Contains(lost, v1alpha1.LabelHoldsNode) {
		if out, err := leaveShared(ctx, p, pod); err != nil || out.Stop { // with its labels, nobody would look again
			return out, err
		}
	}
	return pass.GoOn(), workers.Restore(ctx, p, object, labels, nil)
}

// stripped returns one of the benchmark's Jobs and pods that has lost labels, with those that it was made with. The
// object is nil if all have theirs.
func stripped(c *children.Children) (client.Object, map[string]string) {
	for _, j := range c.Jobs {
		labels := world.ReadOf(j.Spec.Template.Labels, world.ReadLabels)
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
	return object.GetDeletionTimestamp().IsZero() && len(owned.Lacking(object.GetLabels(), labels)) > 0
}

// leaveShared gives up the node of a pod that did not keep others off it, if another benchmark has come there: the
// attempt under way is repeated on another node, as after the loss of one.
func leaveShared(ctx context.Context, p *pass.Pass, pod *corev1.Pod) (pass.Outcome, error) {
	if p.SB.Spec.Placement != nil && p.SB.Spec.Placement.Isolation == v1alpha1.IsolationNone || pod.Spec.NodeName == "" {
		return pass.GoOn(), nil
	}
	rivals, err := workers.Rivals(ctx, p)
	if err != nil {
		return pass.Outcome{}, err
	}
	other := rivals.On(p.SB, pod.Spec.NodeName)
	if other == "" {
		return pass.GoOn(), nil
	}
	why := fmt.Sprintf("its pod had lost label %s, and %s has come there", v1alpha1.LabelHoldsNode, other)
	if i := slices.Index(owned.AnchorNames(p.SB), pod.Name); i >= 0 {
		return loseAnchor(ctx, p, i, why)
	}
	if run := p.SB.Status.RunningRun(); run != nil {
		p.Disrupted(run, why)
		return pass.SaveFirst(), nil
	}
	return pass.GoOn(), nil
}

// findAnchor sees what has become of the anchor of a client that was there and is not found.
func findAnchor(ctx context.Context, p *pass.Pass, which int) (pass.Outcome, error) {
	a := &p.SB.Status.Anchors[which]
	found, err := p.World.LivePod(ctx, a.Pod, "get anchor")
	if err != nil {
		return pass.Outcome{}, err
	}
	if why := owned.WhyLost(p.SB, "pod", found); why != "" {
		return loseAnchor(ctx, p, which, why)
	}
	wanted := nextAnchor(p, int32(which))
	if err := workers.Restore(ctx, p, found, workers.WithoutHold(wanted.Labels), wanted.Annotations); err != nil {
		return pass.Outcome{}, err
	}
	return p.AwaitCache(found)
}
