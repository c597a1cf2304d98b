package controllers

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/plan"
)

// keptPlan is a plan, and what it was made from. The most hostile spec takes the better part of a second to plan, which
// each pass would take again.
type keptPlan struct {
	uid        types.UID
	generation int64
	modes      plan.VolumeModes
	runs       []plan.Run
	problems   field.ErrorList
}

// plan returns the runs of the spec, and all that is wrong with it.
func (s *scope) plan() ([]plan.Run, field.ErrorList) {
	name, modes := client.ObjectKeyFromObject(s.sb), s.volumeModes()
	last, _ := s.plans.Load(name)
	if kept, found := last.(*keptPlan); found && kept.uid == s.sb.UID && kept.generation == s.sb.Generation && maps.Equal(kept.modes, modes) {
		return kept.runs, kept.problems
	}
	// Runs point into the spec, and this pass's may be changed by what the API server answers.
	runs, problems := plan.Runs(s.sb.Spec.DeepCopy(), modes)
	s.plans.Store(name, &keptPlan{uid: s.sb.UID, generation: s.sb.Generation, modes: modes, runs: runs, problems: problems})
	return runs, problems
}
