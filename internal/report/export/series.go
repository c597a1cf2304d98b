package export

import (
	"fmt"
	"iter"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

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
