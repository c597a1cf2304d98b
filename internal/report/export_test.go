package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/export"
)

// exported is a benchmark with a run of each kind: of reads and writes, of sections by clients, failed with hostile words.
func exported() *v1alpha1.StorageBenchmark {
	begin := metav1.NewTime(time.Date(2026, 7, 1, 14, 0, 0, 0, time.FixedZone("CEST", 7200)))
	full := func(iops int64) *v1alpha1.Figures {
		return &v1alpha1.Figures{Count: 60 * iops, Bytes: 60 * iops << 12, MilliIOPS: 1000 * iops, BytesPerSecond: iops << 12, Latency: &v1alpha1.Latency{MeanNanoseconds: 5, StddevNanoseconds: 6}, CompletionLatency: &v1alpha1.LatencyDistribution{
			MinNanoseconds: 1, P50Nanoseconds: 50, P90Nanoseconds: 90, P95Nanoseconds: 95, P99Nanoseconds: 99, P999Nanoseconds: 999, P9999Nanoseconds: 9999, MaxNanoseconds: 10_000,
		}}
	}
	return &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "b", UID: "u", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}},
		Spec:       v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}}},
		Status: v1alpha1.StorageBenchmarkStatus{
			PlannedRuns: 3, FinishedRuns: 3,
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: "1 of 3 runs failed"}},
			Runs: []v1alpha1.Run{
				{
					Name: "mixed.bs-4k.gp3", Workload: "mixed", Target: "gp3", Parameters: map[string]string{"bs": "4k"}, Repetition: 1, State: v1alpha1.RunSucceeded, Attempts: 2, StartTime: &begin,
					Result: &v1alpha1.Result{
						FioVersion: "fio-3.39", ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(full(700).As(v1alpha1.OperationRead), full(300).As(v1alpha1.OperationWrite)),
						CPU: &v1alpha1.CPUResult{UserPercent: 3, SystemPercent: 9, ThrottledPercent: new(int32(0))},
					},
					LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS, LimitIOPS: new(int64(3000)), UsedPercent: new(int32(33))},
					Warnings:  []v1alpha1.Warning{{Reason: v1alpha1.WarningFewSamples}, {Reason: v1alpha1.WarningShortRuntime}},
				},
				{
					Name: "file.gp3", Workload: "file", Target: "gp3", Repetition: 1, Clients: 2, State: v1alpha1.RunSucceeded,
					Sections: []v1alpha1.SectionResult{{
						Name:   "a,\"b\"",
						Result: v1alpha1.Result{Clients: 2, CommonMilliseconds: 59_000, StartSkewMilliseconds: new(int64(0)), Figures: v1alpha1.ListOf(spreadOf(2, 3, 5, "0.2").As(v1alpha1.OperationTrim))},
					}},
				},
				{Name: "bad.gp3", Workload: "bad", Target: "gp3", Parameters: map[string]string{"numjobs": "2"}, Repetition: 1, State: v1alpha1.RunFailed, Message: "fio: a,\n\"quoted\" <message> & more"},
			},
			Comparisons: []v1alpha1.Comparison{{Workload: "mixed", Parameters: map[string]string{"bs": "4k"}, Targets: []v1alpha1.TargetComparison{{
				Name: "gp3", Runs: 1, Figures: v1alpha1.ListOf(beside(compared(700, 50), 690, 710, "0.10", v1alpha1.VerdictSlower).As(v1alpha1.OperationRead), (&v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Median: 1000_000, PValue: "0.029", ConfidenceLow: new(int64(0)), ConfidenceHigh: new(int64(2_000)), Ratio: "NaN"}}).As(v1alpha1.OperationTotal)),
			}}}},
		},
	}
}

// records reads a CSV by the names of its columns, without cells that are empty.
func records(t *testing.T, write func(io.Writer) error) []map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, row := range rows[1:] {
		record := map[string]string{}
		for i, cell := range row {
			if cell != "" {
				record[rows[0][i]] = cell
			}
		}
		all = append(all, record)
	}
	return all
}

func TestCSV(t *testing.T) {
	read := map[string]string{
		"namespace": "ns", "benchmark": "b", "run": "mixed.bs-4k.gp3", "workload": "mixed", "target": "gp3", "repetition": "1", "clients": "1", "state": "Succeeded", "attempts": "2",
		"start_time": "2026-07-01T12:00:00Z", "param_bs": "4k",
		"direction": "read", "ios": "42000", "bytes": "172032000", "iops": "700", "bytes_per_second": "2867200",
		"lat_mean_ns": "5", "lat_stddev_ns": "6", "clat_min_ns": "1", "clat_p50_ns": "50", "clat_p90_ns": "90", "clat_p95_ns": "95", "clat_p99_ns": "99", "clat_p99_9_ns": "999",
		"clat_p99_99_ns": "9999", "clat_max_ns": "10000",
		"elapsed_ms": "60000", "cpu_user_percent": "3", "cpu_system_percent": "9", "cpu_throttled_percent": "0",
		"limited_by": "VolumeIOPS", "limit_iops": "3000", "limit_used_percent": "33", "warnings": "FewSamples ShortRuntime", "fio_version": "fio-3.39",
	}
	write := maps.Clone(read)
	write["direction"], write["ios"], write["bytes"], write["iops"], write["bytes_per_second"] = "write", "18000", "73728000", "300", "1228800"
	want := []map[string]string{
		read, write,
		{
			"namespace": "ns", "benchmark": "b", "run": "file.gp3", "workload": "file", "section": "a,\"b\"", "target": "gp3", "repetition": "1", "clients": "2", "state": "Succeeded", "attempts": "0",
			"direction": "trim", "ios": "0", "bytes": "0", "iops": "8", "bytes_per_second": "0", "client_min_iops": "3", "client_max_iops": "5", "client_iops_cv": "0.2",
			"common_ms": "59000", "start_skew_ms": "0",
		},
		{
			"namespace": "ns", "benchmark": "b", "run": "bad.gp3", "workload": "bad", "target": "gp3", "repetition": "1", "clients": "1", "state": "Failed", "attempts": "0",
			"param_numjobs": "2", "message": "fio: a,\n\"quoted\" <message> & more",
		},
	}
	got := records(t, func(w io.Writer) error { return export.CSV(w, exported()) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestCSVOfNothing: there is a header before there are runs.
func TestCSVOfNothing(t *testing.T) {
	var out strings.Builder
	if err := export.CSV(&out, &v1alpha1.StorageBenchmark{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "namespace,benchmark,run,workload,section,target,") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("printed %q", out.String())
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := export.JSON(&out, exported()); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "benchmark": {"namespace": "ns", "name": "b", "uid": "u", "baseline": "gp3", "reason": "RunFailed", "message": "1 of 3 runs failed", "plannedRuns": 3, "finishedRuns": 3},
  "expectations": [],
  "targets": [],
  "results": [
    {
      "run": "mixed.bs-4k.gp3", "workload": "mixed", "target": "gp3", "parameters": {"bs": "4k"}, "repetition": 1, "clients": 1, "state": "Succeeded", "attempts": 2,
      "startTime": "2026-07-01T12:00:00Z", "fioVersion": "fio-3.39", "elapsedMilliseconds": 60000, "cpu": {"userPercent": 3, "systemPercent": 9, "throttledPercent": 0},
      "limitedBy": {"reason": "VolumeIOPS", "limitIOPS": 3000, "usedPercent": 33}, "warnings": [{"reason": "FewSamples"}, {"reason": "ShortRuntime"}],
      "figures": {"name": "read", "count": 42000, "bytes": 172032000, "milliIOPS": 700000, "bytesPerSecond": 2867200, "latency": {"meanNanoseconds": 5, "stddevNanoseconds": 6},
      "completionLatency": {"minNanoseconds": 1, "p50Nanoseconds": 50, "p90Nanoseconds": 90, "p95Nanoseconds": 95, "p99Nanoseconds": 99, "p999Nanoseconds": 999, "p9999Nanoseconds": 9999, "maxNanoseconds": 10000}}
    },
    {
      "run": "mixed.bs-4k.gp3", "workload": "mixed", "target": "gp3", "parameters": {"bs": "4k"}, "repetition": 1, "clients": 1, "state": "Succeeded", "attempts": 2,
      "startTime": "2026-07-01T12:00:00Z", "fioVersion": "fio-3.39", "elapsedMilliseconds": 60000, "cpu": {"userPercent": 3, "systemPercent": 9, "throttledPercent": 0},
      "limitedBy": {"reason": "VolumeIOPS", "limitIOPS": 3000, "usedPercent": 33}, "warnings": [{"reason": "FewSamples"}, {"reason": "ShortRuntime"}],
      "figures": {"name": "write", "count": 18000, "bytes": 73728000, "milliIOPS": 300000, "bytesPerSecond": 1228800, "latency": {"meanNanoseconds": 5, "stddevNanoseconds": 6},
      "completionLatency": {"minNanoseconds": 1, "p50Nanoseconds": 50, "p90Nanoseconds": 90, "p95Nanoseconds": 95, "p99Nanoseconds": 99, "p999Nanoseconds": 999, "p9999Nanoseconds": 9999, "maxNanoseconds": 10000}}
    },
    {
      "run": "file.gp3", "workload": "file", "section": "a,\"b\"", "target": "gp3", "repetition": 1, "clients": 2, "state": "Succeeded", "commonMilliseconds": 59000, "startSkewMilliseconds": 0,
      "figures": {"name": "trim", "milliIOPS": 8000, "perClient": {"minMilliIOPS": 3000, "maxMilliIOPS": 5000, "coefficientOfVariation": "0.2"}}
    },
    {"run": "bad.gp3", "workload": "bad", "target": "gp3", "parameters": {"numjobs": "2"}, "repetition": 1, "clients": 1, "state": "Failed", "message": "fio: a,\n\"quoted\" <message> & more"}
  ],
  "comparisons": [
    {
      "workload": "mixed", "parameters": {"bs": "4k"}, "target": "gp3", "runs": 1, "verdict": "Slower",
      "figures": {
        "name": "read", "milliIOPS": {"median": 700000, "min": 690000, "max": 710000, "ratio": "0.10", "verdict": "Slower"},
        "bytesPerSecond": {"median": 2867200}, "meanNanoseconds": {"median": 1050}, "p50Nanoseconds": {"median": 50},
        "p90Nanoseconds": {"median": 100}, "p99Nanoseconds": {"median": 200}
      }
    },
    {
      "workload": "mixed", "parameters": {"bs": "4k"}, "target": "gp3", "runs": 1,
      "figures": {"name": "total", "milliIOPS": {"median": 1000000, "confidenceLow": 0, "confidenceHigh": 2000, "ratio": "NaN", "pValue": "0.029"}}
    }
  ],
  "searches": [], "warnings": [], "abandonedAttempts": []
}`
	var wanted, got map[string]any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "resource")
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if !strings.Contains(out.String(), "<message> & more") {
		t.Errorf("characters are escaped that need not be:\n%s", out.String())
	}
}

// No cell is a formula for a spreadsheet, or an escape for a terminal. Numbers stay numbers.
func TestHarmlessCells(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "a": "a", "-1.5": "-1.5", "+7": "+7", "-1e3": "-1e3", "randwrite=1": "randwrite=1",
		`=HYPERLINK("http://a","b")`: `'=HYPERLINK("http://a","b")`, "+1+cmd|' /C calc'!A0": "'+1+cmd|' /C calc'!A0", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "\ufffd=1", "\n=1": "'\n=1", "\na": "'\na", " =1": "' =1",
		"＝1+1": "'＝1+1", "＋1+1": "'＋1+1", "－1+1": "'－1+1", "＠SUM(A1)": "'＠SUM(A1)",
		"﹦1": "'﹦1", "⁼1": "'⁼1", "－1": "'－1", "é": "é", " a": " a",
		"\x1b[2J": "\ufffd[2J",
	} {
		if got := export.HarmlessCell(cell); got != want {
			t.Errorf("%q is %q, want %q", cell, got, want)
		}
	}
	sb := exported()
	sb.Status.Runs[2].Message = "=cmd|' /C calc'!A0"
	var out bytes.Buffer
	if err := export.CSV(&out, sb); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range rows[len(rows)-1] {
		if strings.HasPrefix(cell, "=") {
			t.Errorf("a cell is %q", cell)
		}
	}
}
