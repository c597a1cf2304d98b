package job

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

const (
	// AnchorContainer is the container of an anchor.
	AnchorContainer = "anchor"
	// bindContainer is the container of a pod that takes the place of an anchor while claims are bound. Containers,
	// unlike labels, cannot be changed, so its name tells the two kinds of pods apart.
	bindContainer = "bind"

	// anchorPath is the directory below which an anchor has the volumes, by the names of their targets.
	anchorPath = "/volumes"
	// anchorDevicePath begins the paths of an anchor's raw block volumes.
	anchorDevicePath = DevicePath + "-"
	// anchorGraceSeconds is more than an anchor needs to end.
	anchorGraceSeconds = 5
)

// The resources of an anchor, which waits and does nothing else. They are set, so that quotas admit it, and small, so that
// they leave the node to the runs. The requests reach the minimum that LimitRanges commonly ask for, and the limits are at
// most four times as large (maxLimitRequestRatio). For other LimitRanges there is spec.pod.anchorResources.
var (
	anchorRequests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	anchorLimits   = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
)

// anchorResources returns the resources of an anchor: those that the spec sets, or else the default.
func anchorResources(sb *v1alpha1.StorageBenchmark) corev1.ResourceRequirements {
	if wanted := podSettings(sb).AnchorResources; wanted != nil {
		return *wanted
	}
	return corev1.ResourceRequirements{Requests: anchorRequests, Limits: anchorLimits}
}

// absence is for how long an operator may be away, beside the time that the benchmark may take.
const absence = 24 * time.Hour

// holdSeconds returns after how long a kubelet ends an anchor, whether or not there is an operator left to do so: its node and
// volumes must not be held for ever. It is no less than the benchmark's own deadlines sum up to. So an operator that was away
// and comes back finds the anchor, and needs to renew nothing. If it was away for longer, it looks for a node anew, as
// after the loss of one.
func holdSeconds(sb *v1alpha1.StorageBenchmark, needed int32) int64 {
	d, start, run := sb.Spec.Deadlines, ptr.Deref(sb.Spec.Deadlines.PodStartSeconds, 0), sb.RunSeconds(needed)
	runs := int64(max(sb.Status.PlannedRuns, 1)) * (int64(start) + int64(run))
	return atLast(runs, d.ProvisioningSeconds, d.WaitingForNodeSeconds, &start)
}

// atLast returns after how many seconds a kubelet ends a pod, where no operator has for so long: a day after all that its steps may take.
func atLast(steps int64, deadlines ...*int32) int64 {
	all := int64(absence.Seconds()) + steps
	for _, deadline := range deadlines {
		all += int64(ptr.Deref(deadline, 0))
	}
	return min(all, math.MaxInt32) // which is what Kubernetes takes
}

// Anchor is the pod that holds the node of a client.
type Anchor struct {
	// Client is the number of the client, from 0, and Attempt that of the attempt to hold a node, from 1.
	Client, Attempt int32
	// NeededSeconds is the deadline that the planned runs need where the spec sets none, 0 if the default is enough.
	NeededSeconds int32
	Volumes       []Volume
}

// ForAnchor returns the pod that holds a client's node for the whole benchmark, with the client's volumes mounted: so
// all its runs measure from there, volumes are attached once, and what cannot be provisioned or attached shows before
// the first run.
func ForAnchor(sb *v1alpha1.StorageBenchmark, image Image, of Anchor) *corev1ac.PodApplyConfiguration {
	pod := anchor(sb, image, AnchorContainer, of).WithLabels(holderLabels(sb))
	hold(pod.Spec, sb)
	return pod
}

// ForBinding returns the pod that takes the place of an anchor while the client's claims are bound, which may take long. It
// is placed like the anchor and has the same volumes, but it neither holds a node nor is kept off one that others hold.
func ForBinding(sb *v1alpha1.StorageBenchmark, image Image, of Anchor) *corev1ac.PodApplyConfiguration {
	pod := anchor(sb, image, bindContainer, of)
	place(pod.Spec, sb)
	if spreads(sb) {
		keepApart(pod.Spec, binders(sb))
	}
	return pod
}

// OnlyBinds reports whether the pod of an anchor has claims bound and holds no node.
func OnlyBinds(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == bindContainer })
}

// LabelsOfAnchor returns the labels by which the pod of an anchor keeps other benchmarks off its node, none if it only
// has claims bound.
func LabelsOfAnchor(sb *v1alpha1.StorageBenchmark, pod *corev1.Pod) map[string]string {
	if OnlyBinds(pod) {
		return nil
	}
	return holderLabels(sb)
}

// anchor returns the pod that both have in common.
func anchor(
	sb *v1alpha1.StorageBenchmark, image Image, container string, of Anchor,
) *corev1ac.PodApplyConfiguration {
	settings := podSettings(sb)
	labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor,
		v1alpha1.LabelAttempt, strconv.Itoa(int(of.Attempt)), v1alpha1.LabelClient, strconv.Itoa(int(of.Client)))
	c := runnerContainer(image, container, []string{"hold"}).
		WithResources(resources(anchorResources(sb)))
	pod := podSpec(sb, holderSecurity(sb)).
		// A node that was restarted starts it again.
		WithRestartPolicy(corev1.RestartPolicyAlways).
		WithActiveDeadlineSeconds(holdSeconds(sb, of.NeededSeconds)).
		WithTerminationGracePeriodSeconds(anchorGraceSeconds)
	for i, volume := range of.Volumes {
		name := volumeName + "-" + strconv.Itoa(i)
		pod.WithVolumes(claimVolume(name, volume))
		give(c, name, volume, anchorPath+"/"+volume.Target, anchorDevicePath+volume.Target)
	}
	pod.WithContainers(c)
	return corev1ac.Pod(childmeta.AnchorName(sb, of.Client, of.Attempt), sb.Namespace).
		WithLabels(maps.Clone(settings.Labels)).WithLabels(labels).
		WithAnnotations(maps.Clone(settings.Annotations)).WithAnnotations(keepNode).
		WithOwnerReferences(childmeta.OwnerReference(sb)).
		WithSpec(pod)
}
