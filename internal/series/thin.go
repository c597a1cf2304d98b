package series

import (
	"slices"

	"github.com/storagebench/storagebench/internal/direction"
)

// Thin returns a recording in which one point is for as many of this one's as by says, which is 1 or more. Of their rates it keeps the
// mean, the least and the most; their latencies are those of all their I/Os. The last point of a section may be for fewer, and its mean is of those.
func (r *Recording) Thin(by int) *Recording {
	// A point of latencies becomes as long as the shortest time that is whole points both before and after.
	common := divisor(r.LatencyPoints, by)
	thin := r.thin(by, by/common)
	thin.IntervalMilliseconds *= int64(by)
	thin.LatencyPoints /= common
	return thin
}

// thinLatencies returns a recording in which only latencies are thinned.
func (r *Recording) thinLatencies(by int) *Recording {
	thin := r.thin(1, by)
	thin.LatencyPoints *= by
	return thin
}

func (r *Recording) thin(rates, latencies int) *Recording {
	thin := *r
	thin.Sections = slices.Clone(r.Sections)
	for i := range thin.Sections {
		section := &thin.Sections[i]
		if section.WholePoints > 0 {
			section.WholePoints = max(section.WholePoints/rates, 1)
		}
		section.FromPoint = min((section.FromPoint+rates-1)/rates, max(section.points()-1, 0)/rates)
		thinned := func(d *Recorded) *Recorded { return d.thin(rates, latencies) }
		section.Read, section.Write, section.Trim = direction.Map(section.Read, section.Write, section.Trim, thinned)
	}
	return &thin
}

// divisor returns the greatest common one.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (d *Recorded) thin(rates, latencies int) *Recorded {
	thin := &Recorded{IOPS: thinRanges(d.IOPS, rates), Bytes: thinRanges(d.Bytes, rates)}
	for some := range slices.Chunk(d.Latencies, latencies) {
		var all Latencies
		for _, l := range some {
			all = all.add(l)
		}
		thin.Latencies = append(thin.Latencies, all)
	}
	return thin
}

func thinRanges(ranges []Range, by int) []Range {
	var thin []Range
	for some := range slices.Chunk(ranges, by) {
		thin = append(thin, together(some))
	}
	return thin
}

// together returns the rate of points that follow each other.
func together(ranges []Range) Range {
	all := ranges[0]
	sum := 0.0
	for _, r := range ranges {
		sum += r.Mean
		all.Min, all.Max = min(all.Min, r.Min), max(all.Max, r.Max)
	}
	all.Mean = sum / float64(len(ranges))
	return all
}
