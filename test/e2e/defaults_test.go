//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestDefaults: a workload that has only rw and bs measures the storage, with several I/Os in flight past the page cache, for the time that
// spec.fio gives. Size and time are smaller than by default, so that the test is short.
func TestDefaults(t *testing.T) {
	sideBySide(t, early)
	sb := benchmark(t, "defaults", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Fio = &v1alpha1.FioParameters{Size: new("32M"), RuntimeSeconds: new(int32(2))}
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "reads", Fio: &v1alpha1.FioParameters{RW: "randread", BS: new("4k")}}}
	})
	create(t, sb)
	want := v1alpha1.DefaultFio()
	want.Size, want.RuntimeSeconds = new("32M"), new(int32(2))
	if diff := cmp.Diff(want, sb.Spec.Fio); diff != "" {
		t.Errorf("spec.fio in the cluster (-want +got):\n%s", diff)
	}
	run := completes(t, sb).Status.Runs[0]
	if run.Result == nil || run.Result.Of(v1alpha1.OperationRead) == nil {
		t.Fatalf("run = %+v", run)
	}
	checkFigures(t, run.Result, run.Result.Of(v1alpha1.OperationRead))
	log := keptLog(t, &run)
	var output struct {
		Jobs []struct {
			Options map[string]string  `json:"job options"`
			Depths  map[string]float64 `json:"iodepth_level"`
		} `json:"jobs"`
	}
	_, text, _ := strings.Cut(log, "{")
	if err := json.NewDecoder(strings.NewReader("{" + text)).Decode(&output); err != nil || len(output.Jobs) != 1 {
		t.Fatalf("%d jobs in fio's output: %v\n%s", len(output.Jobs), err, log)
	}
	for option, value := range map[string]string{"ioengine": "libaio", "iodepth": "16", "direct": "1", "runtime": "2", "time_based": "1", "size": "32M"} {
		if got := output.Jobs[0].Options[option]; got != value {
			t.Errorf("fio had %s=%s, want %s", option, got, value)
		}
	}
	if deep := output.Jobs[0].Depths["16"]; deep < 90 {
		t.Errorf("16 I/Os were in flight for %v %% of the time: %v", deep, output.Jobs[0].Depths)
	}
}
