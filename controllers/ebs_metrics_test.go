package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// Runs ask EBS only about its own volumes, in a mode in which the driver has metrics of them, and only if the operator is told where.
func TestWhoAsksEBS(t *testing.T) {
	const url = "http://exporter/metrics"
	for _, test := range []struct {
		name, url, driver string
		mode              corev1.PersistentVolumeMode
		want              string
	}{
		{"a volume of EBS", url, storage.EBSDriver, corev1.PersistentVolumeFilesystem, url},
		{"no address", "", storage.EBSDriver, corev1.PersistentVolumeFilesystem, ""},
		{"another driver", url, storage.EFSDriver, corev1.PersistentVolumeFilesystem, ""},
		{"EKS Auto Mode", url, storage.EBSAutoModeDriver, corev1.PersistentVolumeFilesystem, ""},
		{"a raw block volume", url, storage.EBSDriver, corev1.PersistentVolumeBlock, ""},
	} {
		s := &scope{ebsMetricsURL: test.url, sb: &v1alpha1.StorageBenchmark{}}
		s.sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Driver: test.driver}}
		target := builder.NewTarget("t")
		if got := s.ebsMetricsFor(&target, test.mode); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A volume has the driver's name for it as soon as that is known.
func TestVolumeID(t *testing.T) {
	bound := func(volume string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume}}
	}
	s := &scope{claims: map[string]*corev1.PersistentVolumeClaim{"c-0": bound("pv-0"), "c-1": bound("pv-1"), "c-2": bound("")}}
	one := []v1alpha1.VolumeStatus{{Name: "pv-1", Handle: "vol-1"}}
	two := []v1alpha1.VolumeStatus{{Name: "pv-0", Handle: "vol-0"}, {Name: "pv-1", Handle: "vol-1"}}
	for _, test := range []struct {
		name    string
		claims  []string
		volumes []v1alpha1.VolumeStatus
		claim   string
		want    string
	}{
		{"not bound yet", []string{"c-2"}, nil, "c-2", ""},
		{"the only one", []string{"mine"}, one, "mine", "vol-1"},
		{"the first of several", []string{"c-0", "c-1", "c-2"}, two, "c-0", "vol-0"},
		{"the second of several", []string{"c-0", "c-1", "c-2"}, two, "c-1", "vol-1"},
		{"of several the one that is known", []string{"c-0", "c-1", "c-2"}, one, "c-1", "vol-1"},
		{"of several one that is not recorded yet", []string{"c-0", "c-1", "c-2"}, one, "c-0", ""},
		{"of several one that is not bound yet", []string{"c-0", "c-1", "c-2"}, two, "c-2", ""},
		{"a claim that nobody knows", []string{"c-0", "c-1"}, two, "c-9", ""},
	} {
		if got := s.volumeID(&v1alpha1.TargetStatus{Claims: test.claims, Volumes: test.volumes}, test.claim); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
