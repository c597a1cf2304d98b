package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/test/builder"
)

func statistic(median int64) v1alpha1.Statistic {
	return v1alpha1.Statistic{Median: median}
}

// compared returns reads or writes of 4 KiB.
func compared(iops, p50 int64) *v1alpha1.FiguresComparison {
	return &v1alpha1.FiguresComparison{MilliIOPS: builder.Milli(statistic(iops)), BytesPerSecond: new(statistic(iops * 4096)), MeanNanoseconds: new(statistic(p50 + 1000)), P50Nanoseconds: new(statistic(p50)), P90Nanoseconds: new(statistic(2 * p50)), P99Nanoseconds: new(statistic(4 * p50))}
}

// beside returns what is beside the baseline, with a range of IOPS.
func beside(io *v1alpha1.FiguresComparison, low, high int64, ratio string, verdict v1alpha1.Verdict) *v1alpha1.FiguresComparison {
	io.MilliIOPS.Min, io.MilliIOPS.Max, io.MilliIOPS.Ratio, io.Judged().Verdict = new(1000*low), new(1000*high), ratio, verdict
	return io
}

// measured returns a run that has a result.
func measured(target, workload string, choice map[string]string, bound string) v1alpha1.Run {
	return v1alpha1.Run{
		Target: target, Workload: workload, Parameters: choice, State: v1alpha1.RunSucceeded, LimitedBy: &v1alpha1.LimitedBy{Reason: bound},
	}
}

// oneTarget is a benchmark of one target and one repetition, with a job file, before its end.
func oneTarget() *v1alpha1.StorageBenchmark {
	failed := v1alpha1.Run{Target: "gp3", Workload: "failed", State: v1alpha1.RunFailed}
	running := v1alpha1.Run{Target: "gp3", Workload: "last", State: v1alpha1.RunRunning}
	return &v1alpha1.StorageBenchmark{
		Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}}},
		Status: v1alpha1.StorageBenchmarkStatus{
			Runs: []v1alpha1.Run{
				{Target: "gp3", Workload: "randrw", State: v1alpha1.RunSucceeded}, failed,
				{Target: "gp3", Workload: "file", State: v1alpha1.RunSucceeded}, running,
			},
			Comparisons: []v1alpha1.Comparison{
				{Workload: "randrw", Targets: []v1alpha1.TargetComparison{{
					Name: "gp3", Runs: 1, Figures: v1alpha1.ListOf(compared(3048, 5_342_000).As(v1alpha1.OperationRead), compared(1306, 840).As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MilliIOPS: builder.Milli(statistic(4354)), BytesPerSecond: new(statistic(4354 * 4096))}).As(v1alpha1.OperationTotal)),
				}}},
				{Workload: "file", Section: "first", Targets: []v1alpha1.TargetComparison{{Name: "gp3", Runs: 1, Figures: v1alpha1.ListOf(compared(250_000, 99_960).As(v1alpha1.OperationRead))}}},
				{Workload: "file", Section: "second", Targets: []v1alpha1.TargetComparison{{
					Name: "gp3", Runs: 1, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationTrim, MilliIOPS: builder.Milli(statistic(7)), BytesPerSecond: new(statistic(28672))}},
				}}},
			},
		},
	}
}

// e1 is what Classmethod published of gp3 and EFS, as if measured three times with one run of the last case to go.
func e1() *v1alpha1.StorageBenchmark {
	small, large := map[string]string{"bs": "16k"}, map[string]string{"bs": "64k"}
	pending := v1alpha1.Run{Target: "efs", Workload: "randwrite", Parameters: large, State: v1alpha1.RunPending}
	running := pending
	running.State = v1alpha1.RunRunning
	other := pending
	other.Target = "gp3"
	return &v1alpha1.StorageBenchmark{
		Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Repetitions: new(int32(3))},
		Status: v1alpha1.StorageBenchmarkStatus{
			Runs: []v1alpha1.Run{
				measured("gp3", "randwrite", small, v1alpha1.BoundVolumeIOPS), measured("efs", "randwrite", small, v1alpha1.BoundUnknown),
				measured("gp3", "randwrite", large, v1alpha1.BoundVolumeThroughput), measured("efs", "randwrite", small, v1alpha1.BoundLatency),
				measured("gp3", "randwrite", small, v1alpha1.BoundVolumeIOPS), measured("efs", "randwrite", small, v1alpha1.BoundLatency),
				measured("gp3", "another", small, v1alpha1.BoundClientCPU),
				{Target: "gp3", Workload: "randwrite", Parameters: small, State: v1alpha1.RunFailed, LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU}},
				running, pending, other, pending,
			},
			Comparisons: []v1alpha1.Comparison{
				{Workload: "randwrite", Parameters: small, Targets: []v1alpha1.TargetComparison{
					{Name: "gp3", Runs: 2, Figures: v1alpha1.ListOf(beside(compared(3048, 5_342_000), 2986, 3110, "", "").As(v1alpha1.OperationWrite))},
					{Name: "efs", Runs: 3, Figures: v1alpha1.ListOf(beside(compared(1560, 9_896_000), 1400, 1780, "0.51", v1alpha1.VerdictTooFewRuns).As(v1alpha1.OperationWrite))},
				}},
				{Workload: "randwrite", Parameters: large, Targets: []v1alpha1.TargetComparison{
					{Name: "gp3", Runs: 1, Figures: v1alpha1.ListOf(beside(compared(1987, 7_963_000), 1987, 1987, "", "").As(v1alpha1.OperationWrite))},
				}},
			},
			Warnings: []v1alpha1.WarningSummary{
				{Reason: v1alpha1.WarningSpread, Results: 1, Message: "randwrite.bs-16k.efs: IOPS of 3 repetitions go from 1400 to 1780", Remedy: "Measure for longer."},
				{Reason: v1alpha1.WarningNoLatency, Results: 2, Message: "fio took no latencies"},
			},
		},
	}
}

// e2 is what Nikkei published of gp2 and gp3, one row, with gp3 as the baseline.
func e2() *v1alpha1.StorageBenchmark {
	choice := map[string]string{"numjobs": "16", "bs": "256k"}
	target := func(name string, iops int64) v1alpha1.TargetComparison {
		return v1alpha1.TargetComparison{
			Name: name, Runs: 4, Figures: v1alpha1.ListOf(beside(compared(iops, 30_336_000), iops-20, iops+22, "", "").As(v1alpha1.OperationRead), beside(compared(iops+1, 31_872_000), iops-1, iops+3, "", "").As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Median: 1000 * (2*iops + 1), Min: new(1000 * (2*iops - 70)), Max: new(1000 * (2*iops + 72))}, BytesPerSecond: new(statistic((2*iops + 1) << 18))}).As(v1alpha1.OperationTotal)),
		}
	}
	gp2, gp3 := target("gp2", 272), target("gp3", 273)
	gp2.Of(v1alpha1.OperationRead).MilliIOPS.Ratio, gp2.Of(v1alpha1.OperationWrite).MilliIOPS.Ratio, gp2.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio = "0.99", "1.00", "1.00"
	gp2.Of(v1alpha1.OperationRead).Judged().Verdict, gp2.Of(v1alpha1.OperationWrite).Judged().Verdict, gp2.Of(v1alpha1.OperationTotal).Judged().Verdict = v1alpha1.VerdictSame, v1alpha1.VerdictSlower, v1alpha1.VerdictSame
	sb := &v1alpha1.StorageBenchmark{
		Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp2"}, {Name: "gp3"}}, Baseline: new("gp3"), Repetitions: new(int32(4))},
		Status: v1alpha1.StorageBenchmarkStatus{Comparisons: []v1alpha1.Comparison{
			{Workload: "mixed", Parameters: choice, Targets: []v1alpha1.TargetComparison{gp2, gp3}},
		}},
	}
	for i := range 4 {
		bounds := []string{v1alpha1.BoundFileSystemThroughput, v1alpha1.BoundVolumeThroughput, v1alpha1.BoundFileSystemThroughput, v1alpha1.BoundUnknown}
		sb.Status.Runs = append(sb.Status.Runs, measured("gp2", "mixed", choice, bounds[i]), measured("gp3", "mixed", choice, bounds[1]))
	}
	return sb
}

// spreadOf returns I/O of clients of which the slowest and the fastest did so much, the middle of both on average.
func spreadOf(clients, slowest, fastest int64, variation string) *v1alpha1.Figures {
	return &v1alpha1.Figures{MilliIOPS: 1000 * (clients * (slowest + fastest) / 2), PerClient: &v1alpha1.ClientSpread{MinMilliIOPS: 1000 * slowest, MaxMilliIOPS: 1000 * fastest, CoefficientOfVariation: variation}}
}

// scaling is a benchmark of one and of four clients, on a volume each and on a file system that they share, made twice.
func scaling() *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Repetitions: new(int32(2))}}
	one, four := map[string]string{"clients": "1"}, map[string]string{"clients": "4"}
	run := func(target string, choice map[string]string, bound string, result v1alpha1.Result) {
		run := measured(target, "mixed", choice, bound)
		run.Result = &result
		sb.Status.Runs = append(sb.Status.Runs, run)
	}
	single := v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 2134_000}, {Name: v1alpha1.OperationWrite, MilliIOPS: 914_000}}}
	for range 2 {
		run("gp3", one, v1alpha1.BoundVolumeIOPS, single)
		run("efs", one, v1alpha1.BoundLatency, single)
	}
	run("gp3", four, v1alpha1.BoundVolumeIOPS, v1alpha1.Result{Clients: 4, Figures: v1alpha1.ListOf(spreadOf(4, 2131, 2138, "0.001").As(v1alpha1.OperationRead), spreadOf(4, 912, 916, "0.002").As(v1alpha1.OperationWrite))})
	run("efs", four, v1alpha1.BoundFileSystemIOPS, v1alpha1.Result{Clients: 4, Figures: v1alpha1.ListOf(spreadOf(4, 798, 812, "0.009").As(v1alpha1.OperationRead), spreadOf(4, 340, 349, "0.011").As(v1alpha1.OperationWrite))})
	run("gp3", four, v1alpha1.BoundVolumeIOPS, v1alpha1.Result{Clients: 4, Figures: v1alpha1.ListOf(spreadOf(4, 2133, 2139, "0.001").As(v1alpha1.OperationRead), spreadOf(4, 913, 917, "0.002").As(v1alpha1.OperationWrite))})
	run("efs", four, v1alpha1.BoundFileSystemIOPS, v1alpha1.Result{Clients: 4, Figures: v1alpha1.ListOf(spreadOf(4, 611, 806, "0.127").As(v1alpha1.OperationRead), spreadOf(4, 262, 344, "0.131").As(v1alpha1.OperationWrite))})
	target := func(name string, reads, writes int64, ratio string) v1alpha1.TargetComparison {
		t := v1alpha1.TargetComparison{
			Name: name, Runs: 2, Figures: v1alpha1.ListOf(compared(reads, 5_342_000).As(v1alpha1.OperationRead), compared(writes, 9_896_000).As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MilliIOPS: builder.Milli(statistic(reads + writes)), BytesPerSecond: new(statistic((reads + writes) * 4096))}).As(v1alpha1.OperationTotal)),
		}
		if t.Of(v1alpha1.OperationRead).MilliIOPS.Ratio = ratio; ratio != "" {
			t.Of(v1alpha1.OperationRead).Judged().Verdict = v1alpha1.VerdictTooFewRuns
		}
		return t
	}
	sb.Status.Comparisons = []v1alpha1.Comparison{
		{Workload: "mixed", Parameters: one, Targets: []v1alpha1.TargetComparison{target("gp3", 2134, 914, ""), target("efs", 2134, 914, "1.00")}},
		{Workload: "mixed", Parameters: four, Targets: []v1alpha1.TargetComparison{target("gp3", 8540, 3658, ""), target("efs", 3027, 1295, "0.35")}},
	}
	return sb
}

// sectionsOfClients is a job file of two sections that two clients made once, of which one does not read in the first.
func sectionsOfClients() *v1alpha1.StorageBenchmark {
	run := v1alpha1.Run{Target: "efs", Workload: "file", State: v1alpha1.RunSucceeded, Clients: 2, Sections: []v1alpha1.SectionResult{
		{Name: "first", Result: v1alpha1.Result{Clients: 2, Figures: v1alpha1.ListOf(spreadOf(2, 0, 250_000, "1.414").As(v1alpha1.OperationRead))}},
		{Name: "second", Result: v1alpha1.Result{Clients: 2, Figures: v1alpha1.ListOf(spreadOf(2, 3, 4, "0.202").As(v1alpha1.OperationTrim))}},
	}}
	return &v1alpha1.StorageBenchmark{
		Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "efs"}}},
		Status: v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{run}, Comparisons: []v1alpha1.Comparison{
			{Workload: "file", Section: "first", Targets: []v1alpha1.TargetComparison{{Name: "efs", Runs: 1, Figures: v1alpha1.ListOf(compared(250_000, 99_960).As(v1alpha1.OperationRead))}}},
			{Workload: "file", Section: "second", Targets: []v1alpha1.TargetComparison{{
				Name: "efs", Runs: 1, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationTrim, MilliIOPS: builder.Milli(statistic(7)), BytesPerSecond: new(statistic(28672))}},
			}}},
		}},
	}
}

func TestTable(t *testing.T) {
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		want string
	}{
		"one target": {oneTarget(), `
WORKLOAD     TARGET  I/O        IOPS   BANDWIDTH    MEAN     P50     P90     P99
randrw       gp3     read       3048  11.9 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms
randrw       gp3     write      1306  5.10 MiB/s  1.84us   840ns  1.68us  3.36us
randrw       gp3     total      4354  17.0 MiB/s       -       -       -       -
file/first   gp3     read     250000   977 MiB/s   101us   100us   200us   400us
file/second  gp3     trim          7  28.0 KiB/s       -       -       -       -
failed       gp3     Failed
last         gp3     Running
`},
		"before the end": {e1(), `
WORKLOAD   PARAMETERS  TARGET  I/O               IOPS   BANDWIDTH    MEAN     P50     P90     P99  VS GP3  VERDICT     LIMITED BY
randwrite  bs=16k      gp3     write         3048 ±2%  11.9 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms                      VolumeIOPS
randwrite  bs=16k      efs     write        1560 ±12%  6.09 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms   0.51x  TooFewRuns  Latency (2/3)
randwrite  bs=64k      gp3     write             1987  7.76 MiB/s  7.96ms  7.96ms  15.9ms  31.9ms                      VolumeThroughput
randwrite  bs=16k      gp3     Failed
randwrite  bs=64k      efs     Running
randwrite  bs=64k      efs     Pending (2)
randwrite  bs=64k      gp3     Pending

Warning Spread (1 result): randwrite.bs-16k.efs: IOPS of 3 repetitions go from 1400 to 1780
  Measure for longer.
Warning NoLatency (2 results): fio took no latencies
`},
		"mixed I/O, beside the second target": {e2(), `
WORKLOAD  PARAMETERS          TARGET  I/O        IOPS   BANDWIDTH    MEAN     P50     P90    P99  VS GP3  VERDICT  LIMITED BY
mixed     bs=256k numjobs=16  gp2     read    272 ±8%  1.06 MiB/s  30.3ms  30.3ms  60.7ms  121ms   0.99x  Same     FileSystemThroughput (2/4)
mixed     bs=256k numjobs=16  gp2     write   273 ±1%  1.07 MiB/s  31.9ms  31.9ms  63.7ms  127ms   1.00x  Slower
mixed     bs=256k numjobs=16  gp2     total  545 ±13%   136 MiB/s       -       -       -      -   1.00x  Same
mixed     bs=256k numjobs=16  gp3     read    273 ±8%  1.07 MiB/s  30.3ms  30.3ms  60.7ms  121ms                   VolumeThroughput
mixed     bs=256k numjobs=16  gp3     write   274 ±1%  1.07 MiB/s  31.9ms  31.9ms  63.7ms  127ms
mixed     bs=256k numjobs=16  gp3     total  547 ±13%   137 MiB/s       -       -       -      -
`},
		"one client and four": {scaling(), `
WORKLOAD  PARAMETERS  TARGET  I/O         IOPS            PER CLIENT   BANDWIDTH    MEAN     P50     P90     P99  VS GP3  VERDICT     LIMITED BY
mixed     clients=1   gp3     read    2134 ±0%                        8.34 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms                      VolumeIOPS
mixed     clients=1   gp3     write    914 ±0%                        3.57 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms
mixed     clients=1   gp3     total   3048 ±0%                        11.9 MiB/s       -       -       -       -
mixed     clients=1   efs     read    2134 ±0%                        8.34 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms   1.00x  TooFewRuns  Latency
mixed     clients=1   efs     write    914 ±0%                        3.57 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms
mixed     clients=1   efs     total   3048 ±0%                        11.9 MiB/s       -       -       -       -
mixed     clients=4   gp3     read    8540 ±0%  4 x 2131-2139 (0.1%)  33.4 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms                      VolumeIOPS
mixed     clients=4   gp3     write   3658 ±0%    4 x 912-917 (0.2%)  14.3 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms
mixed     clients=4   gp3     total  12198 ±0%                        47.6 MiB/s       -       -       -       -
mixed     clients=4   efs     read    3027 ±0%   4 x 611-812 (12.7%)  11.8 MiB/s  5.34ms  5.34ms  10.7ms  21.4ms   0.35x  TooFewRuns  FileSystemIOPS
mixed     clients=4   efs     write   1295 ±0%   4 x 262-349 (13.1%)  5.06 MiB/s  9.90ms  9.90ms  19.8ms  39.6ms
mixed     clients=4   efs     total   4322 ±0%                        16.9 MiB/s       -       -       -       -
`},
		"sections of clients": {sectionsOfClients(), `
WORKLOAD     TARGET  I/O     IOPS             PER CLIENT   BANDWIDTH   MEAN    P50    P90    P99
file/first   efs     read  250000  2 x 0-250000 (141.4%)   977 MiB/s  101us  100us  200us  400us
file/second  efs     trim       7        2 x 3-4 (20.2%)  28.0 KiB/s      -      -      -      -
`},
		"nothing yet": {&v1alpha1.StorageBenchmark{}, `
No runs yet
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			Table(&out, test.sb, Style{Unicode: true})
			if diff := cmp.Diff(test.want, "\n"+out.String()); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			for line := range strings.Lines(out.String()) {
				if width := utf8.RuneCountInString(line); width > 160 {
					t.Errorf("%d columns: %s", width, line)
				}
			}
		})
	}
}

func TestLimitedBy(t *testing.T) {
	choice := map[string]string{"bs": "16k"}
	sections := v1alpha1.Run{Target: "t", Workload: "file", State: v1alpha1.RunSucceeded, LimitedBy: &v1alpha1.LimitedBy{Reason: "Wrong"}, Sections: []v1alpha1.SectionResult{
		{Name: "a", LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency}}, {Name: "b", LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU}}, {Name: "c"},
	}}
	runs := func(bounds ...string) []v1alpha1.Run {
		var all []v1alpha1.Run
		for _, bound := range bounds {
			run := measured("t", "w", choice, bound)
			if bound == "" {
				run.LimitedBy = nil
			}
			all = append(all, run)
		}
		return all
	}
	whole := v1alpha1.Comparison{Workload: "w", Parameters: choice}
	for name, test := range map[string]struct {
		runs       []v1alpha1.Run
		comparison v1alpha1.Comparison
		want       string
	}{
		"one":                {runs("A"), whole, "A"},
		"all":                {runs("A", "A", "A"), whole, "A"},
		"most":               {runs("B", "A", "A"), whole, "A (2/3)"},
		"as many":            {runs("B", "A", "B", "A"), whole, "B (2/4)"},
		"not all are known":  {runs("", "A", "A"), whole, "A (2/3)"},
		"none is known":      {runs("", ""), whole, ""},
		"none has ended":     {nil, whole, ""},
		"of another choice":  {runs("A"), v1alpha1.Comparison{Workload: "w", Parameters: map[string]string{"bs": "64k"}}, ""},
		"of no choice":       {runs("A"), v1alpha1.Comparison{Workload: "w"}, ""},
		"of another section": {[]v1alpha1.Run{sections, sections}, v1alpha1.Comparison{Workload: "file", Section: "b"}, v1alpha1.BoundClientCPU},
		"of a section":       {[]v1alpha1.Run{sections, sections}, v1alpha1.Comparison{Workload: "file", Section: "a"}, v1alpha1.BoundLatency},
		"unknown of one":     {[]v1alpha1.Run{sections}, v1alpha1.Comparison{Workload: "file", Section: "c"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var r row
			for _, o := range cases.Outcomes(test.runs, &test.comparison, "t", 0) {
				r.bounds = append(r.bounds, o.LimitedBy)
			}
			if got := limitedByCell(&r, Style{}); got != test.want {
				t.Errorf("limited by %q, want %q", got, test.want)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	for want, test := range map[string]struct {
		statistic v1alpha1.Statistic
		runs      int32
	}{
		"3048":      {v1alpha1.Statistic{Median: 3048, Min: new(int64(3000)), Max: new(int64(3100))}, 1},
		"3048 ±0%":  {v1alpha1.Statistic{Median: 3048}, 2},
		"1000 ±3%":  {v1alpha1.Statistic{Median: 1000, Min: new(int64(970)), Max: new(int64(1021))}, 2},
		"200 ±100%": {v1alpha1.Statistic{Median: 200, Min: new(int64(0)), Max: new(int64(400))}, 3},
		"0":         {v1alpha1.Statistic{Max: new(int64(10))}, 3},
	} {
		r := row{figures: &v1alpha1.FiguresComparison{MilliIOPS: builder.Milli(test.statistic)}, repetitions: test.runs}
		if got := iopsCell(&r, Style{Unicode: true}); got != want {
			t.Errorf("%+v of %d runs is %q, want %q", test.statistic, test.runs, got, want)
		}
	}
}

func TestPerClient(t *testing.T) {
	perClient := func(results []*v1alpha1.Result) string {
		return perClientCell(&row{results: results, io: v1alpha1.OperationRead}, Style{})
	}
	result := func(slowest, fastest int64, variation string) *v1alpha1.Result {
		return &v1alpha1.Result{Clients: 2, Figures: v1alpha1.ListOf(spreadOf(2, slowest, fastest, variation).As(v1alpha1.OperationRead))}
	}
	single, other := &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 7_000}}}, &v1alpha1.Result{Figures: v1alpha1.ListOf(spreadOf(2, 1, 9, "0.9").As(v1alpha1.OperationWrite))}
	for name, test := range map[string]struct {
		results []*v1alpha1.Result
		want    string
	}{
		"one result":          {[]*v1alpha1.Result{result(798, 812, "0.009")}, "2 x 798-812 (0.9%)"},
		"of several":          {[]*v1alpha1.Result{result(798, 812, "0.009"), result(790, 801, "0.012"), result(800, 815, "0.01")}, "2 x 790-815 (1.2%)"},
		"without variation":   {[]*v1alpha1.Result{result(800, 800, "0.000")}, "2 x 800-800 (0.0%)"},
		"a text of no number": {[]*v1alpha1.Result{result(800, 800, "x"), result(800, 801, "0.001")}, "2 x 800-801 (0.1%)"},
		"single clients":      {[]*v1alpha1.Result{single, single}, ""},
		"other I/O":           {[]*v1alpha1.Result{other}, ""},
		"no results":          {nil, ""},
	} {
		if got := perClient(test.results); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	first := result(1, 2, "0.1")
	before := *first.Of(v1alpha1.OperationRead).PerClient
	if perClient([]*v1alpha1.Result{first, result(0, 9, "0.5")}); *first.Of(v1alpha1.OperationRead).PerClient != before {
		t.Errorf("a result was changed to %+v", first.Of(v1alpha1.OperationRead).PerClient)
	}
}

func TestSummary(t *testing.T) {
	alone := e1()
	alone.Status.Comparisons[0].Targets = alone.Status.Comparisons[0].Targets[1:]
	alone.Status.Comparisons[0].Targets[0].Of(v1alpha1.OperationWrite).MilliIOPS.Ratio = "" // as there is no baseline yet
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		want string
	}{
		"one target": {oneTarget(), "randrw: gp3 read 3048 IOPS 5.34ms p50 + write 1306 IOPS 840ns p50; file/first: gp3 250000 IOPS 100us p50; file/second: gp3 7 IOPS"},
		"a matrix":   {e1(), "randwrite bs=16k: gp3 3048 IOPS 5.34ms p50, efs 1560 (0.51x); randwrite bs=64k: gp3 1987 IOPS 7.96ms p50"},
		"mixed I/O, the baseline first": {
			e2(), "mixed bs=256k numjobs=16: gp3 read 273 IOPS 30.3ms p50 + write 274 IOPS 31.9ms p50, gp2 read 272 (0.99x) + write 273 (1.00x)",
		},
		"clients":             {scaling(), "mixed clients=1: gp3 read 2134 IOPS 5.34ms p50 + write 914 IOPS 9.90ms p50, efs read 2134 (1.00x) + write 914 IOPS 9.90ms p50; mixed clients=4: gp3 read 8540 IOPS 5.34ms p50 + write 3658 IOPS 9.90ms p50 …"},
		"before the baseline": {alone, "randwrite bs=16k: efs 1560 IOPS 9.90ms p50; randwrite bs=64k: gp3 1987 IOPS 7.96ms p50"},
		"nothing yet":         {&v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{{State: v1alpha1.RunRunning}}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, summary.Summary(&test.sb.Status)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLongSummary: a line that is cut ends with a whole target, whatever values of a matrix contain.
func TestLongSummary(t *testing.T) {
	c := e1().Status.Comparisons[0]
	c.Parameters = map[string]string{"rate": "10m,5m"}
	whole := summary.Summary(&v1alpha1.StorageBenchmarkStatus{Comparisons: []v1alpha1.Comparison{c}})
	for length := range 40 {
		c.Workload = strings.Repeat("w", 1+length)
		long := &v1alpha1.StorageBenchmarkStatus{Comparisons: slices.Repeat([]v1alpha1.Comparison{c}, 10)}
		got := summary.Summary(long)
		if len(got) > summary.MaxSummary+len(" …") || len(got) < summary.MaxSummary-len(whole)-length {
			t.Errorf("%d bytes", len(got))
		}
		if line, cut := strings.CutSuffix(got, " …"); !cut || !strings.HasSuffix(line, "p50") && !strings.HasSuffix(line, "(0.51x)") {
			t.Errorf("summary %q", got)
		}
	}
}

func TestPlan(t *testing.T) {
	planned := func(name, target string, choice map[string]string, repetition int32, seconds int64) PlannedRun {
		return PlannedRun{Run: v1alpha1.Run{Name: name, Workload: "w", Target: target, Parameters: choice, Repetition: repetition}, RuntimeSeconds: seconds}
	}
	together := func(run PlannedRun, clients int32) PlannedRun {
		run.Clients = clients
		return run
	}
	files := func(run PlannedRun) PlannedRun {
		run.EndsByFiles = true
		return run
	}
	small := map[string]string{"bs": "4k", "numjobs": "1"}
	for name, test := range map[string]struct {
		runs []PlannedRun
		want string
	}{
		"a matrix": {[]PlannedRun{planned("w.bs-4k-numjobs-1.a.1", "a", small, 1, 30), planned("w.bs-4k-numjobs-1.b.1", "b", small, 1, 30), planned("w.bs-4k-numjobs-1.a.2", "a", small, 2, 5)}, `
NUMBER  RUN                    WORKLOAD  PARAMETERS       TARGET  REPETITION  RUNTIME
     1  w.bs-4k-numjobs-1.a.1  w         bs=4k numjobs=1  a                1      30s
     2  w.bs-4k-numjobs-1.b.1  w         bs=4k numjobs=1  b                1      30s
     3  w.bs-4k-numjobs-1.a.2  w         bs=4k numjobs=1  a                2       5s

3 runs on 2 targets, at least 1m5s of measuring
`},
		"clients": {[]PlannedRun{
			together(planned("w.clients-1.a", "a", map[string]string{"clients": "1"}, 1, 30), 1), together(planned("w.clients-16.a", "a", map[string]string{"clients": "16"}, 1, 30), 16),
			planned("v.a", "a", nil, 1, 30),
		}, `
NUMBER  RUN             WORKLOAD  PARAMETERS  TARGET  CLIENTS  REPETITION  RUNTIME
     1  w.clients-1.a   w         clients=1   a             1           1      30s
     2  w.clients-16.a  w         clients=16  a            16           1      30s
     3  v.a             w                     a             1           1      30s

3 runs on 1 target, at least 1m30s of measuring
`},
		"by size": {[]PlannedRun{planned("w.a", "a", nil, 1, 0)}, `
NUMBER  RUN  WORKLOAD  TARGET  REPETITION  RUNTIME
     1  w.a  w         a                1  by size

1 run on 1 target
`},
		"by files": {[]PlannedRun{files(planned("w.a", "a", nil, 1, 0)), files(planned("v.a", "a", nil, 1, 30)), planned("u.a", "a", nil, 1, 5)}, `
NUMBER  RUN  WORKLOAD  TARGET  REPETITION    RUNTIME
     1  w.a  w         a                1   by files
     2  v.a  w         a                1  up to 30s
     3  u.a  w         a                1         5s

3 runs on 1 target, at least 5s of measuring
`},
		"longer than can be told": {[]PlannedRun{planned("w.a", "a", nil, 1, math.MaxInt64), planned("w.b", "b", nil, 1, math.MaxInt64)}, `
NUMBER  RUN  WORKLOAD  TARGET  REPETITION         RUNTIME
     1  w.a  w         a                1  2562047h47m16s
     2  w.b  w         b                1  2562047h47m16s

2 runs on 2 targets, at least 2562047h47m16s of measuring
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			Plan(&out, test.runs)
			if diff := cmp.Diff(test.want, "\n"+out.String()); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// Where nothing is known of what held results back, there is no column that says so in each row.
func TestTableWithoutLimits(t *testing.T) {
	io := &v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Median: 7_000}}
	sb := &v1alpha1.StorageBenchmark{}
	sb.Spec.Targets = []v1alpha1.Target{{Name: "one"}}
	sb.Status.Runs = []v1alpha1.Run{{Workload: "w", Target: "one", State: v1alpha1.RunSucceeded, LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown}}}
	sb.Status.Comparisons = []v1alpha1.Comparison{{Workload: "w", Targets: []v1alpha1.TargetComparison{{Name: "one", Runs: 1, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}}}}
	for bound, want := range map[string]bool{v1alpha1.BoundUnknown: false, v1alpha1.BoundLatency: true} {
		sb.Status.Runs[0].LimitedBy.Reason = bound
		var out bytes.Buffer
		Table(&out, sb, Style{})
		if got := strings.Contains(out.String(), "LIMITED BY"); got != want {
			t.Errorf("bound by %s: %t that there is a column\n%s", bound, got, out.String())
		}
	}
}
