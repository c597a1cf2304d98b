package export

import "github.com/storagebench/storagebench/api/v1alpha1"

// volumeFields are what EBS itself counted of operations during the run, in the direction of the row.
func volumeFields() []field[Measurement] {
	counted := func(name string, of func(*v1alpha1.VolumeOperations) int64) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			if m.Figures == nil || m.VolumeStatistics.Of(m.Figures.Name) == nil {
				return ""
			}
			return wholeIfSet(of(m.VolumeStatistics.Of(m.Figures.Name)))
		}}
	}
	return []field[Measurement]{
		counted("ebs_operations", func(o *v1alpha1.VolumeOperations) int64 { return o.Count }),
		counted("ebs_bytes", func(o *v1alpha1.VolumeOperations) int64 { return o.Bytes }),
		counted("ebs_mean_us", func(o *v1alpha1.VolumeOperations) int64 { return o.MeanMicroseconds }),
		counted("ebs_p50_us", func(o *v1alpha1.VolumeOperations) int64 { return o.P50Microseconds }),
		counted("ebs_p99_us", func(o *v1alpha1.VolumeOperations) int64 { return o.P99Microseconds }),
	}
}
