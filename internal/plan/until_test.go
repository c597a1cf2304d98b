package plan

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/steady"
)

func steadySpec() *v1alpha1.StorageBenchmarkSpec {
	return &v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{{Name: "a", StorageClassName: new("gp3")}},
		Workloads: []v1alpha1.Workload{{
			Name: "w", Until: &v1alpha1.Until{}, Fio: &v1alpha1.FioParameters{RW: "randread", Direct: new(true), Size: new("1M"), IODepth: new(int32(4))},
		}},
	}
}

// What is measured is a window, and all that goes before counts in estimates and deadlines.
func TestUntil(t *testing.T) {
	for _, test := range []struct {
		name     string
		until    v1alpha1.Until
		want     steady.Until
		runtime  string
		estimate float64
		deadline int32
	}{
		{"SNIA's", v1alpha1.Until{}, steady.Until{Metric: "iops", WindowSeconds: 60, SlopePercent: 10, RangePercent: 20, MostSeconds: 3538, Judged: true}, "60", 3602, 0},
		{
			"all given", v1alpha1.Until{
				SteadyState: v1alpha1.SteadyStateRule{Metric: new("bw"), WindowSeconds: new(int32(5)), SlopePercent: new(int32(3)), RangePercent: new(int32(7))},
				MaxSeconds:  new(int32(10)),
			},
			steady.Until{Metric: "bw", WindowSeconds: 5, SlopePercent: 3, RangePercent: 7, MostSeconds: 3, Judged: true}, "5", 12, 0,
		},
		{
			"for a day", v1alpha1.Until{MaxSeconds: new(int32(86_400))},
			steady.Until{Metric: "iops", WindowSeconds: 60, SlopePercent: 10, RangePercent: 20, MostSeconds: 86_338, Judged: true}, "60", 86_402, 172_804,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := steadySpec()
			spec.Workloads[0].Until = &test.until
			runs, problems := Runs(spec, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if *runs[0].Until != test.want {
				t.Errorf("until %+v, want %+v", *runs[0].Until, test.want)
			}
			job := runs[0].Job.String()
			for _, option := range []string{"runtime=" + test.runtime + "\n", "time_based=1\n", "ramp_time=2\n"} {
				if !strings.Contains(job, option) {
					t.Errorf("the job lacks %s:\n%s", option, job)
				}
			}
			estimate := Estimates(runs, nil)[runs[0].Name]
			if estimate.Measuring.Seconds() != test.estimate || !estimate.MayEndSooner {
				t.Errorf("it is expected to take %+v, want %v s at most", estimate, test.estimate)
			}
			if got := RunDeadlineSeconds(runs); got != test.deadline {
				t.Errorf("a deadline of %d s, want %d", got, test.deadline)
			}
		})
	}
}

// What is to begin warm is measured for its own runtime, and runs for as long before at most.
func TestRampAuto(t *testing.T) {
	for runtime, want := range map[int32]struct {
		most     int32
		estimate float64
	}{
		5:      {30, 5 + 2 + 30 + 2},
		60:     {60, 60 + 2 + 60 + 2},
		86_000: {3600, 86_000 + 2 + 3600 + 2},
	} {
		spec := rampSpec()
		spec.Workloads[0].Fio.RuntimeSeconds = &runtime
		runs, problems := Runs(spec, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got, want := *runs[0].Until, (steady.Until{Metric: "iops", WindowSeconds: 10, SlopePercent: 10, RangePercent: 20, MostSeconds: want.most}); got != want {
			t.Errorf("runtime %d: until %+v, want %+v", runtime, got, want)
		}
		job := runs[0].Job.String()
		for _, option := range []string{fmt.Sprintf("runtime=%d\n", runtime), "time_based=1\n", "ramp_time=2\n"} {
			if strings.Count(job, option) != 1 {
				t.Errorf("runtime %d: the job lacks %s:\n%s", runtime, option, job)
			}
		}
		if estimate := Estimates(runs, nil)[runs[0].Name]; estimate.Measuring.Seconds() != want.estimate || !estimate.MayEndSooner {
			t.Errorf("runtime %d: it is expected to take %+v, want %v s at most", runtime, estimate, want.estimate)
		}
		if deadline := RunDeadlineSeconds(runs); deadline > 0 && float64(deadline) < want.estimate {
			t.Errorf("runtime %d: it is ended after %d s", runtime, deadline)
		}
	}
}

// A raw device needs no size: all of it is used, over and over.
func TestUntilOnADevice(t *testing.T) {
	for _, spec := range []*v1alpha1.StorageBenchmarkSpec{steadySpec(), rampSpec()} {
		spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		spec.Workloads[0].Fio.Size = nil
		if _, problems := Runs(spec, nil); len(problems) > 0 {
			t.Error(problems)
		}
	}
}

// rampSpec is of a workload that is measured when it is warm.
func rampSpec() *v1alpha1.StorageBenchmarkSpec {
	spec := steadySpec()
	spec.Workloads[0].Until = nil
	fio := spec.Workloads[0].Fio
	fio.RampTimeSeconds, fio.RuntimeSeconds, fio.TimeBased = new(intstr.FromString("auto")), new(int32(60)), new(true)
	return spec
}

func TestRampAutoIsRefused(t *testing.T) {
	const needs = `spec.workloads[0].fio.rampTimeSeconds: Invalid value: "auto": rampTimeSeconds: auto needs runtimeSeconds`
	for name, test := range map[string]struct {
		want   string
		change func(*v1alpha1.Workload)
	}{
		"no runtime":     {needs, func(w *v1alpha1.Workload) { w.Fio.RuntimeSeconds = nil }},
		"not time based": {needs, func(w *v1alpha1.Workload) { w.Fio.TimeBased = new(false) }},
		"another word": {
			`spec.workloads[0].fio.rampTimeSeconds: Invalid value: "5s": rampTimeSeconds must be a number of seconds from 0 to 86400, or auto`,
			func(w *v1alpha1.Workload) { w.Fio.RampTimeSeconds = new(intstr.FromString("5s")) },
		},
		"options": {
			"spec.workloads[0].fio.rampTimeSeconds: Forbidden: a workload that goes on until it is steady is started more than once on the same files: remove unlink, or rampTimeSeconds: auto",
			func(w *v1alpha1.Workload) { w.Fio.Options = map[string]v1alpha1.FioOptionValue{"unlink": "1"} },
		},
		"matrix": {
			"spec.workloads[0].matrix[startdelay]: Forbidden: rampTimeSeconds: auto says for how long fio runs: remove startdelay, or rampTimeSeconds: auto",
			func(w *v1alpha1.Workload) {
				w.Matrix = map[string]v1alpha1.MatrixValues{"startdelay": {intstr.FromInt32(5)}}
			},
		},
		"runtime in matrix": {
			"spec.workloads[0].matrix[runtimeSeconds]: Forbidden: with rampTimeSeconds: auto it has one value, in fio: remove it from matrix",
			func(w *v1alpha1.Workload) {
				w.Matrix = map[string]v1alpha1.MatrixValues{"runtimeSeconds": {intstr.FromInt32(5)}}
			},
		},
		"auto in matrix": {
			"spec.workloads[0].matrix[ramp_time]: Forbidden: auto is for fio.rampTimeSeconds",
			func(w *v1alpha1.Workload) {
				w.Fio.RampTimeSeconds = nil
				w.Matrix = map[string]v1alpha1.MatrixValues{"ramp_time": {intstr.FromInt32(0), intstr.FromString("auto")}}
			},
		},
		"more than a day": {
			"spec.workloads[0].fio.rampTimeSeconds: Invalid value: 86401: rampTimeSeconds must be",
			func(w *v1alpha1.Workload) { w.Fio.RampTimeSeconds = new(intstr.FromInt32(86_401)) },
		},
		"until as well": {
			"spec.workloads[0].fio.rampTimeSeconds: Forbidden: until says for how long fio runs: remove rampTimeSeconds, or until",
			func(w *v1alpha1.Workload) { w.Until = &v1alpha1.Until{} },
		},
		"a hot spot elsewhere": {
			"fio is started anew to measure; random_distribution zipf:1.2 prefers other blocks each time that fio is started: give it a centre, such as zipf:1.2:0.5, or remove rampTimeSeconds: auto",
			func(w *v1alpha1.Workload) {
				w.Matrix = map[string]v1alpha1.MatrixValues{"random_distribution": {intstr.FromString("zipf:1.2:0.5"), intstr.FromString("zipf:1.2")}}
			},
		},
		"hot files elsewhere": {
			"file_service_type pareto:0.9 prefers other files each time",
			func(w *v1alpha1.Workload) {
				w.Fio.NrFiles, w.Fio.Options = new(int32(10)), map[string]v1alpha1.FioOptionValue{"file_service_type": "pareto:0.9"}
			},
		},
		"files without a size": {
			"files need a size",
			func(w *v1alpha1.Workload) { w.Fio.Size = nil },
		},
		"metadata": {
			"spec.workloads[0].fio.rampTimeSeconds: Forbidden: operations on files end with the last file, and ioengine is filestat: remove rampTimeSeconds: auto",
			func(w *v1alpha1.Workload) { w.Fio.IOEngine = new("filestat") },
		},
	} {
		spec := rampSpec()
		test.change(&spec.Workloads[0])
		_, problems := Runs(spec, nil)
		if len(problems) == 0 || !strings.Contains(problems.ToAggregate().Error(), test.want) {
			t.Errorf("%s: problems are %v, want %q", name, problems, test.want)
		}
	}
}

func TestUntilIsRefused(t *testing.T) {
	for want, change := range map[string]func(*v1alpha1.StorageBenchmarkSpec){
		"spec.workloads[0].until: Forbidden: until says for how long fio runs: remove runtimeSeconds, or until": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.RuntimeSeconds = new(int32(60))
		},
		"spec.workloads[0].until: Forbidden: until says for how long fio runs: remove rampTimeSeconds, or until": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"ramp_time": "5"}
		},
		"spec.workloads[0].until: Forbidden: a workload that goes on until it is steady is started more than once on the same files: remove unlink": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"unlink": "1"}
		},
		"remove ss, or until": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"ss": "iops:10%"}
		},
		"spec.workloads[0].matrix[runtimeSeconds]: Forbidden: until says for how long": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{"runtimeSeconds": {intstr.FromInt32(5)}}
		},
		"spec.workloads[0].until: Forbidden: operations on files end with the last file": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio = &v1alpha1.FioParameters{RW: "write", IOEngine: new("filecreate"), Size: new("4k"), NrFiles: new(int32(10))}
		},
		"spec.workloads[0].until: Forbidden: operations on files end with the last file, and the matrix has an ioengine for them": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{"ioengine": {intstr.FromString("psync"), intstr.FromString("filestat")}}
		},
		"spec.workloads[0].until: Forbidden: a workload that goes on until it is steady is started more than once on the same files: remove randrepeat": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"randrepeat": "1"}
		},
		"spec.workloads[0].until: Forbidden: it is for workloads of fio": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio, s.Workloads[0].JobFile = nil, new("[a]\nrw=read\nsize=1M\n")
		},
		"spec.workloads[0].until.maxSeconds: Invalid value: 100: it must be at least twice steadyState.windowSeconds": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Until.MaxSeconds = new(int32(100))
		},
		"spec.workloads[0].until.steadyState.windowSeconds: Invalid value: 4: give a number from 5 to 86400": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Until.SteadyState.WindowSeconds = new(int32(4))
		},
		"spec.workloads[0].until.steadyState.slopePercent: Invalid value: 0": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Until.SteadyState.SlopePercent = new(int32(0))
		},
		`spec.workloads[0].until.steadyState.metric: Unsupported value: "lat"`: func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Until.SteadyState.Metric = new("lat")
		},
		"spec.deadlines.runCompletionSeconds: Invalid value: 600: workload w can run for 3602 s": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Deadlines.RunCompletionSeconds = new(int32(600))
		},
	} {
		spec := steadySpec()
		change(spec)
		_, problems := Runs(spec, nil)
		if len(problems) == 0 || !strings.Contains(problems.ToAggregate().Error(), want) {
			t.Errorf("problems are %v, want %q", problems, want)
		}
	}
}
