package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
)

// Of a benchmark the cache has which schedule it is of, also when it has ended.
func TestTrimLeavesTheSchedule(t *testing.T) {
	sb := builder.OneRun("a", "b").Build()
	owner := metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmarkSchedule", Name: "nightly", UID: "uid", Controller: new(true)}
	sb.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "other"}, owner}
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue}}
	world.Trim(sb)
	if diff := cmp.Diff([]metav1.OwnerReference{owner}, sb.OwnerReferences); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}

// Of a schedule it has what is read, and of a large one no template.
func TestTrimSchedule(t *testing.T) {
	for name, test := range map[string]struct {
		bytes   int
		targets int
	}{"small": {1 << 10, 1}, "large": {world.MaxCached, 0}} {
		t.Run(name, func(t *testing.T) {
			s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{
				Name: "nightly", Labels: map[string]string{"a": "b"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
				Annotations: map[string]string{"a": "b", v1alpha1.AnnotationAcknowledged: "2026-11-24T00:00:00Z"},
			}}
			s.Spec.Template.Spec = builder.OneRun("", "").Build().Spec
			s.Spec.Template.Metadata.Annotations = map[string]string{"filler": strings.Repeat("x", test.bytes)}
			world.Trim(s)
			if len(s.Spec.Template.Spec.Targets) != test.targets || len(s.Annotations) != 1 || s.Labels != nil || s.ManagedFields != nil {
				t.Errorf("%d targets, metadata %+v", len(s.Spec.Template.Spec.Targets), s.ObjectMeta)
			}
		})
	}
}
