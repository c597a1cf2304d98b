// Package namespaced has what an operator does that is confined to namespaces. It has Roles there and no other right. What has no namespace it can neither make
// nor read: nodes, PersistentVolumes, StorageClasses, CSIDrivers and VolumeAttributesClasses. It asks for none of them: an error for each call would tell users
// nothing, and be repeated for ever.
package namespaced

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// Namespaces are those that an operator is confined to. None: it works in the whole cluster.
type Namespaces []string

// AreSet says whether the operator works in some namespaces only.
func (n Namespaces) AreSet() bool { return len(n) > 0 }

// Words tell users why something is not done or not known: "this operator is confined to namespace a".
func (n Namespaces) Words() string {
	noun := "namespace "
	if len(n) > 1 {
		noun = "namespaces "
	}
	return "this operator is confined to " + noun + strings.Join(n, ", ")
}

// BeyondReach returns an error for each target whose storage takes objects without a namespace, which a namespaced operator
// cannot make.
func (n Namespaces) BeyondReach(targets []v1alpha1.Target) field.ErrorList {
	var problems field.ErrorList
	for i := range targets {
		driver := storage.Driver(&targets[i])
		if !n.AreSet() || driver == "" {
			continue
		}
		problems = append(problems, field.Forbidden(field.NewPath("spec", "targets").Index(i).Child(storage.AddOnOf(driver).Field),
			n.Words()+", and has no right to make the StorageClass or PersistentVolume that this needs; name an existing StorageClass in "+
				"storageClassName, or an existing claim in claimName; nothing was provisioned"))
	}
	return problems
}

// UnknownLimits tells, at the start, what results will lack that a namespaced operator cannot look up.
func (n Namespaces) UnknownLimits() string {
	if !n.AreSet() {
		return ""
	}
	return fmt.Sprintf("; %s, so the limits of StorageClasses and nodes are not known: results are judged by spec.targets[].limits and clientLimits only", n.Words())
}

// LearnDrivers notes which driver makes the volumes of StorageClasses, which a namespaced operator cannot look up: the
// claims tell when their volumes are to be made. Whether test files stay depends on it.
func (n Namespaces) LearnDrivers(targets []v1alpha1.TargetStatus, claims volumes.Claims) {
	if !n.AreSet() {
		return
	}
	for i := range targets {
		target := &targets[i]
		for _, name := range target.Claims {
			if claim := claims[name]; claim != nil && target.Driver == "" {
				target.Driver = storage.DriverOf(claim.Annotations[ours.ProvisionerAnnotation])
			}
		}
	}
}

// quiet is how long a container may be said to run whose pod is not ready.
const quiet = 10 * time.Second

// SilentNode says of an attempt's pods which one is not ready though its container is said to run, for so long that its
// start is over: most often because its node does not answer, of which a namespaced operator cannot ask more.
func SilentNode(pods []*corev1.Pod, now time.Time) string {
	for _, pod := range pods {
		if !attempt.MayBeCutOff(pod) {
			continue
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && now.Sub(c.LastTransitionTime.Time) > quiet {
				return fmt.Sprintf("pod %s has not been ready since %s: node %s may not answer, and fio may still run there; the run is repeated when Kubernetes gives up the pod",
					pod.Name, c.LastTransitionTime.UTC().Format(time.RFC3339), pod.Spec.NodeName)
			}
		}
	}
	return ""
}

// LeftClusterObjects returns what a benchmark may have left that a namespaced operator can neither see nor remove: it was
// begun by one that was not confined.
func (n Namespaces) LeftClusterObjects(sb *v1alpha1.StorageBenchmark) []cleanup.Leftover {
	var left []cleanup.Leftover
	for i := range sb.Spec.Targets {
		target := &sb.Spec.Targets[i]
		objects := storage.For(sb, target, job.UserOf(sb))
		add := func(kind, resource string, name *string) {
			left = append(left, cleanup.Leftover{
				What:      fmt.Sprintf("%s %s (%s and may not look or remove it)", kind, *name, n.Words()),
				Command:   fmt.Sprintf("kubectl delete %s %s --ignore-not-found", resource, *name),
				Abandoned: true,
			})
		}
		if objects.Volume != nil {
			add("PersistentVolume", "pv", objects.Volume.Name)
		}
		if objects.Class != nil {
			add("StorageClass", "storageclass", objects.Class.Name)
		}
	}
	return left
}

// VolumesUnknown says what a namespaced operator cannot prove when the claims are gone that it made, "" if there is nothing. Of a claim that was deleted
// before it was bound, or in whose place another one came, the volume is not known: it may come late.
func (n Namespaces) VolumesUnknown(sb *v1alpha1.StorageBenchmark) string {
	if !n.AreSet() {
		return ""
	}
	var names []string
	for _, volume := range volumes.Provisioned(sb) {
		names = append(names, volume.Name)
	}
	var commands []string
	if len(names) > 0 {
		commands = append(commands, "kubectl get pv "+strings.Join(names[:min(len(names), cleanup.MaxNamed)], " "))
	}
	if volumes.AreMissing(sb) {
		commands = append(commands, fmt.Sprintf("kubectl get pv | grep %s/%s- (for volumes that the operator has not seen)", sb.Namespace, strings.ReplaceAll(sb.Name, ".", "-")))
	}
	if len(commands) == 0 {
		return ""
	}
	return fmt.Sprintf("the claims are gone; %s and may not see whether their volumes went with them, which they do unless the StorageClass retains them: %s",
		n.Words(), strings.Join(commands, "; "))
}
