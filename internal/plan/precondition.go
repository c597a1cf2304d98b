package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// How often a target is written, and in which blocks, unless it says so: as SNIA's PTS does independent of the workload.
const (
	defaultPasses, maxPasses = 2, 10
	defaultPreconditionBS    = "128k"
)

// PreconditionOf returns how a target is written before it is measured, nil if it is not.
func PreconditionOf(t *v1alpha1.Target) *fio.Precondition {
	if t.Precondition == nil {
		return nil
	}
	return &fio.Precondition{Passes: ptr.Deref(t.Precondition.Passes, defaultPasses), BS: ptr.Deref(t.Precondition.BS, defaultPreconditionBS)}
}

// validatePrecondition refuses what would write what is not the benchmark's, and what the API server refuses too.
func validatePrecondition(path *field.Path, t *v1alpha1.Target, kind storage.Kind) field.ErrorList {
	p := PreconditionOf(t)
	if p == nil {
		return nil
	}
	at := path.Child("precondition")
	switch {
	case !storage.IsNewVolume(t) || kind.IsPartOfService() || t.DataSource != nil:
		return field.ErrorList{field.Forbidden(at, preconditionForbidden)}
	case storage.VolumeMode(t) == corev1.PersistentVolumeBlock && storage.AccessMode(t) == corev1.ReadWriteOncePod:
		return field.ErrorList{field.Forbidden(at, preconditionForOnePod)}
	}
	var problems field.ErrorList
	if p.Passes < 1 || p.Passes > maxPasses {
		problems = append(problems, field.Invalid(at.Child("passes"), p.Passes, fmt.Sprintf("give a number from 1 to %d", maxPasses)))
	}
	if !slices.Contains(preconditionBlocks, p.BS) {
		problems = append(problems, field.NotSupported(at.Child("bs"), p.BS, preconditionBlocks))
	}
	return problems
}

// preconditionBlocks are the sizes of blocks that a device is a multiple of.
var preconditionBlocks = []string{"4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m"}

const preconditionForbidden = "it writes all of a new volume without data: remove it, or use storageClassName or ebs without dataSource"

// preconditionForOnePod: nothing but the pod that writes can hold the claim, which might be another one by then, of a volume that was there before.
const preconditionForOnePod = "with ReadWriteOncePod the claim of a raw block volume could get another volume before the pod starts: set accessMode to ReadWriteOnce, or remove precondition"

// validatePreconditions refuses what only all runs together tell.
func validatePreconditions(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, runs []Run) *field.Error {
	if problem := validatePreconditionData(path, runs); problem != nil {
		return problem
	}
	return validatePreconditionTime(path, spec, runs)
}

// validatePreconditionData refuses workloads that ask for data of a certain kind, which would not be what they read.
func validatePreconditionData(path *field.Path, runs []Run) *field.Error {
	for i := range runs {
		if option := runs[i].Job.ShapesData(); option != "" && runs[i].Target.Precondition != nil {
			return field.Forbidden(path.Child("targets").Key(runs[i].Target.Name).Child("precondition"), fmt.Sprintf(
				"it writes random data, and workload %s asks for other data with %s: remove one of them", runs[i].Workload.Name, option))
		}
	}
	return nil
}

// validatePreconditionTime refuses a deadline that ends runs while they write their volumes, as far as limits tell.
func validatePreconditionTime(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, runs []Run) *field.Error {
	deadline := spec.Deadlines.RunCompletionSeconds
	if deadline == nil {
		return nil
	}
	before := preconditioning(runs)
	for i := range runs {
		if seconds := before[runs[i].Name].Preconditioning.Seconds(); seconds >= float64(*deadline) {
			return field.Invalid(path.Child("deadlines", "runCompletionSeconds"), *deadline, fmt.Sprintf(
				"precondition of target %s takes about %.0f s before a run on it measures: raise runCompletionSeconds, or remove it, or lower passes or capacity", runs[i].Target.Name, seconds))
		}
	}
	return nil
}
