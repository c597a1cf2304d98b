package plan

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// RunDeadlineSeconds returns for how long each run may take if the spec does not say it: twice as long as the longest one goes
// on by its own options, because files are laid out before, and as its volume takes to be written before, where limits tell. It is 0 where
// v1alpha1.DefaultRunSeconds are enough for that.
func RunDeadlineSeconds(runs []Run) int32 {
	longest, before := 0.0, preconditioning(runs)
	for i := range runs {
		extra := float64(runs[i].Until.ExtraSeconds()) + before[runs[i].Name].Preconditioning.Seconds()
		longest = max(longest, longestSeconds(runs[i].Job, runs[i].Probe)+extra, longestSeconds(runs[i].Lowest)+extra)
	}
	if 2*longest <= v1alpha1.DefaultRunSeconds {
		return 0
	}
	return int32(math.Ceil(min(2*longest, v1alpha1.MaxRunSeconds)))
}

// longestSeconds returns for how long a job can go on by its own options: its stages come one after the other, and in each
// the job that goes on for longest counts, with start delay and ramp. Jobs that end by size alone are counted as far as they hold themselves to a
// pace (rate, rate_iops, thinktime).
// One job comes after the other; nil is none.
func longestSeconds(jobs ...*fio.JobFile) float64 {
	total := 0.0
	for _, job := range jobs {
		if job == nil {
			continue
		}
		for _, stage := range job.Stages() {
			if longest := max(stage.TimedSeconds, stage.MostSeconds); !math.IsInf(longest, 1) {
				total += longest
			} else {
				total += max(stage.TimedSeconds, stage.PacedSeconds)
			}
		}
	}
	return total
}

// validateDeadline refuses a workload that goes on, in one of its cases, until a run's deadline ends it.
func validateDeadline(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, w *workload, cases []testCase) field.ErrorList {
	longest := 0.0
	for _, c := range cases {
		longest = max(longest, longestSeconds(c.job, c.probe), longestSeconds(c.lowest))
	}
	deadline := spec.Deadlines.RunCompletionSeconds
	longest += float64(w.until.ExtraSeconds())
	if longest < float64(ptr.Deref(deadline, v1alpha1.MaxRunSeconds)) {
		return nil
	}
	at := runtimeField(w)
	seconds := int64(math.Ceil(longest))
	if deadline == nil {
		return field.ErrorList{field.Invalid(at, seconds, fmt.Sprintf(
			"fio can run for that many seconds by its own options, and deadlines.runCompletionSeconds can be at most %d: shorten it", v1alpha1.MaxRunSeconds))}
	}
	return field.ErrorList{field.Invalid(path.Child("deadlines", "runCompletionSeconds"), *deadline, fmt.Sprintf(
		"workload %s can run for %d s by its own options, and would be ended before: raise runCompletionSeconds above %d (files are laid out first), remove it, or lower %s",
		w.Name, seconds, seconds, at))}
}

// runtimeField returns the field that says for how long a workload runs, or how much it does.
func runtimeField(w *workload) *field.Path {
	if w.Until != nil {
		return w.path.Child("until", "maxSeconds")
	}
	if name, varies := w.varied["runtime"]; varies {
		return w.path.Child("matrix").Key(name)
	}
	if w.Fio == nil {
		return w.path.Child("jobFile")
	}
	if w.Fio.RuntimeSeconds != nil {
		return w.path.Child("fio", "runtimeSeconds")
	}
	return w.path.Child("fio", "size")
}
