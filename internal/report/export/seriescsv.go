package export

import (
	"io"
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
