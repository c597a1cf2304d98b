package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/series"
)

// overTime is a benchmark of one run with three points, of which the second has no I/O, and how to read its series.
func overTime() (*v1alpha1.StorageBenchmark, export.ReadSeries) {
	sb := &v1alpha1.StorageBenchmark{}
	sb.Namespace, sb.Name = "ns", "first"
	sb.Status.Runs = []v1alpha1.Run{
		{Name: "w.bs-4k.gp3", Workload: "w", Target: "gp3", Parameters: map[string]string{"bs": "4k"}, Repetition: 1, Result: &v1alpha1.Result{}},
		{Name: "w.bs-4k.efs", Workload: "w", Target: "efs", Parameters: map[string]string{"bs": "4k"}, Repetition: 1, State: v1alpha1.RunFailed},
	}
	of := &series.Series{
		Version: series.Version, StartMilliseconds: 1_763_976_000_000, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1,
		Sections: []series.Section{{Name: "w", Write: &series.Direction{
			IOPS:           series.Rate{Mean: []float64{3000, 0, 300.5}, Min: []float64{2900, 0, 300}, Max: []float64{3100, 0, 301}},
			BytesPerSecond: series.Rate{Mean: []float64{12_288_000, 0, 1_230_848}},
			Latency:        &series.Latency{Mean: []int64{1_000_000, 0, 4_000_000}, P50: []int64{900_000, 0, 3_000_000}, P99: []int64{9_000_000, 0, 9_500_000}, Max: []int64{20_000_000, 0, 30_000_000}},
		}}},
	}
	return sb, func(run *v1alpha1.Run) (*series.Series, error) {
		if run.Result == nil && run.Sections == nil {
			return nil, nil
		}
		return of, nil
	}
}

func TestSeriesCSV(t *testing.T) {
	sb, read := overTime()
	var out bytes.Buffer
	if err := export.SeriesCSV(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	want := `namespace,benchmark,run,workload,section,target,repetition,clients,param_bs,direction,time,second,interval_ms,iops,min_iops,max_iops,bytes_per_second,clat_mean_ns,clat_p50_ns,clat_p99_ns,clat_max_ns
ns,first,w.bs-4k.gp3,w,,gp3,1,1,4k,write,2025-11-24T09:20:00.000Z,0,1000,3000,2900,3100,12288000,1000000,900000,9000000,20000000
ns,first,w.bs-4k.gp3,w,,gp3,1,1,4k,write,2025-11-24T09:20:01.000Z,1,1000,0,0,0,0,,,,
ns,first,w.bs-4k.gp3,w,,gp3,1,1,4k,write,2025-11-24T09:20:02.000Z,2,1000,300.5,300,301,1230848,4000000,3000000,9500000,30000000
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Sections have their own names, of which fio admits several of the same, and begin when they do; latencies may be of longer times than rates.
func TestSeriesCSVOfSections(t *testing.T) {
	sb, read := overTime()
	sb.Status.Runs = sb.Status.Runs[:1]
	sb.Status.Runs[0].Result, sb.Status.Runs[0].Sections = nil, []v1alpha1.SectionResult{{Name: "=cmd()"}, {Name: "=cmd()"}}
	of, err := read(&sb.Status.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	of.LatencyPoints = 2
	l := of.Sections[0].Write.Latency
	l.Mean, l.P50, l.P99, l.Max = l.Mean[:2], l.P50[:2], l.P99[:2], l.Max[:2]
	l.P99[1] = 5
	of.Sections = append(of.Sections, of.Sections[0])
	of.Sections[1].OffsetMilliseconds = 2500
	var out bytes.Buffer
	if err := export.SeriesCSV(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range rows {
		got = append(got, []string{row[4], row[11], row[19]})
	}
	want := [][]string{
		{"section", "second", "clat_p99_ns"},
		{"'=cmd()", "0", "9000000"}, {"'=cmd()", "1", ""}, {"'=cmd()", "2", "5"},
		{"'=cmd() (2)", "2.5", "9000000"}, {"'=cmd() (2)", "3.5", ""}, {"'=cmd() (2)", "4.5", "5"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestOpenMetrics(t *testing.T) {
	sb, read := overTime()
	var out bytes.Buffer
	if err := export.OpenMetrics(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	const labels = `{benchmark="first",direction="write",namespace="ns",param_bs="4k",repetition="1",run="w.bs-4k.gp3",target="gp3",workload="w"`
	for _, want := range []string{
		"# TYPE storagebench_io_operations_per_second gauge\nstoragebench_io_operations_per_second" + labels + "} 3000.0 1.763976001e+09\n",
		"storagebench_io_operations_per_second_min" + labels + "} 300.0 1.763976003e+09\n",
		"storagebench_io_bytes_per_second" + labels + "} 1.2288e+07 1.763976001e+09\n",
		"# TYPE storagebench_io_latency_seconds summary\n",
		"storagebench_io_latency_seconds" + labels + `,quantile="0.99"} 0.009 1.763976001e+09` + "\n",
		"storagebench_io_latency_seconds" + labels + `,quantile="0.99"} NaN 1.763976002e+09` + "\n",
		"storagebench_io_latency_seconds_count" + labels + "} 3000 1.763976002e+09\n",
		"storagebench_io_latency_seconds_sum" + labels + "} 4.202 1.763976003e+09\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no\n%s", want)
		}
	}
	if !strings.HasSuffix(out.String(), "\n# EOF\n") {
		t.Error("the end is not marked")
	}
	if t.Failed() {
		t.Log("\n" + out.String())
	}
}

// firstPoints returns OpenMetrics as Prometheus' own format, which has other timestamps, and can have a series only once: the first point of each, without.
func firstPoints(text string) string {
	var first strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		key := line
		if !strings.HasPrefix(line, "#") {
			line = line[:strings.LastIndexByte(line, ' ')] + "\n"
			key = line[:strings.LastIndexByte(line, ' ')]
		}
		if !seen[key] {
			first.WriteString(line)
		}
		seen[key] = true
	}
	return first.String()
}

// Names and help are as promtool check metrics wants them.
func TestOpenMetricsNames(t *testing.T) {
	sb, read := overTime()
	var out bytes.Buffer
	if err := export.OpenMetrics(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.New(strings.NewReader(firstPoints(out.String()))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Whatever texts come from a cluster, there is one line a sample, and labels have names that are allowed.
func TestOpenMetricsOfHostileTexts(t *testing.T) {
	sb, read := overTime()
	run := &sb.Status.Runs[0]
	run.Name, run.Target = "a\"} 1\nother 2", "back\\slash\x1b[31m"
	run.Parameters = map[string]string{"b-s": "4k", "b s": "8k", "": "empty"}
	var out bytes.Buffer
	if err := export.OpenMetrics(&out, sb, read); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, `storagebench_io_`) || strings.ContainsAny(line, "\x1b") {
			t.Errorf("line %q", line)
		}
	}
	want := `{benchmark="first",direction="write",namespace="ns",param_="empty",param_b_s="4k",repetition="1",run="a\"} 1\nother 2",target="back\\slash` + "\ufffd" + `[31m",workload="w"} 3000.0`
	if !strings.Contains(out.String(), want) {
		t.Errorf("there is no %s in\n%s", want, out.String())
	}
}

// Where nothing was kept, or it cannot be read, that is said.
func TestNoSeries(t *testing.T) {
	sb, _ := overTime()
	broken := errors.New("forbidden")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"nothing was kept": {nil, "no run of first has a series: they are kept of runs that have ended and have a result"},
		"not readable":     {broken, "forbidden"},
	} {
		read := func(*v1alpha1.Run) (*series.Series, error) { return nil, test.err }
		for format, err := range map[string]error{"CSV": export.SeriesCSV(&bytes.Buffer{}, sb, read), "OpenMetrics": export.OpenMetrics(&bytes.Buffer{}, sb, read)} {
			if err == nil || err.Error() != test.want {
				t.Errorf("%s, %s: %v", name, format, err)
			}
		}
	}
}
