// Package plan turns the spec of a benchmark into the ordered runs that it asks for. It is pure: the plan
// of a benchmark is known without a cluster.
package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// MaxResults is the most results that a benchmark can have: so many fit into its status. A run has one,
// and one for each section of a job file with several.
const MaxResults = 512

// Run is one measurement: a workload on a target.
type Run struct {
	// Name is unique in the benchmark, and the same whatever else the benchmark contains.
	Name string
	// Target and Workload are the elements of the spec.
	Target   *v1alpha1.Target
	Workload *v1alpha1.Workload
	// Job is what fio does, without the place where it does it.
	Job *fio.JobFile
}

// VolumeModes gives the mode of claims that exist, by the names of their targets. A plan that is made
// without a cluster has none, and takes such claims for file systems.
type VolumeModes map[string]corev1.PersistentVolumeMode

// Runs returns the runs of a benchmark in the order in which they are made: every workload is measured on
// all targets before the next one, so that the targets of a comparison are measured close together. It
// reports all that is wrong with the workloads on their targets.
func Runs(spec *v1alpha1.StorageBenchmarkSpec, modes VolumeModes) ([]Run, field.ErrorList) {
	specPath := field.NewPath("spec")
	var runs []Run
	var problems field.ErrorList
	results := 0
	for i := range spec.Workloads {
		workload := &spec.Workloads[i]
		job, errs := jobOf(specPath.Child("workloads").Index(i), workload)
		problems = append(problems, errs...)
		if job == nil {
			continue
		}
		results += len(job.Groups()) * len(spec.Targets)
		problems = append(problems, validateOn(specPath.Child("workloads").Index(i), workload, job, spec.Targets, modes)...)
		for j := range spec.Targets {
			target := &spec.Targets[j]
			runs = append(runs, Run{Name: workload.Name + "." + target.Name, Target: target, Workload: workload, Job: job})
		}
	}
	if results > MaxResults {
		problems = append(problems, field.Invalid(specPath.Child("workloads"), len(spec.Workloads),
			fmt.Sprintf("the workloads and their sections give %d results on %d targets, and at most %d are possible; split the benchmark", results, len(spec.Targets), MaxResults)))
	}
	problems = append(problems, validateCapacity(specPath.Child("targets"), spec.Targets, runs)...)
	if len(problems) > 0 {
		return nil, problems
	}
	return runs, nil
}

func jobOf(path *field.Path, w *v1alpha1.Workload) (*fio.JobFile, field.ErrorList) {
	if w.Fio != nil {
		return fio.FromParameters(w.Name, w.Fio), nil
	}
	job, err := fio.Parse(*w.JobFile)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(path.Child("jobFile"), field.OmitValueType{}, err.Error())}
	}
	return job, nil
}

// ModeOf returns the volume mode of a target.
func (m VolumeModes) ModeOf(t *v1alpha1.Target) corev1.PersistentVolumeMode {
	if storage.IsProvisioned(t) {
		return storage.VolumeMode(t)
	}
	if mode, ok := m[t.Name]; ok {
		return mode
	}
	return corev1.PersistentVolumeFilesystem
}

// ReadOnly says whether nothing may be written to a target: a device that existed before holds data that
// fio would overwrite, where a file system has room for files beside.
func (m VolumeModes) ReadOnly(t *v1alpha1.Target) bool {
	return !storage.IsProvisioned(t) && m.ModeOf(t) == corev1.PersistentVolumeBlock
}

// kind is what the validity of a workload on a target depends on.
type kind struct {
	mode     corev1.PersistentVolumeMode
	readOnly bool
}

// validateOn validates a workload once for each kind of target, so that a problem is not reported again
// for every target.
func validateOn(path *field.Path, w *v1alpha1.Workload, job *fio.JobFile, targets []v1alpha1.Target, modes VolumeModes) field.ErrorList {
	if w.Fio != nil {
		path = path.Child("fio")
	} else {
		path = path.Child("jobFile")
	}
	var problems field.ErrorList
	seenKinds := map[kind]bool{}
	seenProblems := map[string]bool{}
	for i := range targets {
		k := kind{mode: modes.ModeOf(&targets[i]), readOnly: modes.ReadOnly(&targets[i])}
		if seenKinds[k] {
			continue
		}
		seenKinds[k] = true
		for _, problem := range fio.Validate(path, job, k.mode, k.readOnly) {
			if !seenProblems[problem.Error()] {
				seenProblems[problem.Error()] = true
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// validateCapacity refuses test files that cannot fit on a new volume, which fio would otherwise report as
// "No space left on device" after the volume was paid for.
func validateCapacity(path *field.Path, targets []v1alpha1.Target, runs []Run) field.ErrorList {
	var problems field.ErrorList
	for i := range targets {
		target := &targets[i]
		if !storage.IsProvisioned(target) {
			continue
		}
		capacity := storage.Capacity(target)
		for _, run := range runs {
			bytes, known := run.Job.FileBytes()
			if run.Target == target && known && bytes > capacity.Value() {
				problems = append(problems, field.Invalid(path.Index(i).Child("capacity"), capacity.String(),
					fmt.Sprintf("the test files of workload %q take %s; raise capacity, or lower size or numjobs", run.Workload.Name, resource.NewQuantity(roundUp(bytes), resource.BinarySI))))
				break
			}
		}
	}
	return problems
}

// roundUp rounds bytes up to whole mebibytes, so that they print short.
func roundUp(bytes int64) int64 {
	const mib = 1 << 20
	return (bytes + mib - 1) / mib * mib
}
