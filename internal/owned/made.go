package owned

import (
	"iter"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/storage"
)

// MadeJob is what the operator has written on a Job by which it finds it.
type MadeJob struct {
	Name                string
	Labels, Annotations map[string]string
}

// MadeJobs goes through all Jobs that may have been made for a benchmark.
func MadeJobs(sb *v1alpha1.StorageBenchmark) iter.Seq[MadeJob] {
	return func(yield func(MadeJob) bool) {
		for i := range sb.Status.Runs {
			for made := range madeJobsOf(sb, &sb.Status.Runs[i]) {
				if !yield(made) {
					return
				}
			}
		}
		for i := range sb.Spec.Targets {
			target := &sb.Spec.Targets[i]
			for which := range storage.Claims(sb, target) {
				labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleCleanUp, v1alpha1.LabelTarget, target.Name, v1alpha1.LabelClient, strconv.Itoa(int(which)))
				if !yield(MadeJob{Name: childmeta.CleanUpName(sb, target.Name, which), Labels: labels}) {
					return
				}
			}
		}
	}
}

// madeJobsOf goes through those of all attempts of a run.
func madeJobsOf(sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run) iter.Seq[MadeJob] {
	return func(yield func(MadeJob) bool) {
		for attempt := int32(1); attempt <= run.Attempts; attempt++ {
			for which := range run.ClientCount() {
				labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, run.Target,
					v1alpha1.LabelAttempt, strconv.Itoa(int(attempt)), v1alpha1.LabelClient, strconv.Itoa(int(which)))
				made := MadeJob{childmeta.RunName(sb, run.Name, attempt, which), labels, map[string]string{v1alpha1.AnnotationRun: run.Name}}
				if !yield(made) {
					return
				}
			}
		}
	}
}

// AnchorNames returns the names of the pods of all anchors of a benchmark.
func AnchorNames(sb *v1alpha1.StorageBenchmark) []string {
	var names []string
	for i := range sb.Status.Anchors {
		names = append(names, childmeta.AnchorName(sb, int32(i), sb.Status.Anchors[i].Attempts))
	}
	return names
}
