package wording

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestBounds: every bound of the API has words.
func TestBounds(t *testing.T) {
	for _, name := range []string{
		v1alpha1.BoundVolumeIOPS, v1alpha1.BoundVolumeThroughput, v1alpha1.BoundFileSystemIOPS, v1alpha1.BoundFileSystemThroughput, v1alpha1.BoundClientIOPS,
		v1alpha1.BoundClientThroughput, v1alpha1.BoundInstanceIOPS, v1alpha1.BoundInstanceThroughput, v1alpha1.BoundWorkloadRate, v1alpha1.BoundClientCPU,
		v1alpha1.BoundStorage, v1alpha1.BoundLatency, v1alpha1.BoundUnknown,
	} {
		if bounds[name] == "" {
			t.Errorf("no words for %s", name)
		}
	}
}
