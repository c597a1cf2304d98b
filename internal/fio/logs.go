package fio

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

const (
	// rateSampleBytes is what fio keeps in memory for a sample of each direction and interval: one of IOPS and one of
	// bandwidth.
	rateSampleBytes = 2 * 48
	// histogramSampleBytes is what fio keeps in memory for a histogram, however coarse it writes it: all buckets, of 8
	// bytes.
	histogramSampleBytes = 1856*8 + 64
	// shortestInterval is how often fio notes rates and histograms where there is memory for it.
	shortestInterval = 1000
	// leastPerSecond and leastBytesPerSecond are how slow all jobs together are taken to be that end when they are through
	// with their files: slower ones take more memory for their logs.
	leastPerSecond      = 400
	leastBytesPerSecond = 8 << 20
)

// Logs are how fio notes what jobs do over their time.
type Logs struct {
	// IntervalMilliseconds is how often it notes rates, HistogramMilliseconds how often histograms: a multiple of it.
	IntervalMilliseconds, HistogramMilliseconds int64
	// Groups are the results that the file's jobs make, in the order of Groups, with the prefixes of their logs.
	Groups []LogGroup
}

// LogGroup is a result, and the prefix of its logs: fio adds what each is of, the number of the job, and .log.
type LogGroup struct {
	Name, Prefix string
	// EndApart says that a job may end before others: it is through with its files, or has another time.
	EndApart bool
	// Delayed says that jobs wait before they start, which fio before 3.36 does not tell apart.
	Delayed bool
}

// WithLogs returns a copy of the file with which fio notes what its jobs do over their time, in files of its working
// directory. fio keeps all in memory until a job ends: the intervals are such that it takes no more than so many bytes.
// The error says why there can be no logs. A job runs for so many seconds at least, however short it is itself: what
// runs before it is logged at the same intervals.
func (f *JobFile) WithLogs(memory, atLeast int64) (*JobFile, *Logs, error) {
	samples, slowest := 0.0, f.slowestSeconds() // as many as there would be at one a second
	for _, j := range f.jobs() {
		seconds, err := j.loggedSeconds(slowest)
		if err != nil {
			return nil, nil, err
		}
		samples += max(seconds, float64(atLeast)) * float64(j.clones) * float64(len(j.directions))
	}
	const rateShare, milli = 3, 1000 // a third of the memory is for rates
	interval := intervalFor(samples*milli, memory/rateShare/rateSampleBytes, shortestInterval)
	logs := &Logs{
		IntervalMilliseconds:  interval,
		HistogramMilliseconds: intervalFor(samples*milli, (memory-memory/rateShare)/histogramSampleBytes, interval),
	}
	logged := f.Sections()
	for i, jobs := range f.resolve().reported {
		group := LogGroup{
			Name: jobs[0].name, Prefix: fmt.Sprintf("series-%d", i),
			EndApart: endApart(jobs), Delayed: jobs[0].has("startdelay"),
		}
		logs.Groups = append(logs.Groups, group)
		for _, j := range jobs {
			section := &logged[j.section]
			section.Options = append(section.Options, logs.options(group.Prefix)...)
		}
	}
	return logged.File(), logs, nil
}

// endApart reports whether a job of a result may end before others of it.
func endApart(jobs []*job) bool {
	first := jobs[0]
	return slices.ContainsFunc(jobs, func(j *job) bool {
		isOther := j.runtime != first.runtime || j.ramp != first.ramp || j.staggered(first)
		return !j.timeBased || j.has("number_ios") || isOther
	})
}

// intervalFor returns the shortest multiple of a step with which there are no more samples than may be, of jobs that
// run for so many milliseconds together.
func intervalFor(milliseconds float64, most, step int64) int64 {
	steps := math.Ceil(milliseconds / float64(max(most, 1)) / float64(step))
	const longest = 1e9
	return step * int64(min(max(steps, 1), longest/float64(step)))
}

// options are those that have a job log to files with a prefix. Times of bandwidths and IOPS are the interval's, or
// else fio would leave out the part of an interval in which nothing was done. Instants are those of the clock on the
// wall, which all jobs have in common.
func (l *Logs) options(prefix string) []Option {
	interval := strconv.FormatInt(l.IntervalMilliseconds, 10)
	var options []Option
	for _, o := range [][2]string{
		{"write_iops_log", prefix}, {"write_bw_log", prefix}, {"write_hist_log", prefix},
		{"log_avg_msec", interval}, {"iopsavgtime", interval}, {"bwavgtime", interval},
		{"log_hist_msec", strconv.FormatInt(l.HistogramMilliseconds, 10)}, {"log_unix_epoch", "1"},
	} {
		options = append(options, with(o[0], o[1]))
	}
	return options
}

// slowestSeconds returns how long all jobs take on slow storage until they are through with their files. They share it:
// 64 jobs are no faster than one.
func (f *JobFile) slowestSeconds() float64 {
	var all Work
	for _, j := range f.jobs() {
		if reads, writes, counted := j.work(); counted {
			all = all.plus(reads).plus(writes)
		}
	}
	return max(all.IOs/leastPerSecond, all.Bytes/leastBytesPerSecond, 1)
}

// loggedSeconds returns how long a job runs at most, as far as logs have to be prepared for it: all of them take so
// long on slow storage.
func (j *job) loggedSeconds(slowest float64) (float64, error) {
	switch {
	case j.engine.isMetadata():
		return 0, fmt.Errorf("fio records nothing over time about operations on files (ioengine=%s)", j.engine)
	case j.text("io_submit_mode", "") == "offload":
		return 0, errors.New("fio notes latencies of I/Os only in the thread that submits them (io_submit_mode=offload)")
	}
	own := j.mostSeconds()
	if j.timeBased && j.longest > 0 {
		return own, nil
	}
	if reads, writes, counted := j.work(); counted {
		own = min(own, max(slowest, j.pacedSeconds(reads, writes)))
	}
	if math.IsInf(own, 1) {
		return 0, errors.New("it is not known for how long fio will run: set runtimeSeconds")
	}
	return own, nil
}
