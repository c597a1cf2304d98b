package export

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
)

// counterFields are what the kernel counted of the storage during the run, in the direction of the row, and what EBS itself says of it.
func counterFields() []field[Measurement] {
	counted := func(name string, of func(*v1alpha1.StorageCounters) string) field[Measurement] {
		return field[Measurement]{name, optional(counters, of)}
	}
	inDirection := func(name string, reads, writes func(*v1alpha1.StorageCounters) int64) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			switch {
			case m.Counters == nil || m.Figures == nil:
				return ""
			case m.Figures.Name == v1alpha1.OperationRead:
				return whole(reads(m.Counters))
			case m.Figures.Name == v1alpha1.OperationWrite:
				return whole(writes(m.Counters))
			}
			return ""
		}}
	}
	ofEBS := func(name string, of func(*v1alpha1.ExceededLimits) int64) field[Measurement] {
		return field[Measurement]{name, optional(exceeded, func(e *v1alpha1.ExceededLimits) string { return whole(of(e)) })}
	}
	return []field[Measurement]{
		counted("kernel_source", func(c *v1alpha1.StorageCounters) string { return string(c.Source) }),
		inDirection("kernel_ios", func(c *v1alpha1.StorageCounters) int64 { return c.Reads }, func(c *v1alpha1.StorageCounters) int64 { return c.Writes }),
		inDirection("kernel_bytes", func(c *v1alpha1.StorageCounters) int64 { return c.ReadBytes }, func(c *v1alpha1.StorageCounters) int64 { return c.WriteBytes }),
		counted("kernel_others", func(c *v1alpha1.StorageCounters) string { return whole(c.Others) }),
		counted("kernel_merges", func(c *v1alpha1.StorageCounters) string { return whole(c.Merges) }),
		counted("kernel_busy_ms", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.BusyMilliseconds) }),
		counted("kernel_retransmissions", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.Retransmissions) }),
		counted("kernel_queue_ms", func(c *v1alpha1.StorageCounters) string { return wholeIfSet(c.QueueMilliseconds) }),
		ofEBS("ebs_exceeded_volume_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeIOPSMilliseconds }),
		ofEBS("ebs_exceeded_volume_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeThroughputMilliseconds }),
		ofEBS("ebs_exceeded_instance_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceIOPSMilliseconds }),
		ofEBS("ebs_exceeded_instance_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceThroughputMilliseconds }),
	}
}
