package series

import (
	"math"
	"slices"

	"github.com/storagebench/storagebench/internal/direction"
)

// columns returns the series of a recording as it is.
func (r *Recording) columns() *Series {
	s := &Series{
		Version: Version, StartMilliseconds: r.StartMilliseconds, IntervalMilliseconds: r.IntervalMilliseconds,
		LatencyPoints: r.LatencyPoints, Clients: r.Clients,
	}
	for i := range r.Sections {
		from := &r.Sections[i]
		section := Section{Name: from.Name, OffsetMilliseconds: from.OffsetMilliseconds, WholePoints: from.WholePoints, FromPoint: from.FromPoint}
		points := from.points()
		for name, d := range from.Directions() {
			*section.place(name) = d.columns(points, r.LatencyPoints)
		}
		s.Sections = append(s.Sections, section)
	}
	return s
}

func (s *Section) place(name string) **Direction { return place(name, &s.Read, &s.Write, &s.Trim) }

func (s *RecordedSection) place(name string) **Recorded {
	return place(name, &s.Read, &s.Write, &s.Trim)
}

// place returns which of three is for the direction of a name.
func place[T any](name string, read, write, trim **T) **T {
	return *direction.Named(name, &read, &write, &trim)
}

// columns returns a direction in so many points: where it ended before another, its rate is 0.
func (d *Recorded) columns(points, latencyPoints int) *Direction {
	return &Direction{
		IOPS:           rateOf(filled(d.IOPS, points)),
		BytesPerSecond: rateOf(filled(d.Bytes, points)),
		Latency:        latencyOf(filled(d.Latencies, (points+latencyPoints-1)/latencyPoints)),
	}
}

// filled returns a column of so many points. One that has none at all stays so.
func filled[T any](column []T, points int) []T {
	if len(column) == 0 {
		return nil
	}
	return append(slices.Clip(column), make([]T, max(0, points-len(column)))...)
}

func rateOf(ranges []Range) Rate {
	rate, varies := Rate{Mean: make([]float64, len(ranges))}, false
	for i, r := range ranges {
		rate.Mean[i] = significant(r.Mean)
		varies = varies || r.Min != r.Max
	}
	if !varies {
		return rate
	}
	rate.Min, rate.Max = make([]float64, len(ranges)), make([]float64, len(ranges))
	for i, r := range ranges {
		rate.Min[i], rate.Max[i] = significant(r.Min), significant(r.Max)
	}
	return rate
}

func latencyOf(latencies []Latencies) *Latency {
	if latencies == nil {
		return nil
	}
	n := len(latencies)
	columns := &Latency{Mean: make([]int64, n), P50: make([]int64, n), P99: make([]int64, n), Max: make([]int64, n)}
	for i, l := range latencies {
		if l.Histogram == nil {
			continue
		}
		columns.Mean[i] = nanoseconds(l.MeanNanoseconds)
		columns.P50[i] = nanoseconds(float64(l.Histogram.Percentile(50)))
		columns.P99[i] = nanoseconds(float64(l.Histogram.Percentile(99)))
		columns.Max[i] = nanoseconds(float64(l.MaxNanoseconds))
	}
	return columns
}

func nanoseconds(v float64) int64 { return int64(math.Round(significant(v))) }
