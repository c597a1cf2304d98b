package controllers

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
	"github.com/storagebench/storagebench/internal/storage"
)

// An operator that is confined to namespaces has Roles there and no other right. What has no namespace it can neither make
// nor read: nodes, PersistentVolumes, StorageClasses, CSIDrivers and VolumeAttributesClasses. This file has what it does
// instead. It asks for none of them: an error for each call would tell users nothing, and be repeated for ever.

// isNamespaced says whether the operator works in some namespaces only.
func (s *scope) isNamespaced() bool { return len(s.namespaces) > 0 }

// confinement tells users why something is not done or not known: "this operator is confined to namespace a".
func (s *scope) confinement() string {
	noun := "namespace "
	if len(s.namespaces) > 1 {
		noun = "namespaces "
	}
	return "this operator is confined to " + noun + strings.Join(s.namespaces, ", ")
}

// beyondReach returns an error for each target whose storage takes objects without a namespace, which a namespaced operator
// cannot make.
func (s *scope) beyondReach() field.ErrorList {
	var problems field.ErrorList
	for i := range s.sb.Spec.Targets {
		driver := storage.Driver(&s.sb.Spec.Targets[i])
		if !s.isNamespaced() || driver == "" {
			continue
		}
		problems = append(problems, field.Forbidden(field.NewPath("spec", "targets").Index(i).Child(driverFields[driver].field),
			s.confinement()+", and has no right to make the StorageClass or PersistentVolume that this needs; name an existing StorageClass in "+
				"storageClassName, or an existing claim in claimName; nothing was provisioned"))
	}
	return problems
}

// unknownLimits tells, at the start, what results will lack that a namespaced operator cannot look up.
func (s *scope) unknownLimits() string {
	if !s.isNamespaced() {
		return ""
	}
	return fmt.Sprintf("; %s, so the limits of StorageClasses and nodes are not known: results are judged by spec.targets[].limits and clientLimits only", s.confinement())
}

// provisionerAnnotation is the annotation of claims with the driver that is to make their volume, which Kubernetes takes
// from the StorageClass.
const provisionerAnnotation = "volume.kubernetes.io/storage-provisioner"

// learnDrivers notes which driver makes the volumes of StorageClasses, which a namespaced operator cannot look up: the
// claims tell when their volumes are to be made. Whether test files stay depends on it.
func (s *scope) learnDrivers() {
	if !s.isNamespaced() {
		return
	}
	for i := range s.sb.Status.Targets {
		target := &s.sb.Status.Targets[i]
		for _, name := range target.Claims {
			if claim := s.Claims[name]; claim != nil && target.Driver == "" {
				target.Driver = claim.Annotations[provisionerAnnotation]
			}
		}
	}
}

// silentNode says of an attempt's pods which one is not ready though its container is said to run, for so long that its
// start is over: most often because its node does not answer, of which a namespaced operator cannot ask more.
func (s *scope) silentNode(parts []part) string {
	for _, p := range parts {
		if !attempt.MayBeCutOff(p.pod) {
			continue
		}
		for _, c := range p.pod.Status.Conditions {
			if c.Type == corev1.PodReady && s.now.Sub(c.LastTransitionTime.Time) > quietErrors {
				return fmt.Sprintf("pod %s has not been ready since %s: node %s may not answer, and fio may still run there; the run is repeated when Kubernetes gives up the pod",
					p.pod.Name, c.LastTransitionTime.UTC().Format(time.RFC3339), p.pod.Spec.NodeName)
			}
		}
	}
	return ""
}

// crowdedByUnseen says whether a pod that others keep off nodes finds none because of benchmarks in namespaces that a namespaced operator does not see: it
// has no other client, nor wishes of its user, that could be the reason.
func (s *podWait) crowdedByUnseen() bool {
	if !s.isNamespaced() || s.crowded != "" {
		return false
	}
	placement := s.sb.Spec.Placement
	return placement == nil || placement.Affinity == nil || placement.Affinity.PodAntiAffinity == nil
}

// unseenClusterObjects returns what a benchmark may have left that a namespaced operator can neither see nor remove: it was
// begun by one that was not confined.
func (s *scope) unseenClusterObjects() []cleanup.Leftover {
	var left []cleanup.Leftover
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		objects := storage.For(s.sb, target, job.UserOf(s.sb))
		add := func(kind, resource string, name *string) {
			left = append(left, cleanup.Leftover{
				What:      fmt.Sprintf("%s %s (%s and may not look or remove it)", kind, *name, s.confinement()),
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

// volumesUnknown says what a namespaced operator cannot prove when the claims are gone that it made, "" if there is nothing. Of a claim that was deleted
// before it was bound, or in whose place another one came, the volume is not known: it may come late.
func (s *scope) volumesUnknown() string {
	if !s.isNamespaced() {
		return ""
	}
	names := each(s.provisionedVolumes(), func(volume v1alpha1.VolumeStatus) string { return volume.Name })
	var commands []string
	if len(names) > 0 {
		commands = append(commands, "kubectl get pv "+strings.Join(names[:min(len(names), cleanup.MaxNamed)], " "))
	}
	if s.lacksVolumes() {
		commands = append(commands, fmt.Sprintf("kubectl get pv | grep %s/%s- (for volumes that the operator has not seen)", s.sb.Namespace, strings.ReplaceAll(s.sb.Name, ".", "-")))
	}
	if len(commands) == 0 {
		return ""
	}
	return fmt.Sprintf("the claims are gone; %s and may not see whether their volumes went with them, which they do unless the StorageClass retains them: %s",
		s.confinement(), strings.Join(commands, "; "))
}
