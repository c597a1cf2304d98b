package plan

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/search"
)

// minSteps is how many steps each search makes: that of the lowest load, and the same once more.
const minSteps = 2

// At returns the run with the load that a search has chosen for it.
func (r *Run) At(value int32) *Run {
	at := *r
	vary := r.Workload.Search.Vary
	at.Parameters = maps.Clone(r.Parameters)
	if at.Parameters == nil {
		at.Parameters = map[string]string{}
	}
	at.Parameters[vary] = search.Text(value)
	if vary == v1alpha1.VaryClients {
		at.Clients = value
	} else {
		at.Job = atLoad(r.Job, vary, value)
	}
	return &at
}

func atLoad(job *fio.JobFile, vary string, value int32) *fio.JobFile {
	return job.With([]fio.Setting{{Name: vary, Value: search.Text(value)}})
}

// IsAtMost says whether a search may have its answer before the run, which is not made then.
func (r *Run) IsAtMost() bool { return r.Step > minSteps }

// Searched returns the parameters of a run, and of a step of a search between what its load will be.
func (r *Run) Searched() map[string]string {
	if r.Step == 0 {
		return r.Parameters
	}
	c := search.ConfigOf(r.Workload.Search)
	with := map[string]string{r.Workload.Search.Vary: fmt.Sprintf("%d to %d", c.Min, c.Max)}
	maps.Copy(with, r.Parameters)
	return with
}

// Rate returns how many I/Os per second all clients of a run hold themselves to because a search says so, 0 if none does.
func (r *Run) Rate() int64 {
	if r.Step == 0 || r.Workload.Search.Vary != v1alpha1.VaryRateIOPS {
		return 0
	}
	return r.Job.Loads()[0].RateIOPS * int64(max(r.Clients, 1))
}

// addSearch gives the cases of a workload the ends of its search if it has one, and says what is wrong with that.
func addSearch(w *workload, cases []testCase) field.ErrorList {
	if w.Search == nil {
		return nil
	}
	if len(w.wrongSearch) > 0 {
		return w.wrongSearch
	}
	c := search.ConfigOf(w.Search)
	for i := range cases {
		if w.Search.Vary == v1alpha1.VaryClients {
			cases[i].clients, cases[i].lowest = c.Max, cases[i].job
			continue
		}
		job := cases[i].job
		cases[i].job, cases[i].lowest = atLoad(job, w.Search.Vary, c.Max), atLoad(job, w.Search.Vary, c.Min)
	}
	return validateSteps(w.path.Child("search"), w.Search, cases)
}

// mostLoads are the highest that may be searched.
var mostLoads = map[string]int32{
	v1alpha1.VaryIODepth: 65536, v1alpha1.VaryNumJobs: 1024, v1alpha1.VaryRateIOPS: 1<<31 - 1, v1alpha1.VaryClients: v1alpha1.MaxClients,
}

// validateSearch refuses a search by what its workload says, and what the API server refuses too.
func validateSearch(w *workload) field.ErrorList {
	s, path := w.Search, w.path.Child("search")
	most, known := mostLoads[s.Vary]
	if !known {
		return field.ErrorList{field.NotSupported(path.Child("vary"), s.Vary, slices.Sorted(maps.Keys(mostLoads)))}
	}
	var problems field.ErrorList
	switch lowest := ptr.Deref(s.Min, 1); {
	case s.Max < 1 || s.Max > most:
		problems = append(problems, field.Invalid(path.Child("max"), s.Max, fmt.Sprintf("%s can be from 1 to %d", s.Vary, most)))
	case lowest < 1 || lowest > s.Max:
		problems = append(problems, field.Invalid(path.Child("min"), lowest, fmt.Sprintf("it has to be from 1 to max, which is %d", s.Max)))
	}
	if name, twice := w.varied[fio.Canonical(fio.OptionName(s.Vary))]; twice {
		problems = append(problems, field.Invalid(path.Child("vary"), s.Vary,
			fmt.Sprintf("matrix[%s] varies it as well: remove one of them", name)))
	}
	if s.Vary == v1alpha1.VaryClients && len(w.Clients) > 0 {
		problems = append(problems, field.Invalid(path.Child("vary"), s.Vary, "clients of the workload varies it as well: remove one of them"))
	}
	if n := len(w.choices); n > maxMatrixWithSearch {
		problems = append(problems, field.TooMany(w.path.Child("matrix"), n, maxMatrixWithSearch))
	}
	if w.Probes() {
		problems = append(problems, field.Forbidden(path, "it does not go with probe: a search measures with more in flight itself; remove one of them"))
	}
	if _, _, err := expectation.Budget(s.Objective.Metric, s.Objective.Max); err != nil {
		problems = append(problems, field.Invalid(path.Child("objective"), field.OmitValueType{}, err.Error()))
	}
	return problems
}

// maxMatrixWithSearch is how many options a matrix can have beside a search: the load is one more parameter of runs.
const maxMatrixWithSearch = 7

// validateSteps refuses a search of which a step could not be judged, or would be like the others.
func validateSteps(path *field.Path, s *v1alpha1.LoadSearch, cases []testCase) field.ErrorList {
	metric, _, _ := expectation.Budget(s.Objective.Metric, s.Objective.Max)
	for i := range cases {
		job := cases[i].job
		loads := job.Loads()
		switch {
		case len(loads) != 1:
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf(
				"it needs one result of each run, and the sections give %d: set group_reporting, or make a workload of each section", len(loads)))}
		case !metric.IsMeasured(job.Measures()):
			return field.ErrorList{field.Invalid(path.Child("objective", "metric"), metric.String(),
				"the workload does no I/O with this metric: choose a metric of what rw does, such as write.p99 of randwrite")}
		case loads[0].LatencyOff:
			return field.ErrorList{field.Invalid(path.Child("objective", "metric"), metric.String(),
				"fio is told not to take latencies: remove gtod_reduce, disable_lat and disable_clat")}
		case s.Vary == v1alpha1.VaryIODepth && loads[0].InFlight < loads[0].Jobs*int64(s.Max):
			return field.ErrorList{field.Invalid(path.Child("vary"), s.Vary,
				"its engine keeps one I/O in flight for each job, whatever iodepth is: set ioengine to libaio, or vary numjobs")}
		case loads[0].LatencyTarget:
			return field.ErrorList{field.Forbidden(path, "fio's own latency_target varies iodepth at the same time: remove it, or search")}
		case s.Vary == v1alpha1.VaryRateIOPS && loads[0].Metadata:
			return field.ErrorList{field.Invalid(path.Child("vary"), s.Vary, "fio cannot limit the rate of operations on files: vary numjobs")}
		}
	}
	return nil
}

// mostSteps returns how many runs each run of a search is at most.
func mostSteps(s *v1alpha1.LoadSearch) int { return search.MostProbes(search.ConfigOf(s)) }

// stepsOf returns the runs that a search of a case takes at most; one without a search is the only run.
func stepsOf(w *workload, m Run) []Run {
	if w.Search == nil {
		return []Run{m}
	}
	steps := make([]Run, w.steps)
	for i := range steps {
		steps[i] = m
		steps[i].Step = int32(i + 1)
	}
	return steps
}
