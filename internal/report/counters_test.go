package report

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// counted is a benchmark of which a run has counters.
func counted() *v1alpha1.StorageBenchmark {
	sb := exported()
	run := &sb.Status.Runs[0]
	run.Counters = &v1alpha1.StorageCounters{
		Source: v1alpha1.CountersOfBlockDevice, Reads: 42_012, ReadBytes: 172_081_152, Writes: 235, WriteBytes: 73_728_000, Others: 3, Merges: 17_765,
		BusyMilliseconds: 59_000, QueueMilliseconds: 900_000,
	}
	run.Exceeded = &v1alpha1.ExceededLimits{VolumeIOPSMilliseconds: 58_000, InstanceThroughputMilliseconds: 250}
	return sb
}

// Each row has what was counted in its direction.
func TestCountersInCSV(t *testing.T) {
	var got []map[string]string
	for _, record := range records(t, func(w io.Writer) error { return export.CSV(w, counted()) }) {
		own := map[string]string{}
		for name, cell := range record {
			if strings.HasPrefix(name, "kernel_") || strings.HasPrefix(name, "ebs_") || name == "direction" {
				own[name] = cell
			}
		}
		got = append(got, own)
	}
	row := func(direction, ios, bytes string) map[string]string {
		return map[string]string{
			"direction": direction, "kernel_source": "BlockDevice", "kernel_ios": ios, "kernel_bytes": bytes, "kernel_others": "3", "kernel_merges": "17765",
			"kernel_busy_ms": "59000", "kernel_queue_ms": "900000", "ebs_exceeded_volume_iops_ms": "58000", "ebs_exceeded_volume_throughput_ms": "0",
			"ebs_exceeded_instance_iops_ms": "0", "ebs_exceeded_instance_throughput_ms": "250",
		}
	}
	want := []map[string]string{row("read", "42012", "172081152"), row("write", "235", "73728000"), {"direction": "trim"}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestCountersInWords(t *testing.T) {
	run := counted().Status.Runs[0]
	const both = "By the kernel's count the storage did 42012 reads (164 MiB) and 235 writes (70.3 MiB), and fio 42000 reads (164 MiB) and 18000 writes (70.3 MiB); " +
		"17765 I/Os became part of others before."
	if got := wording.Counters(&run); got != both {
		t.Errorf("words are %q, want %q", got, both)
	}
	if got, want := wording.Exceeded(&run), "EBS itself says that these limits were exceeded: for 96 % of the time the volume's IOPS, for less than 1 % of the time its instance's throughput."; got != want {
		t.Errorf("words are %q, want %q", got, want)
	}
	run.Exceeded = &v1alpha1.ExceededLimits{}
	if got, want := wording.Exceeded(&run), "EBS itself says that no limit of a volume or of its instance was exceeded."; got != want {
		t.Errorf("words are %q, want %q", got, want)
	}
	run.Result, run.Counters = nil, &v1alpha1.StorageCounters{Source: v1alpha1.CountersOfNFS, Retransmissions: 2}
	if got, want := wording.Counters(&run), "By the kernel's count the storage did nothing; 2 operations of NFS were sent again, because no answer came."; got != want {
		t.Errorf("words are %q, want %q", got, want)
	}
	if got := wording.Counters(&v1alpha1.Run{}) + wording.Exceeded(&v1alpha1.Run{}); got != "" {
		t.Errorf("of nothing it says %q", got)
	}
}
