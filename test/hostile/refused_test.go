package hostile

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// What is small as text and large in memory, or large where nobody needs it, never comes to the operator: the API server refuses it.
// The groups are as many as a request can have; the API server takes seconds for so many of each other thing, and refuses them for the same bound.
func TestRefusedObjects(t *testing.T) {
	c := envtest.Client(t)
	namespace := envtest.Namespace(t, c)
	large := strings.Repeat("x", 1_300_000)
	placement := func(p v1alpha1.Placement) func(*v1alpha1.StorageBenchmark) {
		return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement = &p }
	}
	affinity := func(a corev1.NodeSelector) func(*v1alpha1.StorageBenchmark) {
		return placement(v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &a}}})
	}
	matrix := func(m map[string]v1alpha1.MatrixValues) func(*v1alpha1.StorageBenchmark) {
		return func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Matrix = m }
	}
	for _, test := range []struct {
		name        string
		spec        func(*v1alpha1.StorageBenchmark)
		path, words string
	}{
		{"terms of an affinity", affinity(corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 20_000)}),
			"spec.placement.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms", "must have at most 32 items"},
		{"values of an affinity", affinity(corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "a", Operator: corev1.NodeSelectorOpIn, Values: make([]string, 20_000)}},
		}}}), "matchExpressions[0].values", "must have at most 256 items"},
		{"value of a nodeSelector", placement(v1alpha1.Placement{NodeSelector: map[string]string{"a": large}}),
			"spec.placement.nodeSelector", "may not be more than 4096 bytes"},
		{"key of a nodeSelector", placement(v1alpha1.Placement{NodeSelector: map[string]string{large: "a"}}),
			"spec.placement", "a name in it may have at most 317 characters; choose a shorter one"},
		{"toleration", placement(v1alpha1.Placement{Tolerations: []corev1.Toleration{{Value: large}}}),
			"spec.placement.tolerations[0].value", "may not be more than 4096 bytes"},
		{"annotation of pods", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{Annotations: map[string]string{"a": large}}
		}, "spec.pod.annotations", "may not be more than 4096 bytes"},
		{"resources of pods", func(sb *v1alpha1.StorageBenchmark) {
			limits := corev1.ResourceList{}
			for i := range 4_000 {
				limits[corev1.ResourceName(fmt.Sprintf("example.com/%d", i))] = resource.MustParse("1")
			}
			sb.Spec.Pod = &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{Limits: limits}}
		}, "spec.pod.resources.limits", "must have at most 32 items"},
		{"groups of pods", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{SupplementalGroups: make([]int64, 400_000)}}
		}, "spec.pod.securityContext.supplementalGroups", "must have at most 256 items"},
		{"value of a matrix", matrix(map[string]v1alpha1.MatrixValues{"bs": {intstr.FromString(large)}}),
			"spec.workloads[0].matrix.bs[0]", "may not be more than 256 bytes"},
		{"name in a matrix", matrix(map[string]v1alpha1.MatrixValues{large: {intstr.FromInt32(1)}}),
			"spec.workloads[0]", "a name in it may have at most 317 characters; choose a shorter one"},
		{"name of an option", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{large: "1"}
		}, "spec.workloads[0]", "a name in it may have at most 317 characters; choose a shorter one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := c.Create(t.Context(), builder.OneRun(namespace, "refused").With(test.spec).Build())
			if !apierrors.IsInvalid(err) {
				t.Fatalf("it is not refused: %.500v", err)
			}
			said := strings.ReplaceAll(err.Error(), large, "LARGE")
			if !strings.Contains(said, test.path) || !strings.Contains(said, test.words) {
				t.Errorf("%.2000s\nlacks %q or %q", said, test.path, test.words)
			}
		})
	}
}
