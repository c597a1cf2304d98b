package wording

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Counters says what the kernel counted of the storage during a run, beside what fio did; "" if it counted nothing.
func Counters(run *v1alpha1.Run) string {
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

// Exceeded says for how long limits were exceeded during a run, as EBS itself says; "" if it says nothing.
func Exceeded(run *v1alpha1.Run) string {
	e := run.Exceeded
	if e == nil {
		return ""
	}
	var parts []string
	together := int64(0)
	for _, result := range run.Results() {
		together += result.ElapsedMilliseconds * int64(run.ClientCount())
	}
	add := func(milliseconds int64, what string) {
		if milliseconds > 0 {
			parts = append(parts, partOf(milliseconds, together)+" "+what)
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

// partOf prints for how much of a time something went on: in percent, as the time may be that of several volumes together.
func partOf(milliseconds, of int64) string {
	switch percent := 100 * milliseconds / max(of, 1); {
	case of == 0:
		return Latency(milliseconds * 1e6)
	case percent < 1:
		return "less than 1 % of the time"
	default:
		return fmt.Sprintf("%d %% of the time", min(percent, 100))
	}
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
