package jobspec

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
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
		b := Benchmark{EBSMetricsURL: test.url}
		if got := b.ebsMetricsFor(&v1alpha1.TargetStatus{Name: "t", Driver: test.driver}, test.mode); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
