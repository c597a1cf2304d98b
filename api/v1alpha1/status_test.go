package v1alpha1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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

// UIDs of claims are set and found by the names of the claims, also where an older operator has dropped the claims.
func TestClaimUID(t *testing.T) {
	target := TargetStatus{Claims: []ClaimStatus{{Name: "a", UID: "1"}, {Name: "b"}}}
	target.SetClaimUID("b", "2")
	target.SetClaimUID("c", "3")
	for name, want := range map[string]types.UID{"a": "1", "b": "2", "c": "3", "d": ""} {
		if got := target.ClaimUID(name); got != want {
			t.Errorf("claim %s has UID %q, want %q", name, got, want)
		}
	}
}
