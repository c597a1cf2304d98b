package report

import (
	"io"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// What EBS itself counted is told beside fio's figures.
func TestVolumeStatistics(t *testing.T) {
	sb := exported()
	run := &sb.Status.Runs[0]
	if got := volumeInWords(run); got != "" {
		t.Errorf("of a volume of which nothing is known: %q", got)
	}
	run.VolumeStatistics = &v1alpha1.VolumeStatistics{}
	if got, want := volumeInWords(run), "EBS itself counted no operation."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	run.VolumeStatistics.Operations = []v1alpha1.VolumeOperations{
		{Name: v1alpha1.OperationRead, Count: 42_000, Bytes: 1 << 30, MeanMicroseconds: 600, P50Microseconds: 512, P99Microseconds: 1024}, {Name: v1alpha1.OperationWrite, Count: 90_000},
	}
	by := run.Result.Of(v1alpha1.OperationRead).CompletionLatency
	want := "EBS itself counted 42000 reads: half of them took at most 512us, 99 of 100 1.02ms (by fio " + wording.AtMost(by.P50Nanoseconds) + " and " + wording.AtMost(by.P99Nanoseconds) +
		"), and 90000 writes. EBS counted 2.2 operations for each I/O of fio: they were split, or the file system adds its own."
	if got := volumeInWords(run); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows := records(t, func(w io.Writer) error { return export.CSV(w, sb) })
	for name, want := range map[string]string{"ebs_operations": "42000", "ebs_bytes": "1073741824", "ebs_mean_us": "600", "ebs_p50_us": "512", "ebs_p99_us": "1024"} {
		if rows[0][name] != want {
			t.Errorf("%s is %q, want %s", name, rows[0][name], want)
		}
	}
	if got := rows[1]["ebs_operations"] + " " + rows[1]["ebs_p99_us"]; got != "90000 " {
		t.Errorf("writes are %q", got)
	}
	run.Result = nil // sections
	if got, want := volumeInWords(run), "EBS itself counted 42000 reads: half of them took at most 512us, 99 of 100 1.02ms, and 90000 writes."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
