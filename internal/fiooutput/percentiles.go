package fiooutput

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/storagebench/storagebench/internal/histogram"
)

// percentile is a line of fio's list: so many percent of the latencies are at most so long.
type percentile struct {
	percent     float64
	nanoseconds int64
}

// histogramOfPercentiles returns a histogram whose percentiles are those that fio printed, nil if it printed none. All
// latencies between two of them count as the longer one, and those above the last one as the maximum.
func (l *jsonLatency) histogramOfPercentiles() *histogram.Histogram {
	printed := l.printedPercentiles()
	if len(printed) == 0 {
		return nil
	}
	h := &histogram.Histogram{}
	total, counted := uint64(l.count()), uint64(0)
	for _, p := range append(printed, percentile{100, int64(l.Max)}) {
		if upTo := min(uint64(math.Ceil(p.percent/100*float64(total))), total); upTo > counted {
			h.Add(uint64(p.nanoseconds), upTo-counted)
			counted = upTo
		}
	}
	return h
}

// printedPercentiles returns the percentiles from the lowest one on, without those that fio prints in place of none.
func (l *jsonLatency) printedPercentiles() []percentile {
	var printed []percentile
	for text, value := range l.Percentiles {
		percent, err := strconv.ParseFloat(text, 64)
		if err == nil && percent > 0 && percent < 100 && value >= 0 {
			printed = append(printed, percentile{percent, int64(value)})
		}
	}
	slices.SortFunc(printed, func(a, b percentile) int { return cmp.Compare(a.percent, b.percent) })
	if len(printed) > 0 && printed[len(printed)-1].nanoseconds == 0 {
		return nil
	}
	return printed
}
