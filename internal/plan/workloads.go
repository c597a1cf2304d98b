package plan

import (
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/steady"
)

// workload is a workload of the spec, with what is asked of it again and again.
type workload struct {
	*v1alpha1.Workload
	path *field.Path
	// job is what fio does by the workload itself, without its matrix; nil if there are problems.
	job *fio.JobFile
	// options are fio's names of the names in the matrix, and varied the names in the matrix by fio's.
	options, varied map[string]string
	// choices are the values of the matrix and the numbers of clients, and cases how many there are.
	choices map[string]v1alpha1.MatrixValues
	cases   int
	// steps is how many runs a search takes at most for each case, 1 without one. wrongSearch is what is wrong with it.
	steps       int
	wrongSearch field.ErrorList
	// until is until when fio does the same before it is measured, nil if it measures at once.
	until *steady.Until
}

// workloadsOf returns the workloads of a spec, and what is wrong with them by themselves.
func workloadsOf(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec) ([]workload, field.ErrorList) {
	var asked []workload
	var problems field.ErrorList
	for i := range spec.Workloads {
		w := newWorkload(path.Index(i), &spec.Workloads[i])
		job, errs := jobOf(&w)
		errs = append(errs, validateMatrix(&w)...)
		if len(errs) == 0 {
			w.job = job
		}
		asked, problems = append(asked, w), append(problems, errs...)
	}
	return asked, problems
}

func newWorkload(path *field.Path, of *v1alpha1.Workload) workload {
	w := workload{
		Workload: of, path: path, choices: of.Choices(), cases: 1, steps: 1, until: untilOf(of),
		options: map[string]string{}, varied: map[string]string{},
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(of.Matrix))) {
		option := fio.Canonical(fio.OptionName(name))
		w.options[name], w.varied[option] = option, name
	}
	for _, values := range w.choices {
		w.cases = min(w.cases*len(values), math.MaxInt32)
	}
	if of.Search == nil {
		return w
	}
	if w.wrongSearch = validateSearch(&w); len(w.wrongSearch) == 0 {
		w.steps = mostSteps(of.Search)
	}
	return w
}

// jobOf returns what fio does by a workload itself.
func jobOf(w *workload) (*fio.JobFile, field.ErrorList) {
	if w.Fio == nil && w.Until != nil {
		return nil, validateUntil(w)
	}
	if w.Fio != nil {
		return fioJobOf(w)
	}
	job, err := fio.Parse(*w.JobFile)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(w.path.Child("jobFile"), field.OmitValueType{}, err.Error())}
	}
	return job, nil
}

// validateRW refuses a workload that does not say what kind of I/O it does, or says a mix of another kind.
func validateRW(w *workload) field.ErrorList {
	_, varies := w.varied["rw"]
	switch at := w.path.Child("fio"); {
	case varies:
	case w.Fio.RW == "":
		return field.ErrorList{field.Required(at.Child("rw"), "set rw to the type of I/O, such as randread")}
	case w.Fio.RWMixRead != nil && !fio.IsMixed(w.Fio.RW):
		return field.ErrorList{field.Invalid(at.Child("rwmixread"), *w.Fio.RWMixRead,
			"rwmixread is for mixed workloads; set rw to rw, readwrite or randrw, or remove rwmixread")}
	}
	return nil
}
