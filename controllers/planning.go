package controllers

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

// maxPlansBytes is about how much memory the plans of all benchmarks that are under way may take. What people write takes
// some 20 KiB each.
const maxPlansBytes = 16 << 20

// keptPlan is a plan, and what it was made from. The most hostile spec takes the better part of a second to plan, which
// each pass would take again.
type keptPlan struct {
	uid        types.UID
	generation int64
	volumes    plan.Volumes
	runs       []plan.Run
	problems   field.ErrorList
	bytes      int
}

// planCache has plans by the names of their benchmarks, as many as fit into maxPlansBytes. The zero value is empty.
type planCache struct {
	// making is held while a plan is made.
	making sync.Mutex

	mu    sync.Mutex
	plans map[types.NamespacedName]*keptPlan
	bytes int
}

// one has a plan made, one at a time: the most hostile one takes 45 MiB while it is made.
func (c *planCache) one(build func() *keptPlan) *keptPlan {
	c.making.Lock()
	defer c.making.Unlock()
	return build()
}

// load returns the plan of a benchmark, nil if it is not kept.
func (c *planCache) load(name types.NamespacedName) *keptPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plans[name]
}

// store keeps a plan. Where there is no room for all the largest go, which may be this one: who asks for much is planned
// anew in each pass, and the others are not.
func (c *planCache) store(name types.NamespacedName, p *keptPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans == nil {
		c.plans = map[types.NamespacedName]*keptPlan{}
	}
	c.drop(name)
	c.plans[name] = p
	c.bytes += p.bytes
	for c.bytes > maxPlansBytes {
		c.drop(c.largest())
	}
}

// forget drops the plan of a benchmark.
func (c *planCache) forget(name types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(name)
}

func (c *planCache) drop(name types.NamespacedName) {
	if p, found := c.plans[name]; found {
		c.bytes -= p.bytes
		delete(c.plans, name)
	}
}

func (c *planCache) largest() types.NamespacedName {
	return slices.MaxFunc(slices.Collect(maps.Keys(c.plans)), func(a, b types.NamespacedName) int { return cmp.Compare(c.plans[a].bytes, c.plans[b].bytes) })
}

// plan returns the runs of the spec, and all that is wrong with it.
func (s *scope) plan() ([]plan.Run, field.ErrorList) {
	name, volumes := client.ObjectKeyFromObject(s.sb), plan.VolumesOf(s.sb.Status.Targets)
	kept := s.plans.load(name)
	if kept != nil && kept.uid == s.sb.UID && kept.generation == s.sb.Generation && maps.Equal(kept.volumes, volumes) {
		return kept.runs, kept.problems
	}
	// Runs point into the spec, and this pass's may be changed by what the API server answers.
	spec := preset.Pin(&s.sb.Spec, s.sb.Status.Presets).DeepCopy()
	spec.Pod, spec.Placement = nil, nil // which have no part in a plan, and can be large
	if s.sb.Status.StartTime != nil {
		spec.Deadlines.RunSeconds = nil // who shortens it during a run has that ended
	}
	made := s.plans.one(func() *keptPlan {
		runs, problems := plan.Runs(spec, volumes)
		return &keptPlan{
			uid: s.sb.UID, generation: s.sb.Generation, volumes: volumes,
			runs: runs, problems: problems, bytes: bytesOfPlan(spec, runs, problems),
		}
	})
	s.plans.store(name, made)
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
