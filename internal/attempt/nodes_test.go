package attempt

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Anchors that have not begun begin, and others go on. Who lets nodes go looks for them again. Who yields has others in the place of those that go.
func TestAnchorsInTheStatus(t *testing.T) {
	began, now := metav1.NewTime(noon.Add(-time.Hour)), metav1.NewTime(noon)
	holds := v1alpha1.Anchor{Attempts: 1, StartTime: &began, Pod: "p", Node: "n", InstanceType: "m6i.large"}
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmarkStatus)
		has    []v1alpha1.Anchor
		want   []v1alpha1.Anchor
	}{
		"they begin": {func(s *v1alpha1.StorageBenchmarkStatus) {
			if first := BeginAnchors(s, noon); first != 1 {
				t.Errorf("the first one that begins is %d", first)
			}
		}, []v1alpha1.Anchor{holds, {}, {Attempts: 2, Node: "lost"}}, []v1alpha1.Anchor{holds, {Attempts: 1, StartTime: &now}, {Attempts: 3, StartTime: &now}}},
		"all have begun": {func(s *v1alpha1.StorageBenchmarkStatus) {
			if first := BeginAnchors(s, noon); first != -1 {
				t.Errorf("the first one that begins is %d", first)
			}
		}, []v1alpha1.Anchor{holds}, []v1alpha1.Anchor{holds}},
		"nodes are let go": {ReleaseNodes, []v1alpha1.Anchor{holds}, []v1alpha1.Anchor{{Attempts: 1}}},
		"it yields": {YieldNodes, []v1alpha1.Anchor{holds},
			[]v1alpha1.Anchor{{Attempts: 2, StartTime: &began}}},
	} {
		status := v1alpha1.StorageBenchmarkStatus{Anchors: test.has}
		test.change(&status)
		if diff := cmp.Diff(test.want, status.Anchors); diff != "" {
			t.Errorf("%s: anchors (-want +got):\n%s", name, diff)
		}
	}
}
