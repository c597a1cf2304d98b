package v1alpha1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// For a target that is not in the status, Target returns a status that is not part of it.
func TestTarget(t *testing.T) {
	var status StorageBenchmarkStatus
	status.Target("fast").Driver = "lost"
	status.Targets = []TargetStatus{{Name: "slow"}, {Name: "fast"}}
	status.Target("fast").Driver = "kept"
	if status.Targets[0].Driver != "" || status.Targets[1].Driver != "kept" {
		t.Errorf("targets are %+v", status.Targets)
	}
}

// Only where each pod has a volume for itself does no anchor mount it.
func TestIsForOnePod(t *testing.T) {
	for mode, want := range map[corev1.PersistentVolumeAccessMode]bool{
		corev1.ReadWriteOncePod: true, corev1.ReadWriteOnce: false, corev1.ReadWriteMany: false, corev1.ReadOnlyMany: false,
	} {
		target := &TargetStatus{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, mode}}
		if got := target.IsForOnePod(); got != want {
			t.Errorf("%s: %t, want %t", mode, got, want)
		}
	}
}

// Without an anchor of its own a client has no node yet.
func TestNodeOf(t *testing.T) {
	status := &StorageBenchmarkStatus{Anchors: []Anchor{{Node: "a"}, {}}}
	for client, want := range []string{"a", "", ""} {
		if got := status.NodeOf(int32(client)); got != want {
			t.Errorf("client %d has node %q, want %q", client, got, want)
		}
	}
}

// What was measured before the claim was replaced was measured on another volume.
func TestRunsOn(t *testing.T) {
	status := &StorageBenchmarkStatus{Runs: []Run{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	for name, test := range map[string]struct {
		target TargetStatus
		first  string
	}{"as it was": {TargetStatus{}, "a"}, "replaced": {TargetStatus{RunsBeforeReplacement: new(int32(2))}, "c"}} {
		if got := status.RunsOn(&test.target); len(got) == 0 || got[0].Name != test.first {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := status.RunsOn(&TargetStatus{RunsBeforeReplacement: new(int32(3))}); len(got) > 0 {
		t.Errorf("after all: %+v", got)
	}
}
