package plan

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// hostileFile returns a job file with so many options that all jobs share, and so many jobs that make one result.
func hostileFile(shared, sections int) string {
	var text strings.Builder
	text.WriteString("[global]\nrw=read\nsize=1M\ngroup_reporting\n")
	for i := range shared {
		fmt.Fprintf(&text, "o%d\n", i)
	}
	for i := range sections {
		fmt.Fprintf(&text, "[%d]\n", i)
	}
	return text.String()
}

// values returns so many values.
func values(n int) v1alpha1.MatrixValues {
	var all v1alpha1.MatrixValues
	for i := range n {
		all = append(all, intstr.FromInt(4096*(i+1)))
	}
	return all
}

// planned returns what planning a spec leaves, and how much it allocates and keeps.
func planned(s *v1alpha1.StorageBenchmarkSpec) (problems string, allocated, kept uint64) {
	var before, after, collected runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	runs, errs := Runs(s, nil)
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&collected)
	if len(errs) > 0 {
		problems = errs.ToAggregate().Error()
	}
	kept = max(collected.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	runtime.KeepAlive(runs)
	return problems, after.TotalAlloc - before.TotalAlloc, kept
}

// A few KB of a spec take a few MB to plan, or are refused before they take them.
func TestHostileSpecsTakeLittleMemory(t *testing.T) {
	for _, test := range []struct {
		name                             string
		workloads, shared, jobs, choices int
		refused                          bool
	}{
		{name: "250 sections in 200 cases", workloads: 1, jobs: 250, choices: 200, refused: true},
		{name: "options that each section has", workloads: 1, shared: 700, jobs: 250, choices: 1, refused: true},
		{name: "in each of many workloads", workloads: 64, jobs: 250, choices: 3, refused: true},
		{name: "as many as can be", workloads: 1, jobs: 32, choices: 200},
		{name: "as many sections as can be", workloads: 1, jobs: 250, choices: 26},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("a"))
			for i := range test.workloads {
				w := builder.NewJobFile(fmt.Sprintf("w%d", i), hostileFile(test.shared, test.jobs))
				w.Matrix = map[string]v1alpha1.MatrixValues{"bs": values(test.choices)}
				b.Workload(w)
			}
			problems, allocated, kept := planned(spec(b))
			t.Logf("%d KiB to plan, of which %d KiB stay: %.100s", allocated>>10, kept>>10, problems)
			if refused := strings.Contains(problems, " options ") && strings.Contains(problems, ": use fewer "); refused != test.refused {
				t.Errorf("refused %t: %s", refused, problems)
			}
			most := uint64(128 << 20)
			if test.refused {
				most = 32 << 20
			}
			if allocated > most || kept > 8<<20 {
				t.Errorf("%d bytes are allocated, and %d stay", allocated, kept)
			}
		})
	}
}

// The most hostile plan is estimated without much more memory than it takes to plan: what is the same of repetitions, targets and
// clients is looked at once.
func TestHostileSpecsAreEstimatedInLittleMemory(t *testing.T) {
	var clients []int32
	for i := range 50 {
		clients = append(clients, int32(2*i+1))
	}
	for _, test := range []struct {
		name     string
		targets  int
		sections int
		matrix   map[string]v1alpha1.MatrixValues
		clients  []int32
	}{
		{name: "files of many sizes on many targets", targets: 7, sections: 250, matrix: map[string]v1alpha1.MatrixValues{"size": values(26)}},
		{name: "many numbers of clients", targets: 1, sections: 130, clients: clients},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := builder.NewJobFile("w", hostileFile(0, test.sections))
			w.Matrix, w.Clients = test.matrix, test.clients
			b := builder.NewBenchmark("ns", "sb").Workload(w)
			for i := range test.targets {
				target := builder.NewTarget(fmt.Sprintf("t%d", i))
				target.AccessMode = new(corev1.ReadWriteMany)
				target.Capacity = new(resource.MustParse("1Ti"))
				b.Target(target)
			}
			runs, problems := Runs(spec(b), nil)
			if len(problems) > 0 {
				t.Fatal(problems.ToAggregate())
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			estimates := Estimates(runs, nil)
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KiB to estimate %d runs", took>>10, len(estimates))
			if took > 256<<20 {
				t.Errorf("%d bytes are allocated", took)
			}
		})
	}
}
