package prepare

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/storage"
)

// NudgeAfter is how long a pod on a node may wait for its volumes until it is changed, and then until it is changed
// again. Mountpoint's driver takes about two seconds where all goes well.
const NudgeAfter = 15 * time.Second

// Nudge changes pods that have waited long for volumes of Mountpoint for Amazon S3. Its driver can forget a pod: the
// controller drops the error that it meets where the same volume is being detached from a pod that has just ended
// (reconcileWorkloadPod of csicontroller/reconciler.go returns none, in version 2), and looks at a pod again only when
// that changes. Nothing else changes a pod that waits.
func Nudge(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if !usesMountpoint(p.SB.Status.Targets) {
		return pass.GoOn(), nil
	}
	for _, pods := range p.Children.Pods {
		for _, pod := range pods {
			nudgePod(ctx, p, pod)
		}
	}
	for _, pod := range p.Children.Anchors {
		nudgePod(ctx, p, pod)
	}
	return pass.GoOn(), nil
}

// usesMountpoint reports whether a target's volumes are Mountpoint's.
func usesMountpoint(targets []v1alpha1.TargetStatus) bool {
	return slices.ContainsFunc(targets, func(t v1alpha1.TargetStatus) bool { return t.Driver == storage.S3Driver })
}

// nudgePod changes a pod that needs it. That it cannot be changed, as where others have left no room for an annotation,
// is no error: it would keep all else from being done, also the removal of the pod, which has a deadline of its own to
// start.
func nudgePod(ctx context.Context, p *pass.Pass, pod *corev1.Pod) {
	if !NeedsNudge(pod, p.Now.Time) {
		return
	}
	nudged := map[string]any{
		"annotations": map[string]string{v1alpha1.AnnotationNudged: p.Now.Time.UTC().Format(time.RFC3339)},
	}
	if err := world.UnlessGone(p.World.PatchMeta(ctx, pod.DeepCopy(), nudged), "change pod"); err != nil {
		ctrl.LoggerFrom(ctx).Info("A pod that waits for its volumes could not be changed",
			"pod", pod.Name, "why", err.Error())
	}
}

// NeedsNudge reports whether a pod has a node and has waited long since it was made, or was last changed by a nudge.
func NeedsNudge(pod *corev1.Pod, now time.Time) bool {
	hasStarted := attempt.HasEnded(pod) || !attempt.Began(pod).IsZero()
	if pod.Spec.NodeName == "" || !pod.DeletionTimestamp.IsZero() || hasStarted {
		return false
	}
	since := pod.CreationTimestamp.Time
	if last, err := time.Parse(time.RFC3339, pod.Annotations[v1alpha1.AnnotationNudged]); err == nil && last.After(since) {
		since = last
	}
	return now.Sub(since) >= NudgeAfter
}
