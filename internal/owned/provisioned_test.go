package owned

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// Volumes are missing as long as not each claim that was made is known to have had one. Those of somebody's claims are not the benchmark's.
func TestProvisioned(t *testing.T) {
	one := []v1alpha1.VolumeStatus{{Name: "pv-1"}}
	for name, test := range map[string]struct {
		clients int32
		begun   bool
		target  v1alpha1.Target
		status  v1alpha1.TargetStatus
		known   int
		missing bool
	}{
		"all are known":     {1, true, builder.NewTarget("t"), v1alpha1.TargetStatus{Volumes: one}, 1, false},
		"none is":           {1, true, builder.NewTarget("t"), v1alpha1.TargetStatus{}, 0, true},
		"one of two is":     {2, true, builder.NewTarget("t"), v1alpha1.TargetStatus{Volumes: one}, 1, true},
		"nothing was begun": {1, false, builder.NewTarget("t"), v1alpha1.TargetStatus{}, 0, false},
		"somebody's claim":  {1, true, builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{Volumes: one}, 0, false},
	} {
		test.status.Name = "t"
		sb := builder.NewBenchmark("ns", "sb").Target(test.target).Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = &test.clients }).Build()
		sb.Status.Targets = []v1alpha1.TargetStatus{test.status}
		if test.begun {
			sb.Status.StartTime = new(metav1.Now())
		}
		if known, missing := Provisioned(sb), AreMissing(sb); len(known) != test.known || missing != test.missing {
			t.Errorf("%s: known are %v, some are missing: %t", name, known, missing)
		}
	}
}

// Whether a volume has a file system is told by its target.
func TestIsOnDevice(t *testing.T) {
	targets := []v1alpha1.TargetStatus{
		{Volumes: []v1alpha1.VolumeStatus{{Name: "files"}}}, {VolumeMode: corev1.PersistentVolumeBlock, Volumes: []v1alpha1.VolumeStatus{{Name: "device"}}},
	}
	for volume, want := range map[string]bool{"files": false, "device": true, "unknown": false} {
		if got := IsOnDevice(targets, volume); got != want {
			t.Errorf("%s: %t, want %t", volume, got, want)
		}
	}
}
