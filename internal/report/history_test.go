package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/report/export"
)

// twoNights is a history of a night that measured two cases, and of one that measured nothing.
func twoNights() *history.History {
	night := time.Date(2026, 11, 12, 3, 0, 0, 0, time.UTC)
	return &history.History{Points: []history.Point{
		{
			Time: night, Benchmark: "nightly-1", UID: "u1", Succeeded: true, Reason: "Completed",
			Environment: history.Environment{Fio: "fio-3.33", Kernel: "6.1", Drivers: []history.Driver{{Name: "ebs.csi.aws.com", Image: "ebs:v1.64.0", Targets: []string{"gp3"}}}},
			Cases: []history.Measured{
				{Case: history.Case{Workload: "rr", Parameters: "bs=4k", Target: "gp3"}, Figures: []history.Figure{{Metric: history.ReadIOPS, Value: 2_999_501}, {Metric: history.ReadP99, Value: 5342000}}},
				{Case: history.Case{Workload: "=wal", Section: "log", Target: "efs"}, Figures: []history.Figure{{Metric: history.SyncP99, Value: 17112760320}}},
			},
		},
		{Time: night.AddDate(0, 0, 1), Benchmark: "nightly-2", UID: "u2", Reason: "ProvisioningFailed"},
	}}
}

func TestHistoryCSV(t *testing.T) {
	var out bytes.Buffer
	if err := export.HistoryCSV(&out, twoNights()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cells := func(row []string) map[string]string {
		filled := map[string]string{}
		for i, name := range rows[0] {
			if row[i] != "" {
				filled[name] = row[i]
			}
		}
		return filled
	}
	var got []map[string]string
	for _, row := range rows[1:] {
		got = append(got, cells(row))
	}
	want := []map[string]string{
		{
			"time": "2026-11-12T03:00:00Z", "benchmark": "nightly-1", "reason": "Completed", "workload": "rr", "parameters": "bs=4k", "target": "gp3",
			"read_iops": "2999.501", "read_p99_ns": "5342000", "fio": "fio-3.33", "kernel": "6.1", "driver_image": "ebs:v1.64.0",
		},
		{
			"time": "2026-11-12T03:00:00Z", "benchmark": "nightly-1", "reason": "Completed", "workload": "'=wal", "section": "log", "target": "efs",
			"sync_p99_ns": "17112760320", "fio": "fio-3.33", "kernel": "6.1",
		},
		{"time": "2026-11-13T03:00:00Z", "benchmark": "nightly-2", "reason": "ProvisioningFailed"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryJSON(t *testing.T) {
	var out bytes.Buffer
	if err := export.HistoryJSON(&out, twoNights()); err != nil {
		t.Fatal(err)
	}
	var document export.HistoryDocument
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	first := document.Points[0]
	if diff := cmp.Diff(map[string]float64{"read.iops": 2999.501, "read.p99": 5342000}, first.Results[0].Metrics); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]export.HistoryDriver{{Name: "ebs.csi.aws.com", Image: "ebs:v1.64.0", Targets: []string{"gp3"}}}, first.Environment.Drivers); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(out.String(), `"results": []`) {
		t.Error("a benchmark that measured nothing has no list of results")
	}
}

func TestHistoryTable(t *testing.T) {
	var out bytes.Buffer
	HistoryTable(&out, twoNights())
	want := []string{
		"TIME (UTC) BENCHMARK STATUS WORKLOAD TARGET READ IOPS READ P99 SYNC P99",
		"2026-11-12 03:00:00 nightly-1 Completed rr bs=4k gp3 3000 5.34ms",
		"2026-11-12 03:00:00 nightly-1 Completed =wal/log efs >17.1s",
		"2026-11-13 03:00:00 nightly-2 ProvisioningFailed",
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
