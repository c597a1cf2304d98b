package fio

import (
	"slices"
	"strconv"
)

// WithSeed returns a copy of the job file in which random offsets follow from a number: the same ones for the same number. By
// itself fio has the same offsets each time, so that a repetition finds in caches what the one before it has left there. What a
// job says of its own random numbers stays: fio takes the last value of randseed, and where randrepeat or allrandrepeat is
// given, none is added. Earlier versions of fio, such as 3.33, take randseed only with randrepeat=0.
func (f *JobFile) WithSeed(seed int32) *JobFile {
	if slices.ContainsFunc(f.jobs(), func(j job) bool { return j.has("randrepeat") || j.has("allrandrepeat") }) {
		return f
	}
	return f.withGlobal(
		Option{Name: "randrepeat", Value: "0", HasValue: true},
		Option{Name: "randseed", Value: strconv.Itoa(int(seed)), HasValue: true},
	)
}
