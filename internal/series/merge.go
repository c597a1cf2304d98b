package series

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// errDiffer says that recordings cannot be of clients of one run.
var errDiffer = errors.New("the clients' series are not of the same sections and intervals")

// Merge returns what several clients did together, of the recordings of each, at least one. All are put on the clock of the one that
// began first, to the nearest point: clients begin within milliseconds of each other. Where one has longer points than another, both get
// the longer ones. The least and the most of a sum are the sums of each one's: in truth it varied no more. It is an error if they are not
// of the same sections, or the longer points are not whole ones of the others. What has too many histograms or points together is thinned. What it returns shares nothing with
// the recordings.
func Merge(recordings []*Recording) (*Recording, error) {
	alike, err := sameIntervals(recordings)
	if err != nil {
		return nil, err
	}
	first := slices.MinFunc(alike, func(a, b *Recording) int { return cmp.Compare(a.StartMilliseconds, b.StartMilliseconds) })
	merged := *first
	merged.Clients, merged.Sections = 0, nil
	for _, section := range first.Sections {
		merged.Sections = append(merged.Sections, RecordedSection{Name: section.Name, OffsetMilliseconds: math.MaxInt64})
	}
	for _, r := range alike {
		if !slices.EqualFunc(r.Sections, merged.Sections, func(a, b RecordedSection) bool { return a.Name == b.Name }) {
			return nil, errDiffer
		}
		merged.Clients += r.Clients
		for i := range r.Sections {
			offset := &merged.Sections[i].OffsetMilliseconds
			*offset = min(*offset, r.Sections[i].OffsetMilliseconds+r.StartMilliseconds-merged.StartMilliseconds)
		}
	}
	for _, r := range alike {
		for i := range r.Sections {
			if !merged.add(i, &r.Sections[i], r.StartMilliseconds) {
				return nil, errors.New("the clients' series are of different times")
			}
		}
	}
	thinned := &merged
	for (thinned.histograms() > maxMergedHistograms || thinned.Points() > maxMergedPoints) && thinned.Points() > 1 {
		thinned = thinned.Thin(2)
	}
	return thinned, nil
}

// sameIntervals returns the recordings with points of the same length.
func sameIntervals(recordings []*Recording) ([]*Recording, error) {
	interval, latency := int64(0), int64(0)
	for _, r := range recordings {
		interval = max(interval, r.IntervalMilliseconds)
		latency = max(latency, r.IntervalMilliseconds*int64(r.LatencyPoints))
	}
	alike := make([]*Recording, len(recordings))
	for i, r := range recordings {
		if r.IntervalMilliseconds < 1 || interval%r.IntervalMilliseconds != 0 || latency%interval != 0 {
			return nil, errDiffer
		}
		if by := interval / r.IntervalMilliseconds; by > 1 {
			r = r.Thin(int(by))
		}
		length := interval * int64(r.LatencyPoints)
		if latency%length != 0 {
			return nil, errDiffer
		}
		if by := latency / length; by > 1 {
			r = r.thinLatencies(int(by))
		}
		alike[i] = r
	}
	return alike, nil
}

const (
	// maxLate is how many points one client may have begun later than another.
	maxLate = MaxPoints
	// maxMergedHistograms is the most histograms of all clients together, of 15 KB each. Those of clients that did the same at the same time have no more than
	// the histograms of one.
	maxMergedHistograms = 2 * maxPartHistograms
	// maxMergedPoints is the most points of all together: each client may say that it began earlier than all before it.
	maxMergedPoints = MaxPoints + maxLate
)

// add counts in what a client that began at an instant did in a section, unless that is so much later than others that it cannot be of the same run.
func (r *Recording) add(section int, o *RecordedSection, start int64) bool {
	s := &r.Sections[section]
	late := float64(o.OffsetMilliseconds + start - r.StartMilliseconds - s.OffsetMilliseconds)
	if late < 0 || late > float64(maxLate*r.IntervalMilliseconds) {
		return false
	}
	points := int(math.Round(late / float64(r.IntervalMilliseconds)))
	latencies := int(math.Round(late / float64(r.IntervalMilliseconds*int64(r.LatencyPoints))))
	if o.WholePoints > 0 && (s.WholePoints == 0 || points+o.WholePoints < s.WholePoints) {
		s.WholePoints = points + o.WholePoints
	}
	if o.FromPoint > 0 {
		s.FromPoint = max(s.FromPoint, points+o.FromPoint)
	}
	for name, d := range o.Directions() {
		place := s.place(name)
		if *place == nil {
			*place = &Recorded{}
		}
		(*place).add(d, points, latencies)
	}
	return true
}

// add counts in what another did that began so many points later.
func (d *Recorded) add(o *Recorded, points, latencies int) {
	d.IOPS = sumRanges(d.IOPS, o.IOPS, points)
	d.Bytes = sumRanges(d.Bytes, o.Bytes, points)
	for i, l := range o.Latencies {
		for len(d.Latencies) <= latencies+i {
			d.Latencies = append(d.Latencies, Latencies{})
		}
		d.Latencies[latencies+i] = d.Latencies[latencies+i].add(l)
	}
}

func sumRanges(all, some []Range, late int) []Range {
	for i, r := range some {
		for len(all) <= late+i {
			all = append(all, Range{})
		}
		sum := &all[late+i]
		sum.Min, sum.Mean, sum.Max = sum.Min+r.Min, sum.Mean+r.Mean, sum.Max+r.Max
	}
	return all
}
