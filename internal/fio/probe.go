package fio

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// ProbeSeconds is for how long a probe measures at most. One of a shorter workload measures as long as that.
	ProbeSeconds = 10
	// ProbeLimitSeconds is how many seconds a probe may take, with all that fio does before and after it measures. What
	// was measured before does not wait for longer for storage that does not answer.
	ProbeLimitSeconds = 30
	// maxProbeBytes bounds the text of a probe, which a container is given beside the job file and its layout.
	maxProbeBytes = 2 << 10
	// twinSuffix ends the name of the job that a probe has beside the workload's own.
	twinSuffix = "-probe"
)

// Probe returns a job file that does what this one does with twice the I/Os in flight, for ProbeSeconds at most: what
// more in flight get done tells a limit from latency. Engines that wait for no I/O have twice the iodepth. Those that
// wait have twice the jobs, which work on the same files. The error says why there can be none, and what to do about
// it.
func (f *JobFile) Probe() (*JobFile, error) {
	jobs := f.jobs()
	if len(jobs) != 1 || !jobs[0].isTyped() {
		return nil, errors.New("it is for workloads of fio, which have one job")
	}
	j := jobs[0]
	if err := j.checkProbe(); err != nil {
		return nil, err
	}
	seconds := strconv.FormatInt(max(min(j.runtime/second, ProbeSeconds), 1), 10)
	short := []Setting{{"runtime", seconds}, {"ramp_time", "0"}, {"startdelay", "0"}}
	probe := f
	if j.queues {
		short = append(short, Setting{"iodepth", strconv.FormatInt(2*j.depth, 10)})
	} else {
		probe = f.withTwin()
	}
	probe = probe.With(short)
	if n := len(probe.String()); n > maxProbeBytes {
		return nil, fmt.Errorf("its job file takes %d bytes, and may take %d: use fewer or shorter options", n, maxProbeBytes)
	}
	return probe, nil
}

// unprobed are options with which more I/Os in flight say nothing of the storage, with which the files of a run are not
// there afterwards or have other names, or with which its jobs would not run side by side.
var unprobed = []string{
	"rate", "rate_iops", "rate_min", "rate_iops_min", "rate_process", "thinktime", "thinktime_iotime", "verify",
	"gtod_reduce", "disable_lat", "disable_clat",
	"unlink", "unlink_each_loop", "create_on_open", "filename_format", "stonewall", "new_group", waitFor,
	"steadystate", "flow", "latency_target", "read_iolog", "number_ios", "io_size",
}

// checkProbe tells why a job cannot be probed, nil if it can.
func (j *job) checkProbe() error {
	i := slices.IndexFunc(unprobed, j.has)
	switch {
	case j.engine.isMetadata():
		return fmt.Errorf("it needs a workload that reads or writes data, and ioengine is %s", j.engine)
	case j.longest == 0 || !j.timeBased:
		return errors.New("it needs a workload that ends by time: set runtimeSeconds, and no timeBased: false")
	case slices.Contains(j.directions, toTrim):
		return fmt.Errorf("it needs reads or writes, and rw is %s", j.text("rw", "read"))
	case j.buffered:
		return errors.New("the page cache would answer it: set direct: true")
	case i >= 0:
		return fmt.Errorf("it does not go with %s: remove that, or probe", unprobed[i])
	case j.depth > math.MaxInt32/2:
		return fmt.Errorf("it doubles iodepth, and %d is too much for that: lower iodepth", j.depth)
	case !j.queues && !strings.HasPrefix(j.rw, "rand"):
		return fmt.Errorf("jobs of ioengine %s wait for each I/O, and twice as many would go through a file in the same "+
			"order at the same time: use libaio, or random I/O",
			j.engine)
	}
	return nil
}

// withTwin returns a copy of the job file in which each job is there twice, the second time by another name with the
// same files.
func (f *JobFile) withTwin() *JobFile {
	twins := f.Sections()
	for _, section := range f.sections {
		if !section.isJob() {
			continue
		}
		twin := Section{Name: section.Name + twinSuffix, Options: slices.Clone(section.Options)}
		format := strings.ReplaceAll(defaultFormat, "$jobname", section.Name)
		twin.Options = append(twin.Options, with("filename_format", format))
		twins = append(twins, twin)
	}
	return twins.File()
}
