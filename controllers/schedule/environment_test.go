package schedule

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The node is the first one that a volume was measured from.
func TestNodeOf(t *testing.T) {
	on := func(nodes ...string) v1alpha1.TargetStatus {
		var target v1alpha1.TargetStatus
		for _, node := range nodes {
			target.Volumes = append(target.Volumes, v1alpha1.VolumeStatus{Node: node})
		}
		return target
	}
	for name, row := range map[string]struct {
		targets []v1alpha1.TargetStatus
		want    string
	}{
		"no target":              {nil, ""},
		"no volume":              {[]v1alpha1.TargetStatus{on()}, ""},
		"a node":                 {[]v1alpha1.TargetStatus{on("a", "b")}, "a"},
		"the first has none":     {[]v1alpha1.TargetStatus{on("", "b")}, "b"},
		"the first target waits": {[]v1alpha1.TargetStatus{on(""), on("c")}, "c"},
	} {
		sb := &v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{Targets: row.targets}}
		if got := nodeOf(sb); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
