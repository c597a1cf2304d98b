package fiooutput

import (
	"fmt"
	"math"

	"github.com/storagebench/storagebench/internal/direction"
)

// maxFigure bounds what fio can have counted or averaged: an exbibyte, or 30 years in nanoseconds. What is reckoned with
// less neither overflows nor becomes infinite.
const maxFigure = 1 << 60

// checkFigures refuses what fio cannot have measured: it would become a result that nobody could tell from a real one.
func (j *jsonJob) checkFigures() error {
	if err := firstOf(
		outside("job_start", float64(j.JobStart)), outside("job_runtime", float64(j.JobRuntime)), outside("ctx", float64(j.Switches)),
		outside("usr_cpu", float64(j.UserCPU)), outside("sys_cpu", float64(j.SystemCPU)),
	); err != nil {
		return err
	}
	return firstOf(j.Read.checkFigures(), j.Write.checkFigures(), j.Trim.checkFigures(), j.Sync.checkFigures())
}

func (s *jsonSync) checkFigures() error {
	if s == nil {
		return nil
	}
	return s.Latency.checkFigures("sync lat_ns")
}

func (d *jsonDirection) checkFigures() error {
	if d == nil || d.IOs <= 0 {
		return nil
	}
	return firstOf(
		outside("total_ios", float64(d.IOs)), outside("io_bytes", float64(d.Bytes)), outside("short_ios", float64(d.ShortIOs)),
		outside("drop_ios", float64(d.DropIOs)), outside("runtime", float64(d.Runtime)), d.Latency.checkFigures("lat_ns"), d.Complete.checkFigures("clat_ns"),
		d.Submit.checkFigures("slat_ns"),
	)
}

// checkConsistency refuses figures that contradict each other, so that at least one is wrong. A job that failed may have
// I/Os without bytes, and one whose engine is of metadata has I/Os that it only pretends.
func (j *jsonJob) checkConsistency() error {
	for name, d := range direction.Present(j.Read, j.Write, j.Trim) {
		if err := d.contradiction(); err != nil {
			return fmt.Errorf("fio reports contradictory figures: %s has %w", name, err)
		}
	}
	return nil
}

// dropUntimed removes I/Os of a job with verify of which fio takes no time (backend.c, update_runtime), so that they have no
// rate: the writes that verify_only leaves out, which fio counts as made, and the reads of verify_backlog where the runtime
// ends before the reads that follow the writes. fio before 3.40 does not print verify_only, which has no value, but prints
// verify.
func (j *jsonJob) dropUntimed(options map[string]string) {
	if _, verifies := options["verify"]; !verifies {
		return
	}
	if j.Write != nil && j.Write.Runtime == 0 {
		j.Write = nil
	}
	if j.Read != nil && j.Read.Runtime == 0 {
		j.Read = nil
	}
}

// contradiction relies on that fio counts an I/O where it transferred bytes, and rounds its runtime in microseconds up to
// whole milliseconds (backend.c, update_runtime).
func (d *jsonDirection) contradiction() error {
	switch {
	case d.IOs <= 0 && d.IOPS > 0:
		return fmt.Errorf("iops of %g with total_ios of %d", float64(d.IOPS), d.IOs)
	case d.IOs > 0 && d.Bytes == 0:
		return fmt.Errorf("total_ios of %d with io_bytes of 0", d.IOs)
	case d.IOs > 0 && d.Runtime == 0:
		return fmt.Errorf("total_ios of %d with runtime of 0", d.IOs)
	}
	return nil
}

func (l *jsonLatency) checkFigures(name string) error {
	if l.count() <= 0 {
		return nil
	}
	if l.Max < l.Min {
		return fmt.Errorf("fio reports a %s from %d to %d", name, l.Min, l.Max)
	}
	return firstOf(
		outside(name+": N", float64(l.count())), outside(name+": min", float64(l.Min)), outside(name+": max", float64(l.Max)),
		outside(name+": mean", float64(l.Mean)), outside(name+": stddev", float64(l.Stddev)),
	)
}

// outside returns an error about a figure that is negative or more than can be. Figures beyond 2^53 lose a little as
// floats, which is nothing to the bound.
func outside(name string, figure float64) error {
	if figure >= 0 && figure <= maxFigure {
		return nil
	}
	return fmt.Errorf("fio reports %s of %g, which it cannot have measured", name, figure)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// plus adds figures of several jobs, which are not negative, and stays at the largest number where they exceed it.
func plus(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }
