package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

func probedSpec() *v1alpha1.StorageBenchmarkSpec {
	return &v1alpha1.StorageBenchmarkSpec{
		Repetitions: new(int32(3)),
		Targets:     []v1alpha1.Target{{Name: "a", StorageClassName: new("gp3")}},
		Workloads: []v1alpha1.Workload{
			{Name: "probed", Probe: v1alpha1.ProbeLastRepetition, Fio: &v1alpha1.FioParameters{
				RW: "randread", Direct: new(true), Size: new("1M"), RuntimeSeconds: new(int32(60)), TimeBased: new(true),
			}},
			{Name: "plain", Fio: &v1alpha1.FioParameters{RW: "randread", Size: new("1M")}},
		},
	}
}

// The last repetition alone is probed, and is expected to take longer.
func TestProbes(t *testing.T) {
	runs, problems := Runs(probedSpec(), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	estimates := Estimates(runs, nil)
	for i := range runs {
		run := &runs[i]
		want := run.Workload.Name == "probed" && run.Repetition == 3
		if (run.Probe != nil) != want {
			t.Errorf("%s: probed %t, want %t", run.Name, run.Probe != nil, want)
		}
		if run.Workload.Name != "probed" {
			continue
		}
		seconds := 60.0
		if want {
			seconds = 70
		}
		if got := estimates[run.Name].Measuring.Seconds(); got != seconds {
			t.Errorf("%s is expected to measure for %v s, want %v", run.Name, got, seconds)
		}
	}
}

func TestProbesAreRefused(t *testing.T) {
	for want, change := range map[string]func(*v1alpha1.StorageBenchmarkSpec){
		"spec.workloads[0].probe: Forbidden: the page cache would answer it: set direct: true": func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Fio.Direct = nil },
		"spec.workloads[0].probe: Forbidden: a probe works with one client":                    func(s *v1alpha1.StorageBenchmarkSpec) { s.Clients = new(int32(2)) },
		"spec.deadlines.runCompletionSeconds: Invalid value: 65: workload probed can run for 70 s": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Deadlines.RunCompletionSeconds = new(int32(65))
		},
		"spec.workloads[0].probe: Forbidden: object stores are not probed": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Targets[0] = v1alpha1.Target{Name: "s3", S3: &v1alpha1.S3Bucket{Bucket: "bucket"}}
		},
	} {
		spec := probedSpec()
		change(spec)
		_, problems := Runs(spec, nil)
		if err := problems.ToAggregate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A probe goes on beyond the deadline of what is measured, which would be lost with it.
func TestProbeTime(t *testing.T) {
	if got := (&Run{}).ProbeTime(); got != 0 {
		t.Errorf("without a probe it takes %s", got)
	}
	if got, want := (&Run{Probe: &fio.JobFile{}}).ProbeTime(), fio.ProbeLimitSeconds*time.Second; got != want {
		t.Errorf("it may take %s, want %s", got, want)
	}
}
