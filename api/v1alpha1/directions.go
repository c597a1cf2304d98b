package v1alpha1

import "iter"

// Directions of I/O, by fio's names.
const (
	DirectionRead  = "read"
	DirectionWrite = "write"
	DirectionTrim  = "trim"
)

// Directions yields what was measured in each direction that the result has I/O in: reads, then writes, then trims.
func (r *Result) Directions() iter.Seq2[string, *IOResult] {
	return present(r.Read, r.Write, r.Trim)
}

// Direction returns what was measured in a direction, nil if the result has no such I/O.
func (r *Result) Direction(name string) *IOResult { return named(name, r.Read, r.Write, r.Trim) }

// Directions yields the figures of each direction that the target has I/O in: reads, then writes, then trims. Total is none
// of them.
func (t *TargetComparison) Directions() iter.Seq2[string, *IOComparison] {
	return present(t.Read, t.Write, t.Trim)
}

// Direction returns the figures of a direction, nil if the target has no such I/O.
func (t *TargetComparison) Direction(name string) *IOComparison {
	return named(name, t.Read, t.Write, t.Trim)
}

// present and named are those of internal/direction, which this package cannot import.
func present[T any](read, write, trim *T) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for _, name := range []string{DirectionRead, DirectionWrite, DirectionTrim} {
			if d := named(name, read, write, trim); d != nil && !yield(name, d) {
				return
			}
		}
	}
}

func named[T any](name string, read, write, trim *T) *T {
	switch name {
	case DirectionRead:
		return read
	case DirectionWrite:
		return write
	case DirectionTrim:
		return trim
	}
	return nil
}

// Judged returns the figure that the verdict is on.
func (c *IOComparison) Judged() *Statistic {
	switch {
	case c.JudgedBy == JudgedByP99 && c.P99Nanoseconds != nil:
		return c.P99Nanoseconds
	case c.JudgedBy == JudgedByMean && c.MeanNanoseconds != nil:
		return c.MeanNanoseconds
	default:
		return &c.IOPS
	}
}

// JudgedRatio returns that figure as a multiple of the baseline's, "" if there is none.
func (c *IOComparison) JudgedRatio() string {
	switch c.JudgedBy {
	case JudgedByP99:
		return c.P99Ratio
	case JudgedByMean:
		return c.MeanRatio
	default:
		return c.IOPSRatio
	}
}
