package fiooutput

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/humanize"
)

// oldVersion matches the name of fio before 3.0, but for 2.99, which became 3.0.
var oldVersion = regexp.MustCompile(`^fio-(0|1|2)\.([0-9]+)`)

const (
	// firstRead is the first version of fio 2 whose JSON is read, and becameThree the one that became 3.0.
	firstRead, becameThree = 14, 99
	// oldBytes is the unit of io_bytes before 3.0, oldNanoseconds that of latencies (json_output.c and stat.c of fio-2.14).
	oldBytes, oldNanoseconds = 1024, 1000
)

// modernize converts figures of fio 2.14 to 2.98 into the units of fio 3.
func (r *jsonReport) modernize() error {
	version := oldVersion.FindStringSubmatch(r.Version)
	if version == nil {
		return nil
	}
	minor, err := strconv.Atoi(version[2])
	switch {
	case version[1] == "2" && minor >= becameThree:
		return nil
	case version[1] != "2" || err != nil || minor < firstRead:
		return fmt.Errorf("%s is too old: use fio 3.0 or later, or give the output of fio 2.%d or later", humanize.Excerpt(r.Version), firstRead)
	}
	for i := range r.Jobs {
		for _, d := range direction.Present(r.Jobs[i].Read, r.Jobs[i].Write, r.Jobs[i].Trim) {
			d.Bytes *= oldBytes
			d.Latency, d.Complete = d.OldLatency.inNanoseconds(), d.OldComplete.inNanoseconds()
			d.Submit = d.OldSubmit.inNanoseconds()
		}
	}
	return nil
}

// inNanoseconds returns latencies that were in microseconds.
func (l *jsonLatency) inNanoseconds() *jsonLatency {
	if l == nil {
		return nil
	}
	scaled := &jsonLatency{
		Count: l.Count, Min: l.Min * oldNanoseconds, Max: l.Max * oldNanoseconds,
		Mean: l.Mean * oldNanoseconds, Stddev: l.Stddev * oldNanoseconds, Percentiles: map[string]jsonInteger{},
	}
	for percent, value := range l.Percentiles {
		scaled.Percentiles[percent] = value * oldNanoseconds
	}
	return scaled
}
