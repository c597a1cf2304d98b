package v1alpha1

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"k8s.io/utils/ptr"
)

// Operations that figures are of. Those of I/O have fio's names.
const (
	OperationRead     = "read"
	OperationWrite    = "write"
	OperationTrim     = "trim"
	OperationSync     = "sync"
	OperationMetadata = "metadata"
	// OperationTotal is reads, writes and trims together.
	OperationTotal = "total"
)

// Operations returns all operations, in the order that lists of figures have.
func Operations() []string {
	return []string{OperationRead, OperationWrite, OperationTrim, OperationSync, OperationMetadata, OperationTotal}
}

// IsData reports whether an operation moves data in one direction: reads, writes and trims do.
func IsData(operation string) bool {
	return operation == OperationRead || operation == OperationWrite || operation == OperationTrim
}

// Of returns the figures of an operation, nil if the result has none.
func (r *Result) Of(operation string) *Figures {
	return find(r.Figures, func(f *Figures) bool { return f.Name == operation })
}

// Set puts figures of an operation into their place, in that of earlier ones; nil removes these.
func (r *Result) Set(operation string, figures *Figures) {
	r.Figures = slices.DeleteFunc(slices.Clone(r.Figures), func(f Figures) bool { return f.Name == operation })
	if figures = figures.As(operation); figures != nil {
		r.Figures = append(r.Figures, *figures)
		slices.SortStableFunc(r.Figures, func(a, b Figures) int { return CompareOperations(a.Name, b.Name) })
	}
}

// Directions yields the figures of each direction that the result has I/O in: reads, then writes, then trims.
func (r *Result) Directions() iter.Seq2[string, *Figures] {
	return directions(r.Of)
}

// Total adds up the reads, writes and trims of a result, each sum bounded by what an int64 holds; nil if there are none.
func (r *Result) Total() *Figures {
	var total *Figures
	for _, f := range r.Directions() {
		if total == nil {
			total = &Figures{Name: OperationTotal}
		}
		total.Count, total.Bytes = sum(total.Count, f.Count), sum(total.Bytes, f.Bytes)
		total.MilliIOPS, total.BytesPerSecond = sum(total.MilliIOPS, f.MilliIOPS), sum(total.BytesPerSecond, f.BytesPerSecond)
	}
	return total
}

// Work returns what a result did: its reads, writes and trims together, or its operations on files; nil of neither.
func (r *Result) Work() *Figures { return cmp.Or(r.Total(), r.Of(OperationMetadata)) }

func sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// As returns the figures as those of an operation, nil of none.
func (f *Figures) As(operation string) *Figures {
	if f == nil {
		return nil
	}
	named := *f
	named.Name = operation
	return &named
}

// ListOf returns those of the figures that are not nil.
func ListOf[T any](all ...*T) []T {
	var list []T
	for _, f := range all {
		if f != nil {
			list = append(list, *f)
		}
	}
	return list
}

// IOPS returns operations per second, to the nearest whole one; 0 of none.
func (f *Figures) IOPS() int64 {
	if f == nil {
		return 0
	}
	return WholeIOPS(f.MilliIOPS)
}

// Mean returns the mean latency in nanoseconds, 0 if it was not measured.
func (f *Figures) Mean() int64 {
	if f == nil || f.Latency == nil {
		return 0
	}
	return f.Latency.MeanNanoseconds
}

// WholeIOPS returns thousandths of operations per second as whole ones.
func WholeIOPS(milli int64) int64 { return milli/1000 + (milli%1000+500)/1000 }

// Of returns the figures of an operation, nil if the target has none.
func (t *TargetComparison) Of(operation string) *FiguresComparison {
	return find(t.Figures, func(c *FiguresComparison) bool { return c.Name == operation })
}

// Directions yields the figures of each direction that the target has I/O in: reads, then writes, then trims. Total is none
// of them.
func (t *TargetComparison) Directions() iter.Seq2[string, *FiguresComparison] {
	return directions(t.Of)
}

// As returns the figures as those of an operation, nil of none.
func (c *FiguresComparison) As(operation string) *FiguresComparison {
	if c == nil {
		return nil
	}
	named := *c
	named.Name = operation
	return &named
}

// Judged returns the statistic whose verdict counts, an empty one if there is none.
func (c *FiguresComparison) Judged() *Statistic {
	switch {
	case c.JudgedBy == "" && c.MilliIOPS != nil:
		return c.MilliIOPS
	case c.JudgedBy == JudgedByMean && c.MeanNanoseconds != nil:
		return c.MeanNanoseconds
	}
	return cmp.Or(c.P99Nanoseconds, c.MeanNanoseconds, c.MilliIOPS, &Statistic{})
}

// Verdict returns the verdict that counts, "" if there is none.
func (c *FiguresComparison) Verdict() Verdict { return c.Judged().Verdict }

// IOPS returns the statistic of operations per second in whole ones, nil if there is none.
func (c *FiguresComparison) IOPS() *Statistic {
	if c.MilliIOPS == nil {
		return nil
	}
	s := *c.MilliIOPS
	s.Median = WholeIOPS(s.Median)
	for _, figure := range []**int64{&s.Min, &s.Max, &s.ConfidenceLow, &s.ConfidenceHigh} {
		if *figure != nil {
			*figure = new(WholeIOPS(**figure))
		}
	}
	return &s
}

// Multiple returns the median as a multiple of the baseline's, "" if there is none.
func (s *Statistic) Multiple() string {
	if s == nil {
		return ""
	}
	return s.Ratio
}

// Least returns the smallest of the repetitions.
func (s *Statistic) Least() int64 { return ptr.Deref(s.Min, s.Median) }

// Most returns the largest of the repetitions.
func (s *Statistic) Most() int64 { return ptr.Deref(s.Max, s.Median) }

// CompareOperations compares names of operations by their place in lists of figures.
func CompareOperations(a, b string) int {
	return cmp.Compare(slices.Index(Operations(), a), slices.Index(Operations(), b))
}

// Percentiles returns the percentiles of a distribution, from the lowest to the highest.
func (d *LatencyDistribution) Percentiles() [6]*int64 {
	return [...]*int64{
		&d.P50Nanoseconds, &d.P90Nanoseconds, &d.P95Nanoseconds, &d.P99Nanoseconds, &d.P999Nanoseconds, &d.P9999Nanoseconds,
	}
}

func find[T any](all []T, is func(*T) bool) *T {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// directions yields what there is of reads, writes and trims.
func directions[T any](of func(string) *T) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for _, operation := range Operations() {
			if f := of(operation); f != nil && IsData(operation) && !yield(operation, f) {
				return
			}
		}
	}
}
