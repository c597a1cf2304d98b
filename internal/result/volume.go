package result

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// volumeStatistics returns what EBS itself counted of a run's operations, nil if that is not known.
func volumeStatistics(report *digest.Report) *v1alpha1.VolumeStatistics {
	v := report.Environment.Volume
	if v == nil {
		return nil
	}
	statistics := &v1alpha1.VolumeStatistics{}
	for _, kind := range []struct {
		name string
		of   *digest.VolumeOperations
	}{{v1alpha1.OperationRead, &v.Read}, {v1alpha1.OperationWrite, &v.Write}} {
		if kind.of.Count == 0 {
			continue
		}
		statistics.Operations = append(statistics.Operations, v1alpha1.VolumeOperations{
			Name: kind.name, Count: kind.of.Count, Bytes: kind.of.Bytes,
			MeanMicroseconds: kind.of.Microseconds / kind.of.Count, P50Microseconds: kind.of.P50, P99Microseconds: kind.of.P99,
		})
	}
	return statistics
}
