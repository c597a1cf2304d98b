package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func ioResult(iops, p50 int64) *v1alpha1.IOResult {
	return &v1alpha1.IOResult{
		IOPS: iops, BytesPerSecond: iops * 4096, Latency: &v1alpha1.Latency{MeanNanoseconds: p50 + 1000},
		CompletionLatency: &v1alpha1.LatencyDistribution{
			P50Nanoseconds: p50, P90Nanoseconds: 2 * p50, P95Nanoseconds: 3 * p50, P99Nanoseconds: 4 * p50, P999Nanoseconds: 5 * p50, MaxNanoseconds: 1_500_000_000,
		},
	}
}

func status() *v1alpha1.StorageBenchmarkStatus {
	return &v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{
		{Workload: "randrw", Target: "gp3", State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Read: ioResult(3048, 5_342_000), Write: ioResult(1306, 840)}},
		{Workload: "randrw", Target: "efs", State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Write: &v1alpha1.IOResult{IOPS: 7, BytesPerSecond: 28672}}},
		{Workload: "file", Target: "gp3", State: v1alpha1.RunSucceeded, Sections: []v1alpha1.SectionResult{
			{Name: "first", Result: v1alpha1.Result{Read: ioResult(250_000, 99_960)}}, {Name: "second", Result: v1alpha1.Result{Trim: ioResult(10, 12_000_000)}},
		}},
		{Workload: "file", Target: "efs", State: v1alpha1.RunFailed},
		{Workload: "last", Target: "gp3", State: v1alpha1.RunPending},
	}}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	Table(&out, status())
	want := `
WORKLOAD      TARGET   I/O         IOPS    BANDWIDTH     MEAN      P50      P90      P99    P99.9     MAX
randrw        gp3      read        3048   11.9 MiB/s   5.34ms   5.34ms   10.7ms   21.4ms   26.7ms   1.50s
randrw        gp3      write       1306   5.10 MiB/s   1.84us    840ns   1.68us   3.36us   4.20us   1.50s
randrw        efs      write          7   28.0 KiB/s        -
file/first    gp3      read      250000    977 MiB/s    101us    100us    200us    400us    500us   1.50s
file/second   gp3      trim          10   40.0 KiB/s   12.0ms   12.0ms   24.0ms   48.0ms   60.0ms   1.50s
file          efs      Failed
last          gp3      Pending
`
	blanks := regexp.MustCompile(`(?m) +$`)
	if diff := cmp.Diff(want, "\n"+blanks.ReplaceAllString(out.String(), "")); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestTableOfNothing(t *testing.T) {
	var out bytes.Buffer
	Table(&out, &v1alpha1.StorageBenchmarkStatus{})
	if !strings.HasPrefix(out.String(), "WORKLOAD") {
		t.Errorf("table is %q", out.String())
	}
}

func TestSummary(t *testing.T) {
	want := "randrw: gp3 read 3048 IOPS 5.34ms p50 + write 1306 IOPS 840ns p50, efs write 7 IOPS; " +
		"file: gp3 first read 250000 IOPS 100us p50, second trim 10 IOPS 12.0ms p50"
	if diff := cmp.Diff(want, Summary(status())); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if got := Summary(&v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{{State: v1alpha1.RunRunning}}}); got != "" {
		t.Errorf("summary of no result is %q", got)
	}
}

func TestLongSummary(t *testing.T) {
	long := status()
	for range 50 {
		long.Runs = append(long.Runs, long.Runs[0])
	}
	got := Summary(long)
	if len(got) > maxSummary+len(" …") || !strings.HasSuffix(got, " …") || strings.HasSuffix(got, ", …") {
		t.Errorf("summary of %d bytes: %q", len(got), got)
	}
}

func TestUnits(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0ns", 999: "999ns", 1000: "1.00us", 9_995: "10.0us", 99_949: "99.9us", 99_950: "100us", 999_499: "999us", 5_342_000: "5.34ms", 8_590_000_000: "8.59s", 120_000_000_000: "120s",
	} {
		if got := latency(ns); got != want {
			t.Errorf("latency(%d) is %s, want %s", ns, got, want)
		}
	}
	for b, want := range map[int64]string{
		0: "0 B/s", 1023: "1023 B/s", 1024: "1.00 KiB/s", 49_951_000: "47.6 MiB/s", 1 << 30: "1.00 GiB/s", 1 << 41: "2048 GiB/s",
	} {
		if got := bandwidth(b); got != want {
			t.Errorf("bandwidth(%d) is %s, want %s", b, got, want)
		}
	}
}
