package controllers

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// The operator keeps all StorageBenchmarks in memory, and all Jobs, pods and claims that have its label, which anybody can set, on objects of up
// to 1.5 MiB. So it keeps of them only what it reads. What others have written there is lost to it, and not to them: it changes objects by patches.

var (
	readLabels = []string{
		v1alpha1.LabelManagedBy, v1alpha1.LabelBenchmark, v1alpha1.LabelTarget, v1alpha1.LabelRole, v1alpha1.LabelAttempt, v1alpha1.LabelClient, v1alpha1.LabelHoldsNode,
	}
	readAnnotations = []string{v1alpha1.AnnotationRun, v1alpha1.AnnotationStartTime, v1alpha1.AnnotationNudged, provisionerAnnotation}
)

// Trim leaves of an object what the operator reads of it, before it is cached.
func Trim(object any) (any, error) {
	switch o := object.(type) {
	case *batchv1.Job:
		trimMeta(&o.ObjectMeta)
		trimMeta(&o.Spec.Template.ObjectMeta)
		o.Spec = batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: o.Spec.Template.ObjectMeta}}
	case *corev1.Pod:
		trimMeta(&o.ObjectMeta)
		o.Spec = corev1.PodSpec{NodeName: o.Spec.NodeName, Containers: job.TrimContainers(o.Spec.Containers)}
	case *corev1.PersistentVolumeClaim:
		trimMeta(&o.ObjectMeta)
		o.Spec.Selector, o.Spec.AccessModes = nil, nil
	case *v1alpha1.StorageBenchmark:
		trimBenchmark(o)
	}
	return object, nil
}

// trimBenchmark leaves of a benchmark its spec and its status, and of one that has ended when and how it did: its results may be 1 MiB, and
// who needs them reads them anew.
func trimBenchmark(sb *v1alpha1.StorageBenchmark) {
	sb.ManagedFields, sb.Annotations, sb.Labels, sb.OwnerReferences = nil, nil, nil, nil
	if !hasEnded(sb) {
		return
	}
	sb.Spec = v1alpha1.StorageBenchmarkSpec{TTLSecondsAfterFinished: sb.Spec.TTLSecondsAfterFinished}
	status := &sb.Status
	sb.Status = v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: status.ObservedGeneration, StartTime: status.StartTime, CompletionTime: status.CompletionTime, Conditions: status.Conditions,
	}
}

// hasEnded says whether a benchmark has ended, clean-up included.
func hasEnded(sb *v1alpha1.StorageBenchmark) bool {
	end := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded)
	return end != nil && end.Status != metav1.ConditionUnknown
}

// trimMeta leaves who an object is, what it was made for, and by whom.
func trimMeta(meta *metav1.ObjectMeta) {
	unread := func(read []string) func(string, string) bool {
		return func(key, _ string) bool { return !slices.Contains(read, key) }
	}
	maps.DeleteFunc(meta.Labels, unread(readLabels))
	maps.DeleteFunc(meta.Annotations, unread(readAnnotations))
	meta.OwnerReferences = slices.DeleteFunc(meta.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Controller == nil || !*o.Controller })
	meta.ManagedFields, meta.Finalizers = nil, nil
}
