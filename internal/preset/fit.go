package preset

import (
	"maps"
	"slices"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// Fit is what a preset makes of a job that was measured without it.
type Fit struct {
	// Deviations say what the job does differently, none if the preset fits. They are those of the case that is nearest.
	Deviations []string
	// Parameters are the choice of the preset's matrix that the job is, nil without a matrix.
	Parameters map[string]string
	// Scale is how the job measures more or less than the preset.
	Scale *v1alpha1.PresetScale
}

// FitOf returns how a preset fits a job file.
func (p *Preset) FitOf(job *fio.JobFile) Fit {
	var best *Fit
	for _, choice := range p.choices() {
		own := fio.FromParameters(p.Name, &p.Fio).With(settingsOf(choice))
		fit := &Fit{Deviations: job.Deviations(own), Parameters: choice, Scale: scaleOf(job, own)}
		if best == nil || len(fit.Deviations) < len(best.Deviations) {
			best = fit
		}
	}
	return *best
}

// choices returns the cases of the matrix, one without parameters if there is no matrix.
func (p *Preset) choices() []map[string]string {
	all := []map[string]string{nil}
	for _, name := range slices.Sorted(maps.Keys(p.Matrix)) {
		var longer []map[string]string
		for _, choice := range all {
			for _, value := range p.Matrix[name] {
				next := map[string]string{name: value.String()}
				maps.Copy(next, choice)
				longer = append(longer, next)
			}
		}
		all = longer
	}
	return all
}

func settingsOf(choice map[string]string) []fio.Setting {
	var settings []fio.Setting
	for _, name := range slices.Sorted(maps.Keys(choice)) {
		settings = append(settings, fio.Setting{Name: name, Value: choice[name]})
	}
	return settings
}

// scaleOf returns how the extents of a job differ from those of a preset, nil if they do not, or are not known.
func scaleOf(job, own *fio.JobFile) *v1alpha1.PresetScale {
	bytes, seconds := job.Extents()
	ownBytes, ownSeconds := own.Extents()
	scale := &v1alpha1.PresetScale{}
	if bytes > 0 && bytes != ownBytes {
		scale.Size = new(strconv.FormatInt(bytes, 10))
	}
	if seconds > 0 && seconds != ownSeconds {
		scale.RuntimeSeconds = new(int32(seconds))
	}
	if *scale == (v1alpha1.PresetScale{}) {
		return nil
	}
	return scale
}
