package controllers

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/test/builder"
)

// Plans are kept as long as there is room for all. Then the largest are not, whoever came first.
func TestPlanCache(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		name   string
		stored []int // by the order in which they are
		kept   []int
	}{
		{"room for all", []int{1 * mib, 2 * mib, 3 * mib}, []int{0, 1, 2}},
		{"just as much room", []int{pass.MaxPlansBytes / 2, pass.MaxPlansBytes / 2}, []int{0, 1}},
		{"a large one after others", []int{1 * mib, 1 * mib, 15 * mib}, []int{0, 1}},
		{"small ones after a large one", []int{15 * mib, 1 * mib, 1 * mib}, []int{1, 2}},
		{"larger than all room", []int{1, pass.MaxPlansBytes + 1}, []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c pass.PlanCache
			name := func(i int) types.NamespacedName { return types.NamespacedName{Name: fmt.Sprint(i)} }
			for i, bytes := range test.stored {
				c.Store(name(i), &pass.KeptPlan{Bytes: bytes})
			}
			want := 0
			for i, bytes := range test.stored {
				if slices.Contains(test.kept, i) {
					want += bytes
				}
				if kept := c.Load(name(i)) != nil; kept != slices.Contains(test.kept, i) {
					t.Errorf("plan %d is kept: %t", i, kept)
				}
			}
			if c.Bytes != want {
				t.Errorf("%d bytes, want %d", c.Bytes, want)
			}
			for i := range test.stored {
				c.Store(name(i), &pass.KeptPlan{}) // takes the place of the one before
				c.Forget(name(i))
			}
			if c.Bytes != 0 || len(c.Plans) != 0 {
				t.Errorf("%d bytes of %d plans when all are gone", c.Bytes, len(c.Plans))
			}
		})
	}
}

// Benchmarks with plans as large as can be take, however many, no more memory than is given to all.
func TestPlansOfManyHostileBenchmarks(t *testing.T) {
	var file strings.Builder
	file.WriteString("[global]\nrw=read\nsize=1M\ngroup_reporting\n")
	for i := range 250 {
		fmt.Fprintf(&file, "[%d]\n", i)
	}
	hostile := builder.NewJobFile("hostile", file.String())
	var choices v1alpha1.MatrixValues
	for i := range 26 {
		choices = append(choices, intstr.FromInt(4096*(i+1)))
	}
	hostile.Matrix = map[string]v1alpha1.MatrixValues{"bs": choices}
	r := &Reconciler{}
	begin := func(name string, workload v1alpha1.Workload) *pass.Pass {
		sb := builder.NewBenchmark("tenant", name).Target(builder.NewTarget("a")).Workload(workload).Build()
		s := passOver(r, sb)
		if _, problems := s.Plan(); len(problems) > 0 {
			t.Fatal(problems)
		}
		return s
	}
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	honest := begin("honest", builder.NewWorkload("randread"))
	const benchmarks = 32
	for i := range benchmarks {
		begin(fmt.Sprint(i), hostile)
	}
	taken := max(heap(), before) - before
	t.Logf("%d KiB for %d plans of %d hostile benchmarks, counted as %d KiB", taken>>10, len(r.plans.Plans), benchmarks, r.plans.Bytes>>10)
	if taken > 2*pass.MaxPlansBytes || len(r.plans.Plans) >= benchmarks {
		t.Errorf("%d bytes for %d plans", taken, len(r.plans.Plans))
	}
	if r.plans.Load(types.NamespacedName{Namespace: "tenant", Name: honest.SB.Name}) == nil {
		t.Error("the plan of the honest benchmark is not kept")
	}
	runtime.KeepAlive(r)
}

// Passes at the same time make one plan at a time.
func TestOnePlanAtATime(t *testing.T) {
	var c pass.PlanCache
	var making, most atomic.Int32
	var passes sync.WaitGroup
	for range 4 {
		passes.Go(func() {
			for range 100 {
				c.One(func() *pass.KeptPlan {
					most.Store(max(most.Load(), making.Add(1)))
					runtime.Gosched()
					making.Add(-1)
					return nil
				})
			}
		})
	}
	passes.Wait()
	if most.Load() != 1 {
		t.Errorf("%d plans were made at a time", most.Load())
	}
}
