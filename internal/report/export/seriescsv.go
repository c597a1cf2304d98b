package export

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// point is a point of a series: a row of a CSV.
type point struct {
	*recorded
	at int
}

// SeriesCSV prints what runs did over their time: a row for each point of each direction. Where latencies are of longer times than rates, they are in
// the row with which such a time begins.
func SeriesCSV(w io.Writer, sb *v1alpha1.StorageBenchmark, read ReadSeries) error {
	sheet, err := newSheet(w, pointFields(sb))
	if err != nil {
		return err
	}
	for r, err := range eachRecorded(sb, read) {
		if err != nil {
			return err
		}
		points := make([]point, r.in.Points())
		for i := range points {
			points[i] = point{r, i}
		}
		if err := sheet.add(points); err != nil {
			return err
		}
	}
	return nil
}

// pointFields are the columns of a CSV of series.
func pointFields(sb *v1alpha1.StorageBenchmark) []field[point] {
	return slices.Concat(
		[]field[point]{
			{"namespace", func(*point) string { return sb.Namespace }},
			{"benchmark", func(*point) string { return sb.Name }},
			{"run", func(p *point) string { return p.run.Name }},
			{"workload", func(p *point) string { return p.run.Workload }},
			{"section", func(p *point) string { return p.section }},
			{"target", func(p *point) string { return p.run.Target }},
			{"repetition", func(p *point) string { return whole(int64(p.run.Repetition)) }},
			{"clients", func(p *point) string { return whole(int64(p.run.ClientCount())) }},
		},
		ofPoints(parameterFields(sb.Status.Runs, func(run *v1alpha1.Run) map[string]string { return run.Parameters })),
		[]field[point]{
			{"direction", func(p *point) string { return p.direction }},
			{"time", func(p *point) string { return p.begins().Format("2006-01-02T15:04:05.000Z07:00") }},
			{"second", func(p *point) string { return float(p.of.Seconds(p.in, p.at)) }},
			{"interval_ms", func(p *point) string { return whole(p.of.IntervalMilliseconds) }},
		},
		rateFields(), pointLatencyFields(),
	)
}

// ofPoints makes columns of runs columns of their points.
func ofPoints(fields []field[v1alpha1.Run]) []field[point] {
	var all []field[point]
	for _, f := range fields {
		all = append(all, field[point]{f.name, func(p *point) string { return f.of(p.run) }})
	}
	return all
}

// begins returns when a point begins.
func (p *point) begins() time.Time {
	return time.UnixMilli(p.of.StartMilliseconds + p.in.OffsetMilliseconds + int64(p.at)*p.of.IntervalMilliseconds).UTC()
}

// rateFields are means, and the least and the most of points that are of more than one of fio's intervals; of others these are the mean.
func rateFields() []field[point] {
	return []field[point]{
		{"iops", func(p *point) string { return float(p.IOPS.Mean[p.at]) }},
		{"min_iops", func(p *point) string { return float(p.IOPS.Lowest(p.at)) }},
		{"max_iops", func(p *point) string { return float(p.IOPS.Highest(p.at)) }},
		{"bytes_per_second", func(p *point) string { return float(p.BytesPerSecond.Mean[p.at]) }},
	}
}

// pointLatencyFields are fio's clat, empty where no I/O ended.
func pointLatencyFields() []field[point] {
	clat := func(name string, of func(*series.Latency) []int64) field[point] {
		return field[point]{"clat_" + name + "_ns", func(p *point) string {
			at, begins := p.latencyAt(p.at)
			if !begins {
				return ""
			}
			return wholeIfSet(of(p.Latency)[at])
		}}
	}
	return []field[point]{
		clat("mean", func(l *series.Latency) []int64 { return l.Mean }),
		clat("p50", func(l *series.Latency) []int64 { return l.P50 }),
		clat("p99", func(l *series.Latency) []int64 { return l.P99 }),
		clat("max", func(l *series.Latency) []int64 { return l.Max }),
	}
}

// float prints a figure with the digits that it has.
func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// ReadSeries returns what a run did over its time, nil if that was not kept. It is asked for one run after the other, so that only one is in
// memory.
type ReadSeries func(*v1alpha1.Run) (*series.Series, error)

// recorded is what one direction of a run did over its time, or of a section of its job file.
type recorded struct {
	run     *v1alpha1.Run
	section string
	// of is the series that it is a part of, and in its section.
	of        *series.Series
	in        *series.Section
	direction string
	*series.Direction
}

// eachRecorded yields what the runs of a benchmark did over their time. The error is the last.
func eachRecorded(sb *v1alpha1.StorageBenchmark, read ReadSeries) iter.Seq2[*recorded, error] {
	return func(yield func(*recorded, error) bool) {
		none := true
		for i := range sb.Status.Runs {
			run := &sb.Status.Runs[i]
			of, err := read(run)
			if err != nil {
				yield(nil, err)
				return
			}
			for r := range recordedOf(run, of) {
				none = false
				if !yield(r, nil) {
					return
				}
			}
		}
		if none {
			yield(nil, fmt.Errorf("no run of %s has a series: they are kept of runs that have ended and have a result", sb.Name))
		}
	}
}

// recordedOf yields what a run did over its time, of each section and *v1alpha1.FiguresComparison.
func recordedOf(run *v1alpha1.Run, of *series.Series) iter.Seq[*recorded] {
	return func(yield func(*recorded) bool) {
		if of == nil {
			return
		}
		for i := range of.Sections {
			for name, d := range of.Sections[i].Directions() {
				if !yield(&recorded{run, sectionName(run, i), of, &of.Sections[i], name, d}) {
					return
				}
			}
		}
	}
}

// sectionName returns what the result at a place of a run's series is called, "" if it is the only one. A name that was there before has its
// number behind it.
func sectionName(run *v1alpha1.Run, index int) string {
	if index >= len(run.Sections) {
		return ""
	}
	name, number := run.Sections[index].Name, 1
	for i := range index {
		if run.Sections[i].Name == name {
			number++
		}
	}
	if number > 1 {
		return fmt.Sprintf("%s (%d)", name, number)
	}
	return name
}

// latencyAt returns the place of a point in the columns of latencies, and whether a point of latencies begins there.
func (r *recorded) latencyAt(point int) (int, bool) {
	return point / r.of.LatencyPoints, r.Latency != nil && point%r.of.LatencyPoints == 0
}
