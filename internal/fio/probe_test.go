package fio

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func probed(change func(*v1alpha1.FioParameters)) *v1alpha1.FioParameters {
	p := &v1alpha1.FioParameters{
		RW: "randread", Direct: new(true), Size: new("1G"), RuntimeSeconds: new(int32(60)), RampTimeSeconds: new(intstr.FromInt32(5)), TimeBased: new(true),
		NumJobs: new(int32(4)), Options: map[string]v1alpha1.FioOptionValue{},
	}
	change(p)
	return p
}

// A probe keeps twice as many I/Os in flight as the job does, and ends sooner.
func TestProbe(t *testing.T) {
	for name, test := range map[string]struct {
		change       func(*v1alpha1.FioParameters)
		has, hasNot  []string
		jobs, flight int64
		seconds      float64
	}{
		"an engine that waits": {
			func(*v1alpha1.FioParameters) {}, []string{"[reads-probe]", "filename_format=reads.$jobnum.$filenum\n"}, nil, 8, 8, 10,
		},
		"an engine that does not wait": {
			func(p *v1alpha1.FioParameters) { p.IOEngine, p.IODepth = new("libaio"), new(int32(16)) },
			[]string{"iodepth=32\n"}, []string{"-probe", "iodepth=16"}, 4, 128, 10,
		},
		"sequential": {
			func(p *v1alpha1.FioParameters) { p.RW, p.IOEngine = "write", new("libaio") }, []string{"iodepth=2\n"}, nil, 4, 8, 10,
		},
		"a short run": {
			func(p *v1alpha1.FioParameters) { p.RuntimeSeconds = new(int32(3)) }, []string{"runtime=3\n"}, []string{"ramp_time=5"}, 8, 8, 3,
		},
	} {
		probe, err := FromParameters("reads", probed(test.change)).Probe()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := probe.String()
		for _, want := range test.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		for _, not := range test.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", name, not, text)
			}
		}
		load := Load{}
		for _, l := range probe.Loads() {
			load.Jobs, load.InFlight = load.Jobs+l.Jobs, load.InFlight+l.InFlight
		}
		seconds := 0.0
		for _, stage := range probe.Stages() {
			seconds += stage.TimedSeconds
		}
		if load.Jobs != test.jobs || load.InFlight != test.flight || seconds != test.seconds {
			t.Errorf("%s: %d jobs, %d in flight, %v s, want %d, %d, %v", name, load.Jobs, load.InFlight, seconds, test.jobs, test.flight, test.seconds)
		}
	}
}

func TestNoProbe(t *testing.T) {
	for want, change := range map[string]func(*v1alpha1.FioParameters){
		"set runtimeSeconds, and no timeBased: false":  func(p *v1alpha1.FioParameters) { p.TimeBased = new(false) },
		"set direct: true":                             func(p *v1alpha1.FioParameters) { p.Direct = nil },
		"it needs reads or writes, and rw is randtrim": func(p *v1alpha1.FioParameters) { p.RW = "randtrim" },
		"it does not go with rate_iops: remove that":   func(p *v1alpha1.FioParameters) { p.Options["rate_iops"] = "100" },
		"it does not go with filename_format":          func(p *v1alpha1.FioParameters) { p.Options["filename_format"] = "$JOBNAME.$jobnum" },
		"it does not go with stonewall":                func(p *v1alpha1.FioParameters) { p.Options["stonewall"] = "1" },
		"it does not go with unlink: remove that":      func(p *v1alpha1.FioParameters) { p.Options["unlink"] = "1" },
		"jobs of ioengine psync wait for each I/O":     func(p *v1alpha1.FioParameters) { p.RW = "read" },
		"its job file takes": func(p *v1alpha1.FioParameters) {
			p.Options["description"] = v1alpha1.FioOptionValue(strings.Repeat("x", 2000))
		},
	} {
		if probe, err := FromParameters("reads", probed(change)).Probe(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want %q", probe, err, want)
		}
	}
	file, err := Parse("[a]\nrw=randread\ndirect=1\nsize=1M\nruntime=1\ntime_based\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Probe(); err == nil || !strings.Contains(err.Error(), "workloads of fio") {
		t.Errorf("of a job file: %v", err)
	}
}
