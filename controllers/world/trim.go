package world

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// The operator keeps all StorageBenchmarks in memory, and all Jobs, pods and claims that have its label. Anybody can
// set that label, on objects of up to 1.5 MiB. So the operator keeps only the fields that it reads. Its cache loses the
// other fields, but the objects do not: it changes them by patches.

var (
	// ReadLabels are the labels that the operator reads.
	ReadLabels = []string{
		v1alpha1.LabelManagedBy, v1alpha1.LabelBenchmark, v1alpha1.LabelTarget, v1alpha1.LabelRole, v1alpha1.LabelAttempt,
		v1alpha1.LabelClient, v1alpha1.LabelHoldsNode, v1alpha1.LabelUID,
	}
	// ReadAnnotations are the annotations that the operator reads.
	ReadAnnotations = []string{
		v1alpha1.AnnotationRun, v1alpha1.AnnotationStartTime, v1alpha1.AnnotationNudged, owned.ProvisionerAnnotation,
		owned.SelectedNode,
	}
)

// Trim leaves of an object what the operator reads of it, before it is cached.
func Trim(object runtime.Object) {
	switch o := object.(type) {
	case *batchv1.Job:
		trimMeta(&o.ObjectMeta)
		trimMeta(&o.Spec.Template.ObjectMeta)
		o.Spec = batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: o.Spec.Template.ObjectMeta}}
	case *corev1.Pod:
		trimMeta(&o.ObjectMeta)
		o.Spec = corev1.PodSpec{
			NodeName:        o.Spec.NodeName,
			SecurityContext: trimSecurity(o.Spec.SecurityContext),
			Containers:      job.TrimContainers(o.Spec.Containers),
		}
	case *corev1.PersistentVolumeClaim:
		trimMeta(&o.ObjectMeta)
		o.Spec = TrimClaim(&o.Spec)
	case *v1alpha1.StorageBenchmark:
		trimBenchmark(o)
	case *v1alpha1.StorageBenchmarkSchedule:
		trimSchedule(o)
	}
}

// MaxCached is how many bytes of memory the cache has of a benchmark that goes on. A usual benchmark takes some 20 KiB,
// and a result some 2 KiB.
const MaxCached = 128 << 10

// trimBenchmark leaves of a benchmark its spec and its status. One that has ended, or is very large, is shortened.
func trimBenchmark(sb *v1alpha1.StorageBenchmark) {
	sb.ManagedFields, sb.Labels = nil, nil
	sb.Annotations = ReadOf(sb.Annotations, benchmarkAnnotations)
	sb.OwnerReferences = ControllersOf(sb.OwnerReferences)
	sb.SelfLink = "" //nolint:staticcheck // As in trimMeta.
	if sb.Status.HasEnded() || WeightOf(sb) > MaxCached {
		shorten(sb)
	}
}

// shorten leaves of a benchmark at which step it is, or how it ended: with its results it may be more than 1 MiB, and a
// pass that needs more reads it from the API server.
func shorten(sb *v1alpha1.StorageBenchmark) {
	sb.Finalizers = readFinalizers(sb.Finalizers) // patches of finalizers go by a benchmark that was read anew
	anchors := sb.Status.Anchors                  // by which others see that it needs nodes
	conditions := sb.Status.Conditions
	if sb.Status.HasEnded() {
		anchors, conditions = nil, withoutMessages(conditions)
	}
	sb.Spec = v1alpha1.StorageBenchmarkSpec{TTLSecondsAfterFinished: sb.Spec.TTLSecondsAfterFinished}
	status := &sb.Status
	sb.Status = v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: status.ObservedGeneration, StartTime: status.StartTime, CompletionTime: status.CompletionTime,
		Conditions: conditions, Anchors: anchors,
	}
}

// withoutMessages returns conditions without their messages, which may take 4 KiB each. Finished benchmarks are outside
// the budget of the caches, and a cluster may have thousands of them.
func withoutMessages(conditions []metav1.Condition) []metav1.Condition {
	bare := slices.Clone(conditions)
	for i := range bare {
		bare[i].Message = ""
	}
	return bare
}

// trimSchedule leaves of a schedule its spec and its status. One that is very large is shortened.
func trimSchedule(s *v1alpha1.StorageBenchmarkSchedule) {
	s.ManagedFields, s.Labels, s.OwnerReferences, s.Finalizers = nil, nil, nil, nil
	s.SelfLink = "" //nolint:staticcheck // As in trimMeta.
	s.Annotations = ReadOf(s.Annotations, scheduleAnnotations)
	if WeightOf(s) > MaxCached {
		shortenSchedule(s)
	}
}

// shortenSchedule leaves no template of a schedule. A pass reads the schedule from the API server.
func shortenSchedule(s *v1alpha1.StorageBenchmarkSchedule) {
	s.Spec.Template = v1alpha1.StorageBenchmarkTemplate{}
}

// IsTrimmed reports whether a benchmark comes from the cache, which has little of it: the API server admits none
// without targets.
func IsTrimmed(sb *v1alpha1.StorageBenchmark) bool { return len(sb.Spec.Targets) == 0 }

// trimMeta leaves who an object is, what it was made for, and by whom. It makes the kept maps and slices anew: one from
// which items are deleted keeps the memory that it had with them.
func trimMeta(meta *metav1.ObjectMeta) {
	meta.Labels, meta.Annotations = ReadOf(meta.Labels, ReadLabels), ReadOf(meta.Annotations, ReadAnnotations)
	meta.OwnerReferences = ControllersOf(meta.OwnerReferences)
	meta.ManagedFields, meta.Finalizers = nil, nil
	meta.SelfLink = "" //nolint:staticcheck // Nobody needs it, and whoever wants to can write it.
}

// ControllersOf returns those of an object's owners that control it, but none that has names which no object has.
func ControllersOf(owners []metav1.OwnerReference) []metav1.OwnerReference {
	var controllers []metav1.OwnerReference
	for _, owner := range owners {
		longest := max(len(owner.APIVersion), len(owner.Kind), len(owner.Name), len(owner.UID))
		if ptr.Deref(owner.Controller, false) && longest <= MaxName {
			controllers = append(controllers, owner)
		}
	}
	return controllers
}

// readFinalizers returns those that the operator knows: of others there may be 200,000.
func readFinalizers(all []string) []string {
	var read []string
	for _, finalizer := range []string{v1alpha1.Finalizer, metav1.FinalizerDeleteDependents} {
		if slices.Contains(all, finalizer) {
			read = append(read, finalizer)
		}
	}
	return read
}

// trimSecurity leaves the group that a pod's volumes are given to.
func trimSecurity(security *corev1.PodSecurityContext) *corev1.PodSecurityContext {
	if security == nil || security.FSGroup == nil {
		return nil
	}
	return &corev1.PodSecurityContext{FSGroup: security.FSGroup}
}

// ReadOf returns of labels or annotations those that are read, and are no longer than they can be.
func ReadOf(all map[string]string, read []string) map[string]string {
	var kept map[string]string
	for _, key := range read {
		value, found := all[key]
		if !found || len(value) > MaxName {
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[key] = value
	}
	return kept
}

// MaxName is the longest that what is read of labels, annotations and references can be: names of objects, and what is
// shorter. The API server has no such bound for most of them, and the status takes none that is longer.
const MaxName = 253

// TrimClaim leaves of a claim's spec which volume it has, and of which kind. The API server takes any name of a volume:
// no volume has one that is longer than names are.
func TrimClaim(spec *corev1.PersistentVolumeClaimSpec) corev1.PersistentVolumeClaimSpec {
	trimmed := corev1.PersistentVolumeClaimSpec{
		VolumeName: spec.VolumeName, VolumeMode: spec.VolumeMode, StorageClassName: spec.StorageClassName,
		VolumeAttributesClassName: spec.VolumeAttributesClassName,
	}
	if len(trimmed.VolumeName) > MaxName {
		trimmed.VolumeName = ""
	}
	return trimmed
}
