package report

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// countersInWords says what the kernel counted of the storage during a run, beside what fio did; "" if it counted nothing.
func countersInWords(run *v1alpha1.Run) string {
	c := run.Counters
	if c == nil {
		return ""
	}
	words := "By the kernel's count the storage did " + amounts(c.Reads, c.ReadBytes, c.Writes, c.WriteBytes)
	if r := run.Result; r != nil && r.Of(v1alpha1.OperationMetadata) == nil {
		words += ", and fio " + amounts(amountsOf(r))
	}
	if c.Merges > 0 {
		words += fmt.Sprintf("; %s became part of others before", humanize.Plural(int(c.Merges), "I/O"))
	}
	if c.Retransmissions > 0 {
		words += fmt.Sprintf("; %d operations of NFS were sent again, because no answer came", c.Retransmissions)
	}
	return words + "."
}

// exceededInWords says for how long limits were exceeded during a run, as EBS itself says; "" if it says nothing.
func exceededInWords(run *v1alpha1.Run) string {
	e := run.Exceeded
	if e == nil {
		return ""
	}
	var parts []string
	add := func(milliseconds int64, what string) {
		if milliseconds > 0 {
			parts = append(parts, latency(milliseconds*1e6)+" "+what)
		}
	}
	add(e.VolumeIOPSMilliseconds, "the volume's IOPS")
	add(e.VolumeThroughputMilliseconds, "the volume's throughput")
	add(e.InstanceIOPSMilliseconds, "its instance's IOPS")
	add(e.InstanceThroughputMilliseconds, "its instance's throughput")
	if len(parts) == 0 {
		return "EBS itself says that no limit of a volume or of its instance was exceeded."
	}
	return "EBS itself says that these limits were exceeded: for " + strings.Join(parts, ", for ") + "."
}

func amountsOf(r *v1alpha1.Result) (reads, readBytes, writes, writeBytes int64) {
	if r.Of(v1alpha1.OperationRead) != nil {
		reads, readBytes = r.Of(v1alpha1.OperationRead).Count, r.Of(v1alpha1.OperationRead).Bytes
	}
	if r.Of(v1alpha1.OperationWrite) != nil {
		writes, writeBytes = r.Of(v1alpha1.OperationWrite).Count, r.Of(v1alpha1.OperationWrite).Bytes
	}
	return reads, readBytes, writes, writeBytes
}

// amounts is such as "12 reads (48 KiB) and 235 writes (256 MiB)".
func amounts(reads, readBytes, writes, writeBytes int64) string {
	var parts []string
	add := func(ios, bytes int64, what string) {
		if ios > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", humanize.Plural(int(ios), what), humanize.Scaled(float64(bytes), 1024, " B", " KiB", " MiB", " GiB", " TiB")))
		}
	}
	add(reads, readBytes, v1alpha1.OperationRead)
	add(writes, writeBytes, v1alpha1.OperationWrite)
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " and ")
}

// counterFields are what the kernel counted of the storage during the run, in the direction of the row, and what EBS itself says of it.
func counterFields() []field[Measurement] {
	counted := func(name string, of func(*v1alpha1.StorageCounters) string) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			if m.Counters == nil {
				return ""
			}
			return of(m.Counters)
		}}
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
	exceeded := func(name string, of func(*v1alpha1.ExceededLimits) int64) field[Measurement] {
		return field[Measurement]{name, func(m *Measurement) string {
			if m.Exceeded == nil {
				return ""
			}
			return whole(of(m.Exceeded))
		}}
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
		exceeded("ebs_exceeded_volume_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeIOPSMilliseconds }),
		exceeded("ebs_exceeded_volume_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.VolumeThroughputMilliseconds }),
		exceeded("ebs_exceeded_instance_iops_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceIOPSMilliseconds }),
		exceeded("ebs_exceeded_instance_throughput_ms", func(e *v1alpha1.ExceededLimits) int64 { return e.InstanceThroughputMilliseconds }),
	}
}
