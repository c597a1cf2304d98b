package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func searchedSpec() *v1alpha1.StorageBenchmarkSpec {
	return &v1alpha1.StorageBenchmarkSpec{
		Repetitions: new(int32(2)),
		Targets:     []v1alpha1.Target{{Name: "a", StorageClassName: new("gp3")}, {Name: "b", StorageClassName: new("gp2")}},
		Workloads: []v1alpha1.Workload{{
			Name: "w",
			Fio: &v1alpha1.FioParameters{
				RW: "randread", IOEngine: new("libaio"), Direct: new(true), Size: new("1M"), RuntimeSeconds: new(int32(60)), TimeBased: new(true),
			},
			Search: &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 4, Objective: v1alpha1.SearchObjective{Metric: "read.p99", Max: "5ms"}},
		}},
	}
}

// A search is planned with all steps that it may take, of which each is made with the load that is chosen for it.
func TestSearches(t *testing.T) {
	runs, problems := Runs(searchedSpec(), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const steps = 9 // loads 1, 2 and 4, one between, and 5 that confirm
	if len(runs) != 2*2*steps {
		t.Fatalf("%d runs are planned", len(runs))
	}
	if diff := cmp.Diff([]string{"w.a.1.step-1", "w.b.1.step-1", "w.a.1.step-2"}, names(runs[:3])); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	at := runs[0].At(3)
	if text := at.Job.String(); !strings.Contains(text, "iodepth=3") || at.Parameters["iodepth"] != "3" {
		t.Errorf("a step with iodepth 3 does\n%swith parameters %v", text, at.Parameters)
	}
	if text := runs[0].Job.String(); !strings.Contains(text, "iodepth=4") || runs[0].Parameters != nil {
		t.Errorf("before it is chosen it does\n%swith parameters %v", text, runs[0].Parameters)
	}
	estimates := Estimates(runs, nil)
	for i := range runs {
		if e := estimates[runs[i].Name]; e.AtMost != (runs[i].Step > 2) || e.Measuring.Seconds() != 60 {
			t.Errorf("%s is expected to take %+v", runs[i].Name, e)
		}
	}
}

// Each load has its files laid out once, before the first step.
func TestSearchesLayOutOnce(t *testing.T) {
	spec := searchedSpec()
	spec.Workloads[0].Search.Vary = v1alpha1.VaryNumJobs
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	layout := NewLayout(runs, nil)
	first := runs[0].At(1)
	if file := layout.Before(first).Of(0); file == nil || !strings.Contains(file.String(), "numjobs=4") {
		t.Errorf("before the first step files are laid out by\n%v", file)
	}
	layout.Measured(first)
	if file := layout.Before(runs[2].At(4)).Of(0); file != nil {
		t.Errorf("before the next step files are laid out by\n%v", file)
	}
}

// Any number of clients that is searched lays out its own files.
func TestSearchesOfClientsLayOut(t *testing.T) {
	spec := searchedSpec()
	spec.Workloads[0].Search.Vary = v1alpha1.VaryClients
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if most := spec.MostClients(); most != 4 {
		t.Errorf("%d clients are made", most)
	}
	layout := NewLayout(runs, nil)
	for i, clients := range []int32{1, 2, 4, 3} {
		step := runs[2*i].At(clients)
		made := 0
		for client := range clients {
			if layout.Before(step).Of(client) != nil {
				made++
			}
		}
		if want := []int{1, 1, 2, 0}[i]; step.Clients != clients || made != want {
			t.Errorf("of %d clients %d lay out, want %d", step.Clients, made, want)
		}
		layout.Measured(step)
	}
}

// A rate is that of all clients.
func TestRateOfSteps(t *testing.T) {
	spec := searchedSpec()
	spec.Clients, spec.Workloads[0].Search.Vary, spec.Workloads[0].Search.Max = new(int32(3)), v1alpha1.VaryRateIOPS, 3200
	spec.Workloads[0].Fio.NumJobs, spec.Repetitions, spec.Targets = new(int32(2)), nil, spec.Targets[:1]
	runs, problems := Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if rate := runs[0].At(500).Rate(); rate != 3*2*500 {
		t.Errorf("3 clients with 2 jobs of 500 IOPS are told %d", rate)
	}
	if text := runs[0].Lowest.String(); !strings.Contains(text, "rate_iops=50\n") {
		t.Errorf("the lowest rate is\n%s", text)
	}
}

func TestSearchesAreRefused(t *testing.T) {
	search := func(change func(*v1alpha1.LoadSearch)) func(*v1alpha1.StorageBenchmarkSpec) {
		return func(s *v1alpha1.StorageBenchmarkSpec) { change(s.Workloads[0].Search) }
	}
	for want, change := range map[string]func(*v1alpha1.StorageBenchmarkSpec){
		"spec.workloads[0].search.vary: Unsupported value: \"bs\"":                       search(func(l *v1alpha1.LoadSearch) { l.Vary = "bs" }),
		"spec.workloads[0].search.max: Invalid value: 0: iodepth can be from 1 to 65536": search(func(l *v1alpha1.LoadSearch) { l.Max = 0 }),
		"spec.workloads[0].search.max: Invalid value: 200: clients can be from 1 to 128": search(func(l *v1alpha1.LoadSearch) { l.Vary, l.Max = "clients", 200 }),
		"spec.workloads[0].search.min: Invalid value: 5: it has to be from 1 to max, which is 4": search(func(l *v1alpha1.LoadSearch) {
			l.Min = new(int32(5))
		}),
		"spec.workloads[0].search.objective.metric: Invalid value: \"write.p99\": the workload does no I/O with this metric": search(func(l *v1alpha1.LoadSearch) {
			l.Objective.Metric = "write.p99"
		}),
		"spec.workloads[0].search.objective: Invalid value: max and maxRatioToBaseline are for latencies": search(func(l *v1alpha1.LoadSearch) {
			l.Objective.Metric = "read.iops"
		}),
		"spec.workloads[0].search.objective: Invalid value: max \"5\" is no latency": search(func(l *v1alpha1.LoadSearch) { l.Objective.Max = "5" }),
		"spec.workloads[0].search.vary: Invalid value: \"iodepth\": its engine keeps one I/O in flight for each job": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.IOEngine = nil
		},
		"spec.workloads[0].search.vary: Invalid value: \"iodepth\": matrix[iodepth] varies it as well": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Matrix = matrix{"iodepth": many(2)}
		},
		"spec.workloads[0].search: Forbidden: it does not go with probe": func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Probe = v1alpha1.ProbeLastRepetition },
		"spec.workloads[0].search.vary: Invalid value: \"iodepth\": a preset sets what is measured": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio, s.Workloads[0].Preset = nil, new("etcd")
		},
		"spec.workloads[0].search: Forbidden: it needs one result of each run, and the sections give 2": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio, s.Workloads[0].JobFile = nil, new("[global]\nioengine=libaio\nsize=1M\n[a]\nrw=read\n[b]\nrw=read\n")
		},
		"spec.workloads[0].search.objective.metric: Invalid value: \"read.p99\": fio is told not to take latencies": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"gtod_reduce": "1"}
		},
		"spec.workloads[0].search: Forbidden: fio's own latency_target varies iodepth at the same time: remove it, or search": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"latency_target": "5ms"}
		},
		"give 230 results; a search counts with all steps that it may take, and the answers of searches are": func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Repetitions, s.Workloads[0].Search.Max = new(int32(6)), 256
		},
	} {
		spec := searchedSpec()
		change(spec)
		runs, problems := Runs(spec, nil)
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || runs != nil {
			t.Errorf("problems are %v, want %s", problems, want)
		}
	}
}
