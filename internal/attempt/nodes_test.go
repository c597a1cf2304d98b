package attempt

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A wait for nodes keeps its beginning, and is over when the benchmark has them.
func TestWaitForNode(t *testing.T) {
	first, later := metav1.NewTime(noon), metav1.NewTime(noon.Add(time.Hour))
	var status v1alpha1.StorageBenchmarkStatus
	WaitForNode(&status, first)
	status.NodeFreeSince = &first
	WaitForNode(&status, later)
	if !status.WaitingForNodeSince.Equal(&first) || status.NodeFreeSince != nil {
		t.Errorf("it waits since %s, free since %s", status.WaitingForNodeSince, status.NodeFreeSince)
	}
	EndNodeWait(&status)
	if status.WaitingForNodeSince != nil || status.NodeFreeSince != nil {
		t.Errorf("it waits since %s, free since %s", status.WaitingForNodeSince, status.NodeFreeSince)
	}
}

// Anchors that have not begun begin, and others go on. Who lets nodes go looks for them again. Who yields has others in the place of those that go.
func TestAnchorsInTheStatus(t *testing.T) {
	began, now := metav1.NewTime(noon.Add(-time.Hour)), metav1.NewTime(noon)
	holds := v1alpha1.Anchor{Attempts: 1, StartTime: &began, Pod: "p", Node: "n", InstanceType: "m6i.large"}
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmarkStatus)
		has    []v1alpha1.Anchor
		want   []v1alpha1.Anchor
		waits  *metav1.Time
	}{
		"they begin": {func(s *v1alpha1.StorageBenchmarkStatus) {
			if first := BeginAnchors(s, noon); first != 1 {
				t.Errorf("the first one that begins is %d", first)
			}
		}, []v1alpha1.Anchor{holds, {}, {Attempts: 2, Node: "lost"}}, []v1alpha1.Anchor{holds, {Attempts: 1, StartTime: &now}, {Attempts: 3, StartTime: &now}}, &began},
		"all have begun": {func(s *v1alpha1.StorageBenchmarkStatus) {
			if first := BeginAnchors(s, noon); first != -1 {
				t.Errorf("the first one that begins is %d", first)
			}
		}, []v1alpha1.Anchor{holds}, []v1alpha1.Anchor{holds}, &began},
		"nodes are let go": {ReleaseNodes, []v1alpha1.Anchor{holds}, []v1alpha1.Anchor{{Attempts: 1}}, nil},
		"it yields": {func(s *v1alpha1.StorageBenchmarkStatus) { YieldNodes(s, now) }, []v1alpha1.Anchor{holds},
			[]v1alpha1.Anchor{{Attempts: 2, StartTime: &began}}, &began},
	} {
		status := v1alpha1.StorageBenchmarkStatus{Anchors: test.has, WaitingForNodeSince: &began}
		test.change(&status)
		if diff := cmp.Diff(test.want, status.Anchors); diff != "" {
			t.Errorf("%s: anchors (-want +got):\n%s", name, diff)
		}
		if !status.WaitingForNodeSince.Equal(test.waits) {
			t.Errorf("%s: it waits since %s, want %s", name, status.WaitingForNodeSince, test.waits)
		}
	}
}
