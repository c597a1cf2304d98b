package plan

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
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

// Of a workload that runs until it is warm, the last seconds are looked at, and it runs for that long at least and at most before it is measured if these are
// not steady sooner. In between it is as long as what is measured.
const rampWindowSeconds, minRampSeconds, maxRampSeconds = 10, 30, 3600

// What rampTimeSeconds can be, as the API server has it.
const (
	maxRampTimeSeconds = 86_400
	aboutRamp          = "rampTimeSeconds must be a number of seconds from 0 to 86400, or auto"
)

// untilOf returns until when a workload runs before it is measured, nil if it does not wait.
func untilOf(w *v1alpha1.Workload) *steady.Until {
	switch {
	case w.Until != nil:
		return steadyWindow(w.Until)
	case w.Fio != nil && fio.RampsAuto(w.Fio):
		return &steady.Until{
			Metric: steady.IOPS, WindowSeconds: rampWindowSeconds, SlopePercent: defaultSlopePercent, RangePercent: defaultRangePercent,
			MostSeconds: min(max(ptr.Deref(w.Fio.RuntimeSeconds, 0), minRampSeconds), maxRampSeconds),
		}
	default:
		return nil
	}
}

// steadyWindow returns until when a workload runs that measures a window that is steady.
func steadyWindow(until *v1alpha1.Until) *steady.Until {
	rule := &until.SteadyState
	u := &steady.Until{
		Metric:        ptr.Deref(rule.Metric, steady.IOPS),
		WindowSeconds: ptr.Deref(rule.WindowSeconds, defaultWindowSeconds),
		SlopePercent:  ptr.Deref(rule.SlopePercent, defaultSlopePercent),
		RangePercent:  ptr.Deref(rule.RangePercent, defaultRangePercent),
		Judged:        true,
	}
	u.MostSeconds = max(ptr.Deref(until.MaxSeconds, defaultUntilSeconds)-u.WindowSeconds-steady.PauseSeconds, 0)
	return u
}

// waitingBy returns the field by which a workload waits, as a user writes it, and where it is.
func waitingBy(w *workload) (string, *field.Path) {
	if w.Until != nil {
		return "until", w.path.Child("until")
	}
	return "rampTimeSeconds: auto", w.path.Child("fio", "rampTimeSeconds")
}

// fioJobOf returns what is measured of a workload of fio's parameters, of one that waits without what runs before, and all
// that is wrong with it.
func fioJobOf(w *workload) (*fio.JobFile, field.ErrorList) {
	for _, validate := range []func(*workload) field.ErrorList{validateRW, validateRamp, validateWaiting} {
		if problems := validate(w); len(problems) > 0 {
			return nil, problems
		}
	}
	parameters, seconds := withoutTimes(w)
	job := fio.FromParameters(w.Name, parameters)
	if w.until == nil {
		return job, nil
	}
	by, at := waitingBy(w)
	job, err := job.Until(by, int64(seconds), steady.PauseSeconds)
	if err != nil {
		return nil, field.ErrorList{field.Forbidden(at, err.Error())}
	}
	return job, nil
}

// validateWaiting refuses what does not go with waiting.
func validateWaiting(w *workload) field.ErrorList {
	if w.until == nil {
		return nil
	}
	if w.Until != nil {
		if problems := validateUntil(w); len(problems) > 0 {
			return problems
		}
	}
	by, _ := waitingBy(w)
	for _, name := range slices.Sorted(maps.Keys(w.Matrix)) {
		if err := goesWith(by, name, w); err != nil {
			return field.ErrorList{field.Forbidden(w.path.Child("matrix").Key(name), err.Error())}
		}
	}
	return nil
}

// withoutTimes returns the parameters of a workload, of one that waits without those that say for how long it is measured,
// and for how many seconds that is.
func withoutTimes(w *workload) (parameters *v1alpha1.FioParameters, seconds int32) {
	switch {
	case w.until == nil:
		return w.Fio, 0
	case w.Until != nil:
		return w.Fio, w.until.WindowSeconds
	}
	parameters = w.Fio.DeepCopy()
	parameters.RuntimeSeconds, parameters.TimeBased = nil, nil
	return parameters, *w.Fio.RuntimeSeconds
}

// goesWith says why a matrix cannot have an option of a workload that waits by a field, nil if it can.
func goesWith(by, name string, w *workload) error {
	if w.Until == nil && slices.Contains([]string{"runtime", "time_based", "ramp_time"}, w.options[name]) {
		return fmt.Errorf("with %s it has one value, in fio: remove it from matrix, or give rampTimeSeconds a number", by)
	}
	return fio.GoesWithUntil(name, by)
}

// validateRamp refuses what the API server refuses too.
func validateRamp(w *workload) field.ErrorList {
	p, at := w.Fio, w.path.Child("fio", "rampTimeSeconds")
	switch {
	case p.RampTimeSeconds == nil:
		return nil
	case w.Until != nil:
		return field.ErrorList{field.Forbidden(at, "until says for how long fio runs: remove rampTimeSeconds, or until")}
	case p.RampTimeSeconds.Type == intstr.String && !fio.RampsAuto(p):
		return field.ErrorList{field.Invalid(at, p.RampTimeSeconds.StrVal, aboutRamp)}
	case p.RampTimeSeconds.Type == intstr.Int && (p.RampTimeSeconds.IntVal < 0 || p.RampTimeSeconds.IntVal > maxRampTimeSeconds):
		return field.ErrorList{field.Invalid(at, p.RampTimeSeconds.IntVal, aboutRamp)}
	case fio.RampsAuto(p) && (!ptr.Deref(p.TimeBased, true) || ptr.Deref(p.RuntimeSeconds, 0) == 0):
		return field.ErrorList{field.Invalid(at, p.RampTimeSeconds.StrVal,
			"rampTimeSeconds: auto needs runtimeSeconds, which says for how long it is measured when it is warm, and no timeBased: false")}
	default:
		return nil
	}
}

// validateUntilOf refuses what the matrix makes of a workload that waits.
func validateUntilOf(w *workload, cases []testCase) field.ErrorList {
	if w.until == nil {
		return nil
	}
	by, at := waitingBy(w)
	for i := range cases {
		if slices.ContainsFunc(cases[i].job.Loads(), func(l fio.Load) bool { return l.Metadata }) {
			return field.ErrorList{field.Forbidden(at, fmt.Sprintf(
				"operations on files end with the last file, and the matrix has an ioengine for them (case %s): remove it, or %s", cases[i].name, by))}
		}
		if why := cases[i].job.WhyHotSpotMoves(); why != "" {
			return field.ErrorList{field.Forbidden(at, fmt.Sprintf("fio is started anew to measure; %s, or remove %s", why, by))}
		}
	}
	return nil
}

// validateUntil refuses what the API server refuses too.
func validateUntil(w *workload) field.ErrorList {
	path := w.path.Child("until")
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
