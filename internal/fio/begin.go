package fio

import (
	"cmp"
	"slices"
	"strings"
)

// Begin says when the jobs that make a result begin to measure.
type Begin struct {
	// Stage counts what runs one after the other, from 0: jobs of one stage begin together.
	Stage int
	// AfterMicroseconds is how long after that the first of the jobs measures: its start delay, of a range the least, and its ramp time.
	AfterMicroseconds int64
}

// Begins returns when the jobs of the results begin, in the order of Groups. Jobs that wait for one by its name (wait_for) are a stage after all
// that began with that one: whether others of those still run is not known from the file.
func (f *JobFile) Begins() []Begin {
	stages := map[int]int{} // by the section of the job
	for i, together := range f.resolve().stages {
		for _, j := range together {
			stages[j.section] = i
		}
	}
	var begins []Begin
	for _, jobs := range f.resolve().reported {
		var each []Begin
		for _, j := range jobs {
			each = append(each, Begin{Stage: stages[j.section], AfterMicroseconds: j.delay()})
		}
		begins = append(begins, slices.MinFunc(each, func(a, b Begin) int {
			return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.AfterMicroseconds, b.AfterMicroseconds))
		}))
	}
	return begins
}

// ReadsBefore says whether fio reads files before it measures (pre_read).
func (f *JobFile) ReadsBefore() bool {
	return slices.ContainsFunc(f.jobs(), func(j job) bool { return j.on("pre_read") })
}

// delay is for how long a job is there before it measures, in microseconds. What is no time counts as none.
func (j job) delay() int64 {
	earliest, _, _ := strings.Cut(j.text("startdelay", "0"), "-")
	total := int64(0)
	for _, text := range []string{earliest, j.text("ramp_time", "0")} {
		us, _ := parseMicroseconds(text)
		if sum, ok := add(total, us); ok {
			total = sum
		}
	}
	return total
}
