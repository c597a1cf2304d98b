package workers

import (
	"context"
	"fmt"
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/owned"
)

// The operator finds its Jobs and pods by their labels, which others may remove. An object that is still ours by its
// name and its owner gets its labels back.

// WithoutHold returns labels without the one by which a pod holds its node. Only relabel restores that one, because it
// looks first whether another benchmark has come to the node.
func WithoutHold(labels map[string]string) map[string]string {
	others := maps.Clone(labels)
	delete(others, v1alpha1.LabelHoldsNode)
	return others
}

// Restore gives an object its labels and annotations back if it has lost one that the operator reads. If it has all of
// these, the cache has yet to hear of it. A restoration is an error: then it is told where it goes on, has a deadline,
// and is not repeated at once.
func Restore(ctx context.Context, p *pass.Pass, object client.Object, labels, annotations map[string]string) error {
	lost := append(
		owned.Lacking(object.GetLabels(), world.ReadOf(labels, world.ReadLabels)),
		owned.Lacking(object.GetAnnotations(), world.ReadOf(annotations, world.ReadAnnotations))...,
	)
	if len(lost) == 0 {
		return nil
	}
	changes := map[string]any{"labels": labels}
	if annotations != nil { // null would remove those that others have set
		changes["annotations"] = annotations
	}
	if err := p.World.PatchMeta(ctx, object, changes); err != nil {
		return world.UnlessGone(err, "restore "+strings.Join(lost, ", ")+" of "+object.GetName())
	}
	return fmt.Errorf("%s had lost %s, which the operator needs to find it; that was put back; if this goes on, "+
		"look for an admission webhook or a controller that removes it", object.GetName(), strings.Join(lost, ", "))
}

// FindPod returns the pod of a Job that Kubernetes says there is and that is not found, nil if there is none, and gives
// it its labels back. That it had to is no error: the pod is found, and the deadlines of its run hold.
func FindPod(ctx context.Context, p *pass.Pass, j *batchv1.Job) (*corev1.Pod, error) {
	var pods corev1.PodList
	isPodOfJob := func(pod *corev1.Pod) bool { return owned.PodOf(j, pod) } // a label can be anybody's
	labelled := client.MatchingLabels{batchv1.ControllerUidLabel: string(j.UID)}
	_, err := world.ListLive(ctx, p.World.Live, &pods, isPodOfJob, client.InNamespace(j.Namespace), labelled)
	if err != nil {
		return nil, fmt.Errorf("list pods of Job %s: %w", j.Name, err)
	}
	if len(pods.Items) == 0 {
		return nil, nil
	}
	pod := &pods.Items[0]
	labels := WithoutHold(j.Spec.Template.Labels)
	if lost := owned.Lacking(pod.Labels, labels); len(lost) > 0 && pod.DeletionTimestamp.IsZero() {
		// It is read and patched by one client, and its answer is not what this pass has seen.
		_ = Restore(ctx, p, pod.DeepCopy(), labels, j.Spec.Template.Annotations)
	}
	return pod, nil
}
