package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// printed returns what a function prints.
func printed(write func(*bytes.Buffer)) string {
	var out bytes.Buffer
	write(&out)
	return out.String()
}

// e1Detailed is e1 with results of its runs, of which one target has six.
func e1Detailed() *v1alpha1.StorageBenchmark {
	sb := e1()
	io := sb.Status.Comparisons[0].Targets[1].Of(v1alpha1.OperationWrite).MilliIOPS
	io.ConfidenceLow, io.ConfidenceHigh, io.PValue = new(int64(1_410_000)), new(int64(1_720_000)), "0.0022"
	sb.Status.Comparisons[0].Targets[1].Of(v1alpha1.OperationWrite).P99Nanoseconds.Ratio = "1.85"
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if run.State != v1alpha1.RunSucceeded {
			continue
		}
		run.LimitedBy.UsedPercent = new(int32(97 + i))
		run.Result = &v1alpha1.Result{
			FioVersion: "fio-3.39", ElapsedMilliseconds: 60_000, CPU: &v1alpha1.CPUResult{UserPercent: int32(i), SystemPercent: 9},
			Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 93_600, Bytes: 93_600 << 14, MilliIOPS: 1560_000, BytesPerSecond: 1560 << 14, Latency: &v1alpha1.Latency{MeanNanoseconds: 9_900_000, StddevNanoseconds: 1_200_000}, CompletionLatency: &v1alpha1.LatencyDistribution{
				MinNanoseconds: 1000, P50Nanoseconds: 9_896_000, P90Nanoseconds: 10_028_000, P95Nanoseconds: 10_159_000, P99Nanoseconds: 10_290_000,
				P999Nanoseconds: 12_000_000, P9999Nanoseconds: 25_000_000, MaxNanoseconds: int64(30_000_000 + i),
			}}},
		}
	}
	return sb
}

func TestWide(t *testing.T) {
	const want = `
WORKLOAD   PARAMETERS  TARGET  I/O          RUNS        IOPS      RANGE     95% CI               BANDWIDTH    MEAN  STDDEV     P50     P90     P95     P99   P99.9  P99.99     MAX  CPU            VS GP3  P99 VS GP3  P-VALUE  VERDICT     LIMITED BY        USED
randwrite  bs=16k      gp3     write           2   3048 +-2%  2986-3110             11.9 MiB/s (12.5 MB/s)  5.34ms  1.20ms  5.34ms  10.7ms  10.2ms  21.4ms  12.0ms  25.0ms  30.0ms  usr=2% sys=9%                                           VolumeIOPS         99%
randwrite  bs=16k      efs     write           3  1560 +-12%  1400-1780  1410-1720  6.09 MiB/s (6.39 MB/s)  9.90ms  1.20ms  9.90ms  19.8ms  10.2ms  39.6ms  12.0ms  25.0ms  30.0ms  usr=3% sys=9%   0.51x       1.85x   0.0022  TooFewRuns  Latency (2/3)     101%
randwrite  bs=64k      gp3     write           1        1987                        7.76 MiB/s (8.14 MB/s)  7.96ms  1.20ms  7.96ms  15.9ms  10.2ms  31.9ms  12.0ms  25.0ms  30.0ms  usr=2% sys=9%                                           VolumeThroughput   99%
randwrite  bs=16k      gp3     Failed
randwrite  bs=64k      efs     Running
randwrite  bs=64k      efs     Pending (2)
randwrite  bs=64k      gp3     Pending
`
	sb := e1Detailed()
	sb.Status.Warnings = nil
	got := printed(func(out *bytes.Buffer) { Wide(out, sb, Style{}) })
	if diff := cmp.Diff(want, "\n"+got); diff != "" {
		t.Errorf("wide (-want +got):\n%s", diff)
	}
}

// TestWideWithoutLatencies: where fio took none, there is none in any column.
func TestWideWithoutLatencies(t *testing.T) {
	sb := e1Detailed()
	sb.Status.Warnings, sb.Status.Comparisons = nil, sb.Status.Comparisons[1:]
	io := sb.Status.Comparisons[0].Targets[0].Of(v1alpha1.OperationWrite)
	io.MeanNanoseconds, io.P50Nanoseconds, io.P90Nanoseconds, io.P99Nanoseconds = nil, nil, nil, nil
	sb.Status.Runs = sb.Status.Runs[2:3]
	sb.Status.Runs[0].Result.Of(v1alpha1.OperationWrite).Latency, sb.Status.Runs[0].Result.Of(v1alpha1.OperationWrite).CompletionLatency = nil, nil
	const want = `
WORKLOAD   PARAMETERS  TARGET  I/O    RUNS  IOPS               BANDWIDTH  MEAN  STDDEV  P50  P90  P95  P99  P99.9  P99.99  MAX  CPU            LIMITED BY        USED
randwrite  bs=64k      gp3     write     1  1987  7.76 MiB/s (8.14 MB/s)     -       -    -    -    -    -      -       -    -  usr=2% sys=9%  VolumeThroughput   99%
`
	if diff := cmp.Diff(want, "\n"+printed(func(out *bytes.Buffer) { Wide(out, sb, Style{}) })); diff != "" {
		t.Errorf("wide (-want +got):\n%s", diff)
	}
}

// TestYielding: all columns have a turn of their own to give way, but for those without which a row says nothing.
func TestYielding(t *testing.T) {
	stay := []string{"WORKLOAD", "PARAMETERS", "TARGET", "BENCHMARK", "I/O", "IOPS", "VS GP3", "VERDICT"}
	for _, test := range []struct {
		columns     []figure
		first, last string
	}{
		{shortFigures("gp3"), "P90", "LIMITED BY"},
		{wideFigures("gp3"), "P99 VS GP3", "LIMITED BY"},
	} {
		turns := map[int]string{}
		for _, c := range test.columns {
			if stays := slices.Contains(stay, c.name); stays != (c.yields == 0) {
				t.Errorf("column %s has turn %d", c.name, c.yields)
			}
			if other, taken := turns[c.yields]; taken && c.yields > 0 {
				t.Errorf("columns %s and %s have turn %d", other, c.name, c.yields)
			}
			turns[c.yields] = c.name
		}
		// With one turn for each column that gives way there is none in between that no column has.
		if last := len(test.columns) - len(stay); turns[1] != test.first || turns[last] != test.last {
			t.Errorf("the first to give way is %s and the last %s, want %s and %s", turns[1], turns[last], test.first, test.last)
		}
	}
}

func TestNarrow(t *testing.T) {
	sb := e1()
	sb.Status.Warnings = sb.Status.Warnings[:1]
	for width, want := range map[int]string{
		0: `
WORKLOAD   PARAMETERS  TARGET  I/O                IOPS   BANDWIDTH    MEAN     P50     P90     P99  VS GP3  VERDICT     LIMITED BY
randwrite  bs=16k      gp3     write         3048 +-2%  11.9 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms                      VolumeIOPS
randwrite  bs=16k      efs     write        1560 +-12%  6.09 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms   0.51x  TooFewRuns  Latency (2/3)
randwrite  bs=64k      gp3     write              1987  7.76 MiB/s  7.96ms  7.96ms  15.9ms  31.9ms                      VolumeThroughput
randwrite  bs=16k      gp3     Failed
randwrite  bs=64k      efs     Running
randwrite  bs=64k      efs     Pending (2)
randwrite  bs=64k      gp3     Pending

Warning Spread (1 result): randwrite.bs-16k.efs: IOPS of 3 repetitions go from 1400 to 1780
  Measure for longer.
`,
		80: `
WORKLOAD   PARAMETERS  TARGET  I/O                IOPS  VS GP3  VERDICT
randwrite  bs=16k      gp3     write         3048 +-2%
randwrite  bs=16k      efs     write        1560 +-12%   0.51x  TooFewRuns
randwrite  bs=64k      gp3     write              1987
randwrite  bs=16k      gp3     Failed
randwrite  bs=64k      efs     Running
randwrite  bs=64k      efs     Pending (2)
randwrite  bs=64k      gp3     Pending

Too narrow for: BANDWIDTH, MEAN, P50, P90, P99, LIMITED BY. A pipe has all, such
as to less -S.

Warning Spread (1 result): randwrite.bs-16k.efs: IOPS of 3 repetitions go from
  1400 to 1780
  Measure for longer.
`,
		40: `
WORKLOAD   PARAMETERS  TARGET  I/O     ~
randwrite  bs=16k      gp3     write   ~
randwrite  bs=16k      efs     write   ~
randwrite  bs=64k      gp3     write   ~
randwrite  bs=16k      gp3     Failed  ~
randwrite  bs=64k      efs     Running ~
randwrite  bs=64k      efs     Pending ~
randwrite  bs=64k      gp3     Pending ~

Too narrow for: BANDWIDTH, MEAN, P50,
P90, P99, LIMITED BY. A pipe has all,
such as to less -S.

Warning Spread (1 result):
  randwrite.bs-16k.efs: IOPS of 3
  repetitions go from 1400 to 1780
  Measure for longer.
`,
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			got := printed(func(out *bytes.Buffer) { Table(out, sb, Style{Width: width}) })
			if diff := cmp.Diff(want, "\n"+got); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			for line := range strings.Lines(got) {
				if n := text.StringWidth(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		})
	}
}

// TestColors: verdicts, failures and warnings have a colour, and nothing else; without it the same is printed.
func TestColors(t *testing.T) {
	sb := e2()
	sb.Status.Comparisons[0].Targets[0].Of(v1alpha1.OperationRead).Judged().Verdict = v1alpha1.VerdictFaster
	sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{Workload: "mixed", Target: "gp2", State: v1alpha1.RunFailed})
	sb.Status.Warnings = []v1alpha1.WarningSummary{{Reason: v1alpha1.WarningSpread, Results: 2, Message: "it varies"}}
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{{Run: "mixed.gp2", Attempt: 1, Reason: v1alpha1.AbandonSuspended}}
	colored := printed(func(out *bytes.Buffer) { Table(out, sb, Style{Color: true, Width: 200}) })
	var got []string
	for _, part := range strings.Split(colored, "\x1b[0m")[:strings.Count(colored, "\x1b[0m")] {
		_, painted, _ := strings.Cut(part, "\x1b[")
		got = append(got, painted)
	}
	want := []string{"32mFaster", "31mSlower", "31mFailed", "33mWarning Spread (2 results):", "33mAbandoned:"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is coloured (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(printed(func(out *bytes.Buffer) { Table(out, sb, Style{}) }), text.StripEscape(colored)); diff != "" {
		t.Errorf("without colours (-want +got):\n%s", diff)
	}
}

func TestAbandoned(t *testing.T) {
	begin := metav1.NewTime(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	sb := oneTarget()
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{
		{
			Run: "randrw.gp3", Attempt: 1, Reason: v1alpha1.AbandonDisrupted, Node: "node-1", StartTime: &begin, CompletionTime: new(metav1.NewTime(begin.Add(42 * time.Second))),
			Message: "the pod was evicted:\nlow on \x1b[31mresource",
		},
		{Run: "randrw.gp3", Attempt: 2, Reason: v1alpha1.AbandonSuspended},
	}
	want := `
Abandoned: attempt 1 of randrw.gp3 on node-1 after 42s (Disrupted): the pod was evicted: low on  [31mresource
Abandoned: attempt 2 of randrw.gp3 (Suspended)
`
	got := printed(func(out *bytes.Buffer) { Table(out, sb, Style{}) })
	if _, below, _ := strings.Cut(got, "Running\n"); below != want {
		t.Errorf("below the table (-want +got):\n%s", cmp.Diff(want, below))
	}
}

// TestSectionsOfOneName: figures of the second section are not taken from the first one of that name.
func TestSectionsOfOneName(t *testing.T) {
	section := func(iops int64, bound string) v1alpha1.SectionResult {
		return v1alpha1.SectionResult{Name: "s", Result: v1alpha1.Result{Clients: 2, Figures: v1alpha1.ListOf(spreadOf(2, iops, iops, "0").As(v1alpha1.OperationRead))}, LimitedBy: &v1alpha1.LimitedBy{Reason: bound}}
	}
	comparison := func(iops int64) v1alpha1.Comparison {
		return v1alpha1.Comparison{Workload: "w", Section: "s", Targets: []v1alpha1.TargetComparison{{Name: "t", Runs: 1, Figures: v1alpha1.ListOf(compared(2*iops, 1000).As(v1alpha1.OperationRead))}}}
	}
	sb := &v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{
		Runs: []v1alpha1.Run{{Workload: "w", Target: "t", State: v1alpha1.RunSucceeded, Sections: []v1alpha1.SectionResult{
			section(7, v1alpha1.BoundLatency), section(9, v1alpha1.BoundClientCPU),
		}}},
		Comparisons: []v1alpha1.Comparison{comparison(7), comparison(9)},
	}}
	want := `
WORKLOAD  TARGET  I/O   IOPS    PER CLIENT  BANDWIDTH    MEAN     P50     P90     P99  LIMITED BY
w/s       t       read    14  2 x 7-7 (0.0%)  56.0 KiB/s  2.00us  1.00us  2.00us  4.00us  Latency
w/s       t       read    18  2 x 9-9 (0.0%)  72.0 KiB/s  2.00us  1.00us  2.00us  4.00us  ClientCPU
`
	got := printed(func(out *bytes.Buffer) { Table(out, sb, Style{}) })
	if diff := cmp.Diff(strings.Fields(want), strings.Fields(got)); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestNoControlCharacters: what a job file is called cannot do anything to a terminal.
func TestNoControlCharacters(t *testing.T) {
	sb := e1()
	sb.Status.Comparisons[0].Section = "a\x1b[2J\rb"
	got := printed(func(out *bytes.Buffer) { Table(out, sb, Style{}) })
	if !strings.Contains(got, "randwrite/a [2J b  ") || strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("printed %q", got)
	}
}
