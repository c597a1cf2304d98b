package fio

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setByUntil are the options that say for how long fio runs, which until says instead.
var setByUntil = []string{"runtime", "time_based", "ramp_time", "startdelay"}

// notUntil are options with which a job ends by itself, or finds other files when it is started anew.
var notUntil = []string{
	"steadystate", "steadystate_duration", "steadystate_ramp_time", "number_ios", "unlink", "unlink_each_loop",
	"create_on_open", "file_append", "fill_device",
	"stonewall", "new_group", waitFor, "read_iolog", "latency_target", "verify", "do_verify", "io_submit_mode",
	"randrepeat", "allrandrepeat",
}

// GoesWithUntil says why an option does not go with a field that has a workload run until it is steady, nil if it does.
func GoesWithUntil(option, by string) error {
	name := Canonical(OptionName(option))
	option = FieldName(option)
	switch {
	case slices.Contains(setByUntil, name):
		return fmt.Errorf("%s says for how long fio runs: remove %s, or %[1]s", by, option)
	case slices.Contains(notUntil, name):
		return fmt.Errorf("a workload that goes on until it is steady is started more than once on the same files: "+
			"remove %s, or %s", option, by)
	}
	return nil
}

// Until returns a job file that measures for so many seconds, when what runs before that has become steady: it runs for
// some seconds unmeasured. The error says why that cannot be, and names the field that asks for it.
func (f *JobFile) Until(by string, seconds, before int64) (*JobFile, error) {
	for _, section := range f.sections {
		for _, o := range section.Options {
			if err := GoesWithUntil(o.Name, by); err != nil {
				return nil, err
			}
		}
	}
	for _, j := range f.jobs() {
		if j.engine.isMetadata() {
			return nil, fmt.Errorf("operations on files end with the last file, and ioengine is %s: remove %s", j.engine, by)
		}
	}
	return f.timed(seconds, before), nil
}

// timed returns a copy of the job file that measures for so many seconds, however large its files are, and runs for
// some before.
func (f *JobFile) timed(seconds, before int64) *JobFile {
	timed := f.Sections()
	runtime, ramp := strconv.FormatInt(seconds, 10), strconv.FormatInt(before, 10)
	for _, o := range []Option{with("runtime", runtime), with("time_based", "1"), with("ramp_time", ramp)} {
		o.Field = byName[o.Name].field
		timed.replace(o)
	}
	return timed.File()
}

// WhyHotSpotMoves says why a job prefers other blocks, or other files, each time that fio is started, and what to do
// about it, "" if none does. fio draws where the most used ones are, unless it is told (lib/zipf.c of fio,
// shared_rand_init).
func (f *JobFile) WhyHotSpotMoves() string {
	for _, j := range f.jobs() {
		distribution, service := j.text("random_distribution", "random"), j.text("file_service_type", "")
		_, parameters, _ := strings.Cut(distribution, ":")
		isRandom := strings.Contains(j.text("rw", ""), "rand") || j.has("percentage_random")
		switch {
		case isRandom && isSkewed(distribution) && !strings.Contains(parameters, ":"):
			return fmt.Sprintf("random_distribution %s prefers other blocks each time that fio is started: give it a "+
				"centre, such as zipf:1.2:0.5", distribution)
		case isSkewed(service):
			return fmt.Sprintf("file_service_type %s prefers other files each time that fio is started: remove it", service)
		}
	}
	return ""
}

// isSkewed reports whether a distribution has most used places that fio draws.
func isSkewed(distribution string) bool {
	kind, _, _ := strings.Cut(distribution, ":")
	return kind == "zipf" || kind == "pareto"
}

// WarmUp returns a job file that does what this one does before that is measured, for so many seconds. Rounds are
// numbered from 0: each has other random offsets than all before it, so that what is measured is not what a cache has
// just seen.
func (f *JobFile) WarmUp(seconds, round int64) *JobFile {
	return f.timed(seconds, 0).reseeded(2*round + 1)
}

// WithoutSyncAtEnd returns a job file whose jobs end without having their files written to the storage.
func (f *JobFile) WithoutSyncAtEnd() *JobFile {
	unsynced := f.Sections()
	for _, name := range []string{"end_fsync", "fsync_on_close"} {
		if f.anyJob(func(j *job) bool { return j.has(name) }) {
			unsynced.replace(with(name, "0"))
		}
	}
	return unsynced.File()
}

// Warm returns a job file that is measured after the warm-up of a round: what is in the page cache stays there, which
// fio would drop as it begins.
func (f *JobFile) Warm(round int64) *JobFile {
	warm := f.Sections()
	warm.replace(with("invalidate", "0"))
	return warm.File().reseeded(2 * round)
}

// reseeded returns a job file whose jobs draw other random numbers than at any other start of them. Start 0 draws those
// of the job file.
func (f *JobFile) reseeded(start int64) *JobFile {
	const apart = 1 << 20
	const most = 1 << 40 // far more than all starts of a week take
	for _, j := range f.jobs() {
		if j.seed >= 0 && start > 0 {
			seeded := f.Sections()
			seeded.replace(with("randseed", strconv.FormatInt(j.seed%most+start*apart, 10)))
			return seeded.File()
		}
	}
	return f
}
