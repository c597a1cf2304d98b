package cases

import (
	"maps"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// CountState returns how many runs are in a state.
func CountState(sb *v1alpha1.StorageBenchmark, state v1alpha1.RunState) int {
	count := 0
	for i := range sb.Status.Runs {
		if sb.Status.Runs[i].State == state {
			count++
		}
	}
	return count
}

// Workload returns the workload of a name, an empty one if there is none.
func Workload(spec *v1alpha1.StorageBenchmarkSpec, name string) *v1alpha1.Workload {
	return FirstOr(v1alpha1.Workload{Name: name}, fio.Inherit(spec).Workloads, func(w v1alpha1.Workload) bool { return w.Name == name })
}

// Target returns the target of a name, an empty one if there is none.
func Target(sb *v1alpha1.StorageBenchmark, name string) *v1alpha1.Target {
	return FirstOr(v1alpha1.Target{Name: name}, sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name })
}

// TargetStatus returns the status of the target of a name, an empty one if there is none.
func TargetStatus(sb *v1alpha1.StorageBenchmark, name string) *v1alpha1.TargetStatus {
	return FirstOr(v1alpha1.TargetStatus{Name: name}, sb.Status.Targets, func(t v1alpha1.TargetStatus) bool { return t.Name == name })
}

// FirstOr returns the first of the things that is wanted, or another one if there is none.
func FirstOr[T any](none T, things []T, wanted func(T) bool) *T {
	if at := slices.IndexFunc(things, wanted); at >= 0 {
		return &things[at]
	}
	return &none
}

// FioVersions returns the versions of fio that the results are of, each once, sorted.
func FioVersions(status *v1alpha1.StorageBenchmarkStatus) []string {
	var versions []string
	for i := range status.Runs {
		for _, result := range status.Runs[i].Results() {
			versions = append(versions, result.FioVersion)
		}
	}
	slices.Sort(versions)
	return slices.DeleteFunc(slices.Compact(versions), func(version string) bool { return version == "" })
}

// Search returns what was searched of a workload with a choice of its matrix on a target, nil if nothing was.
func Search(status *v1alpha1.StorageBenchmarkStatus, target, workload string, choice map[string]string) *v1alpha1.SearchResult {
	i := slices.IndexFunc(status.Searches, func(s v1alpha1.SearchResult) bool {
		return s.Target == target && s.Workload == workload && maps.Equal(s.Parameters, choice)
	})
	if i < 0 {
		return nil
	}
	return &status.Searches[i]
}
