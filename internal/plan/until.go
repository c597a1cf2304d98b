package plan

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/steady"
)

// Bounds of until in seconds, and of its shares in percent, as the API server has them.
const (
	minWindowSeconds, maxWindowSeconds, defaultWindowSeconds = 5, 86_400, 60
	minUntilSeconds, maxUntilSeconds, defaultUntilSeconds    = 10, 604_800, 3600
	defaultSlopePercent, defaultRangePercent                 = 10, 20
)

// untilOf returns until when a workload runs before it is measured, nil if it does not wait.
func untilOf(w *v1alpha1.Workload) *steady.Until {
	if w.Until == nil {
		return nil
	}
	rule := &w.Until.SteadyState
	u := &steady.Until{
		Metric:        ptr.Deref(rule.Metric, steady.IOPS),
		WindowSeconds: ptr.Deref(rule.WindowSeconds, defaultWindowSeconds),
		SlopePercent:  ptr.Deref(rule.SlopePercent, defaultSlopePercent),
		RangePercent:  ptr.Deref(rule.RangePercent, defaultRangePercent),
		Judged:        true,
	}
	u.MostSeconds = max(ptr.Deref(w.Until.MaxSeconds, defaultUntilSeconds)-u.WindowSeconds-steady.PauseSeconds, 0)
	return u
}

// applyUntil returns what is measured of a workload that waits, which is the window alone, and all that is wrong with it.
func applyUntil(path *field.Path, w *v1alpha1.Workload, job *fio.JobFile) (*fio.JobFile, field.ErrorList) {
	u := untilOf(w)
	if u == nil {
		return job, nil
	}
	if problems := validateUntil(path.Child("until"), w); len(problems) > 0 {
		return nil, problems
	}
	for _, name := range slices.Sorted(maps.Keys(w.Matrix)) {
		if err := fio.GoesWithUntil(name); err != nil {
			return nil, field.ErrorList{field.Forbidden(path.Child("matrix").Key(name), err.Error())}
		}
	}
	window, err := job.Until(int64(u.WindowSeconds), steady.PauseSeconds)
	if err != nil {
		return nil, field.ErrorList{field.Forbidden(path.Child("until"), err.Error())}
	}
	return window, nil
}

// validateUntilOf refuses what the matrix makes of a workload that waits.
func validateUntilOf(path *field.Path, w *v1alpha1.Workload, cases []testCase) field.ErrorList {
	for i := range cases {
		if w.Until != nil && slices.ContainsFunc(cases[i].job.Loads(), func(l fio.Load) bool { return l.Metadata }) {
			return field.ErrorList{field.Forbidden(path.Child("until"), fmt.Sprintf(
				"operations on files end with the last file, and the matrix has an ioengine for them (case %s): remove it, or until", cases[i].name))}
		}
	}
	return nil
}

// validateUntil refuses what the API server refuses too.
func validateUntil(path *field.Path, w *v1alpha1.Workload) field.ErrorList {
	if w.Fio == nil {
		return field.ErrorList{field.Forbidden(path,
			"it is for workloads of fio: remove it, or set fio instead of preset or jobFile; a job file can have fio's own steadystate")}
	}
	rule, at := &w.Until.SteadyState, path.Child("steadyState")
	var problems field.ErrorList
	if metric := ptr.Deref(rule.Metric, steady.IOPS); metric != steady.IOPS && metric != steady.Bandwidth {
		problems = append(problems, field.NotSupported(at.Child("metric"), metric, []string{steady.IOPS, steady.Bandwidth}))
	}
	window, most := ptr.Deref(rule.WindowSeconds, defaultWindowSeconds), ptr.Deref(w.Until.MaxSeconds, defaultUntilSeconds)
	const percent = 100
	for _, bound := range []struct {
		path               *field.Path
		value, least, most int32
	}{
		{at.Child("windowSeconds"), window, minWindowSeconds, maxWindowSeconds},
		{at.Child("slopePercent"), ptr.Deref(rule.SlopePercent, defaultSlopePercent), 1, percent},
		{at.Child("rangePercent"), ptr.Deref(rule.RangePercent, defaultRangePercent), 1, percent},
		{path.Child("maxSeconds"), most, minUntilSeconds, maxUntilSeconds},
	} {
		if bound.value < bound.least || bound.value > bound.most {
			problems = append(problems, field.Invalid(bound.path, bound.value, fmt.Sprintf("give a number from %d to %d", bound.least, bound.most)))
		}
	}
	if len(problems) == 0 && 2*window > most {
		problems = append(problems, field.Invalid(path.Child("maxSeconds"), most,
			"it must be at least twice steadyState.windowSeconds: fio finds a window to be steady, and measures the next one"))
	}
	return problems
}
