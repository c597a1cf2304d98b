package pass

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
)

// MaxPlansBytes is about how much memory the plans of all benchmarks that are under way may take. The plan of a usual
// spec takes some 20 KiB.
const MaxPlansBytes = 16 << 20

// KeptPlan is a plan, and what it was made from. The most hostile spec takes the better part of a second to plan, which
// each pass would take again.
type KeptPlan struct {
	uid        types.UID
	generation int64
	volumes    plan.Volumes
	runs       []plan.Run
	problems   field.ErrorList
	needed     int32
	Bytes      int
}

// PlanCache has plans by the names of their benchmarks, as many as fit into maxPlansBytes. The zero value is empty.
type PlanCache struct {
	// making is held while a plan is made.
	making sync.Mutex

	mu    sync.Mutex
	Plans map[types.NamespacedName]*KeptPlan
	Bytes int
}

// One has a plan made, one at a time: the most hostile one takes 45 MiB while it is made.
func (c *PlanCache) One(build func() *KeptPlan) *KeptPlan {
	c.making.Lock()
	defer c.making.Unlock()
	return build()
}

// Load returns the plan of a benchmark, nil if it is not kept.
func (c *PlanCache) Load(name types.NamespacedName) *KeptPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Plans[name]
}

// NeededSeconds returns the deadline that the planned runs of a benchmark need, 0 if the default is enough or the plan
// is not kept.
func (c *PlanCache) NeededSeconds(name types.NamespacedName) int32 {
	if kept := c.Load(name); kept != nil {
		return kept.needed
	}
	return 0
}

// Store keeps a plan. Where there is no room for all the largest go, which may be this one: who asks for much is
// planned anew in each pass, and the others are not.
func (c *PlanCache) Store(name types.NamespacedName, p *KeptPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Plans == nil {
		c.Plans = map[types.NamespacedName]*KeptPlan{}
	}
	c.drop(name)
	c.Plans[name] = p
	c.Bytes += p.Bytes
	for c.Bytes > MaxPlansBytes {
		c.drop(c.largest())
	}
}

// Forget drops the plan of a benchmark.
func (c *PlanCache) Forget(name types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(name)
}

func (c *PlanCache) drop(name types.NamespacedName) {
	if p, found := c.Plans[name]; found {
		c.Bytes -= p.Bytes
		delete(c.Plans, name)
	}
}

func (c *PlanCache) largest() types.NamespacedName {
	bySize := func(a, b types.NamespacedName) int { return cmp.Compare(c.Plans[a].Bytes, c.Plans[b].Bytes) }
	return slices.MaxFunc(slices.Collect(maps.Keys(c.Plans)), bySize)
}

// Plan returns the runs of the spec, and all that is wrong with it.
func (s *Pass) Plan() ([]plan.Run, field.ErrorList) {
	name, volumes := client.ObjectKeyFromObject(s.SB), plan.VolumesOf(s.SB.Status.Targets)
	kept := s.Plans.Load(name)
	if kept != nil && kept.uid == s.SB.UID && kept.generation == s.SB.Generation && maps.Equal(kept.volumes, volumes) {
		return kept.runs, kept.problems
	}
	// Runs point into the spec, and this pass's may be changed by what the API server answers.
	spec := preset.Pin(&s.SB.Spec, s.SB.Status.Presets).DeepCopy()
	spec.Pod, spec.Placement = nil, nil // which have no part in a plan, and can be large
	if s.SB.Status.StartTime != nil {
		spec.Deadlines.RunCompletionSeconds = nil // who shortens it during a run has that ended
	}
	made := s.Plans.One(func() *KeptPlan {
		runs, problems := plan.Runs(spec, volumes)
		return &KeptPlan{
			uid: s.SB.UID, generation: s.SB.Generation, volumes: volumes,
			runs: runs, problems: problems, needed: plan.RunDeadlineSeconds(runs), Bytes: bytesOfPlan(spec, runs, problems),
		}
	})
	s.Plans.Store(name, made)
	return made.runs, made.problems
}

// bytesOfPlan returns about how much memory a plan takes with the spec that it points into.
func bytesOfPlan(spec *v1alpha1.StorageBenchmarkSpec, runs []plan.Run, problems field.ErrorList) int {
	const (
		perRun     = 512 // with its name and parameters
		perProblem = 1024
		perByte    = 4 // of the spec's text: numbers and pointers take more than their digits
	)
	bytes := len(runs)*perRun + len(problems)*perProblem
	if text, err := json.Marshal(spec); err == nil {
		bytes += len(text) * perByte
	}
	seen := map[*fio.JobFile]bool{} // repetitions and targets have the same
	for i := range runs {
		for _, job := range []*fio.JobFile{runs[i].Job, runs[i].Lowest, runs[i].Probe} {
			if job != nil && !seen[job] {
				seen[job] = true
				bytes += job.Bytes()
			}
		}
	}
	return bytes
}

// Planned returns the plan of a run, false if the spec knows of none.
func (s *Pass) Planned(run *v1alpha1.Run) (*plan.Run, bool) {
	return plan.Of(s.PlannedRuns(), run)
}

// PlannedRuns returns the plan of the spec.
func (s *Pass) PlannedRuns() []plan.Run {
	if s.Runs == nil {
		// Nothing to report: the plan was found to be valid before the first run began.
		s.Runs, _ = s.Plan()
	}
	return s.Runs
}

// NeededSeconds returns the deadline that the planned runs need where the spec sets none, 0 if the default is enough.
func (s *Pass) NeededSeconds() int32 { return plan.RunDeadlineSeconds(s.PlannedRuns()) }
