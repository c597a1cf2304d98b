// Package plan turns the spec of a benchmark into the ordered runs that it asks for. It is pure: the plan
// of a benchmark is known without a cluster.
package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/steady"
	"github.com/storagebench/storagebench/internal/storage"
)

// MaxResults is the most results that a benchmark can have: so many fit into its status, of several clients fewer. A
// run has one, and one for each section of a job file with several.
const MaxResults = 200

// Run is one measurement: a workload, with one choice of its matrix, on a target.
type Run struct {
	// Name is unique in the benchmark, and the same whatever else the benchmark contains.
	Name string
	// Target and Workload are the elements of the spec.
	Target   *v1alpha1.Target
	Workload *v1alpha1.Workload
	// Parameters are the values of the workload's matrix by the names of fio's options, and v1alpha1.ParameterClients;
	// nil without a matrix.
	Parameters map[string]string
	// Clients is the number of pods that make the run together, at least 1.
	Clients int32
	// Repetition counts the runs of the same on the same, from 1.
	Repetition int32
	// Job is what fio does, without the place where it does it.
	Job *fio.JobFile
	// Until is until when fio does the same before, nil if it measures at once.
	Until *steady.Until
	// Probe is what fio does after that in the same pod, nil if nothing. Only the last repetition has one.
	Probe *fio.JobFile
	// Step is the number of the run in its search, from 1; 0 if it is of none. Job, Clients and Name are then those of the highest load, until
	// At gives it its own.
	Step int32
	// Lowest is what fio does at the lowest load of a search, nil if the run is of none.
	Lowest *fio.JobFile
}

// Runs returns the runs of a benchmark in the order in which they are made, and all that is wrong with the
// workloads on their targets.
func Runs(spec *v1alpha1.StorageBenchmarkSpec, volumes Volumes) ([]Run, field.ErrorList) {
	specPath := field.NewPath("spec")
	if problems := validateShape(specPath, spec); len(problems) > 0 {
		return nil, problems
	}
	if problem := validateTexts(specPath, spec); problem != nil {
		return nil, field.ErrorList{problem} // without a look at what they say
	}
	if problem := ValidatePods(specPath, spec); problem != nil {
		return nil, field.ErrorList{problem}
	}
	spec, problems := expandPresets(specPath, fio.Inherit(spec))
	if len(problems) > 0 {
		return nil, problems
	}
	clients := spec.MostClients()
	asked, problems := workloadsOf(specPath.Child("workloads"), spec)
	if problem := validateResults(specPath, spec, clients, asked); problem != nil {
		// Without a look at the cases, which can be too many to look at.
		return nil, append(problems, problem)
	}
	if problem := validateExtent(specPath, asked); problem != nil {
		return nil, append(problems, problem)
	}
	places := placesOf(spec.Targets, volumes)
	problems = append(problems, validateTargets(specPath.Child("targets"), places)...)
	if problem := validateAttachments(specPath, clients, places); problem != nil {
		problems = append(problems, problem)
	}
	measured, wrong := measuredBy(specPath, spec, asked, places)
	problems = append(problems, wrong...)
	if problem := validateSyncs(specPath, spec, maxResults(spec, clients), measured); problem != nil {
		problems = append(problems, problem)
	}
	if len(problems) == 0 { // else some workloads are not known
		problems = validateCapacity(specPath.Child("targets"), clients, measured, places)
	}
	if len(problems) == 0 {
		problems = expectation.Validate(specPath.Child("expectations"), spec, measuresOf(measured))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	ordered := order(spec, measured)
	if problem := validatePreconditions(specPath, spec, ordered); problem != nil {
		return nil, field.ErrorList{problem}
	}
	return ordered, nil
}

// measuredBy returns the cases of all workloads, which are on no target yet, and what is wrong with them.
func measuredBy(
	specPath *field.Path, spec *v1alpha1.StorageBenchmarkSpec, asked []workload, places []place,
) (measured []Run, problems field.ErrorList) {
	for i := range asked {
		w := &asked[i]
		if w.job == nil {
			continue
		}
		cases := casesOf(spec, w)
		wrong := addSearch(w, cases)
		wrong = append(wrong, validateUntilOf(w, cases)...)
		wrong = append(wrong, validateCases(w.path, cases, places)...)
		wrong = append(wrong, addProbes(w, cases, places)...)
		if len(wrong) == 0 {
			wrong = validateDeadline(specPath, spec, w, cases)
		}
		problems = append(problems, wrong...)
		for _, c := range cases {
			measured = append(measured, stepsOf(w, Run{
				Name: c.name, Workload: w.Workload, Parameters: c.parameters, Clients: c.clients, Job: c.job,
				Until: w.until, Probe: c.probe, Lowest: c.lowest,
			})...)
		}
	}
	return measured, problems
}

func validateTargets(path *field.Path, places []place) field.ErrorList {
	var problems field.ErrorList
	for i, p := range places {
		problems = append(problems, storage.Validate(path.Index(i), p.target, p.kind)...)
		problems = append(problems, validatePrecondition(path.Index(i), p.target, p.kind)...)
	}
	return problems
}

// Baseline returns the name of the target that the others are compared with, "" for a spec without targets, as a file can
// have it.
func Baseline(spec *v1alpha1.StorageBenchmarkSpec) string {
	switch {
	case spec.Baseline != nil:
		return *spec.Baseline
	case len(spec.Targets) == 0:
		return ""
	}
	return spec.Targets[0].Name
}

func repetitions(spec *v1alpha1.StorageBenchmarkSpec) int32 {
	return max(ptr.Deref(spec.Repetitions, 1), 1)
}

// order puts what is measured onto the targets and repeats it, in the order of the runs.
func order(spec *v1alpha1.StorageBenchmarkSpec, measured []Run) []Run {
	var runs []Run
	add := func(m Run, target *v1alpha1.Target, repetition int32) {
		m.Name = runName(spec, &m, target, repetition)
		m.Target, m.Repetition = target, repetition
		if repetition < repetitions(spec) {
			m.Probe = nil
		}
		runs = append(runs, m)
	}
	if spec.Order == v1alpha1.OrderByTarget {
		for i := range spec.Targets {
			for repetition := int32(1); repetition <= repetitions(spec); repetition++ {
				for _, m := range measured {
					add(m, &spec.Targets[i], repetition)
				}
			}
		}
		return runs
	}
	for repetition := int32(1); repetition <= repetitions(spec); repetition++ {
		targets := inTurn(spec.Targets, repetition)
		for _, m := range measured {
			for _, target := range targets {
				add(m, target, repetition)
			}
		}
	}
	return runs
}

// inTurn returns the targets in the order of a repetition. Whoever comes first has an advantage or a disadvantage, so that none
// may come first each time: a repetition with an even number has the order of the one before it backwards, and each such pair
// begins with the next target. So a steady drift meets all targets alike after each pair, and after twice as many repetitions
// as there are targets each was at each place equally often.
func inTurn(targets []v1alpha1.Target, repetition int32) []*v1alpha1.Target {
	shift := int(repetition-1) / 2 % len(targets)
	turn := make([]*v1alpha1.Target, len(targets))
	for i := range targets {
		turn[i] = &targets[(i+shift)%len(targets)]
	}
	if repetition%2 == 0 {
		slices.Reverse(turn)
	}
	return turn
}

// runName returns a name such as randwrite.bs-16k.gp3.2, with the case where the workload has a matrix, the
// repetition where there are several, and step-3 of a search.
func runName(spec *v1alpha1.StorageBenchmarkSpec, m *Run, target *v1alpha1.Target, repetition int32) string {
	parts := []string{m.Workload.Name}
	if m.Name != "" {
		parts = append(parts, m.Name)
	}
	parts = append(parts, target.Name)
	if repetitions(spec) > 1 {
		parts = append(parts, strconv.Itoa(int(repetition)))
	}
	if m.Step > 0 {
		parts = append(parts, fmt.Sprintf("step-%d", m.Step))
	}
	return strings.Join(parts, ".")
}

// Of returns the plan of a run among those of the spec, false if it is not there. They go by name: who edits the spec may reorder targets and workloads,
// because the API server compares these lists without regard to order. Who removes one from the spec removes it from the plan. A step of a search is planned at the
// load that it was given.
func Of(runs []Run, run *v1alpha1.Run) (*Run, bool) {
	i := slices.IndexFunc(runs, func(p Run) bool { return p.Name == run.Name })
	if i < 0 {
		return nil, false
	}
	if run.Search != nil && run.Search.Value > 0 && runs[i].Step > 0 {
		return runs[i].At(run.Search.Value), true
	}
	return &runs[i], true
}

// ProbeTime returns how long a run may take beyond what spec.deadlines.runCompletionSeconds says. A probe has its own time, which the runner keeps: what was measured before it
// must not be lost with it.
func (r *Run) ProbeTime() time.Duration {
	if r.Probe == nil {
		return 0
	}
	return fio.ProbeLimitSeconds * time.Second
}

// Record returns the runs as the status has them when none has begun.
func Record(runs []Run) []v1alpha1.Run {
	recorded := make([]v1alpha1.Run, len(runs))
	for i, run := range runs {
		recorded[i] = v1alpha1.Run{
			Name: run.Name, Target: run.Target.Name, Workload: run.Workload.Name, Parameters: run.Parameters, Repetition: run.Repetition,
			State: v1alpha1.RunPending,
		}
		if run.Clients > 1 {
			recorded[i].Clients = run.Clients
		}
		if run.Step > 0 {
			recorded[i].Search = &v1alpha1.RunSearch{Step: run.Step, Vary: run.Workload.Search.Vary}
		}
	}
	return recorded
}
