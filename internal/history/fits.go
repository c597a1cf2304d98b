package history

import (
	"fmt"

	"github.com/storagebench/storagebench/internal/plan"
)

// Bounds of a history. Fits holds a template to them before anything is measured, and Decode what is in ConfigMaps.
const (
	// MaxCases is the most cases of a point: 64 workloads, or choices of matrices, on 16 targets.
	MaxCases = 64 * 16
	// MaxPoints is the most points.
	MaxPoints = 1000
	// MaxCasePoints is the most cases of all points together: those of 90 points with as many cases as can be.
	MaxCasePoints = 90 * MaxCases
	// MaxChunks is the most chunks, each for a ConfigMap of its own.
	MaxChunks = 16
	// MaxChunkBytes is the most that a chunk takes, well below the 1 MiB of a ConfigMap.
	MaxChunkBytes = 768 << 10
	// MaxRate is the largest rate: 17 G operations per second, in thousandths.
	MaxRate = 1<<44 - 1
	// MaxLatency is the largest latency: more nanoseconds than the 17.1 s at which fio's histogram ends.
	MaxLatency = 1<<34 - 1
)

// CasesOf returns how many cases a benchmark of these runs has, each section of a job file apart.
func CasesOf(runs []plan.Run) int {
	cases := 0
	for i := range runs {
		if runs[i].Repetition == 1 {
			cases += len(runs[i].Job.Groups())
		}
	}
	return cases
}

// Fits says whether a history of so many points with so many cases is kept, and if not what to do about it.
func Fits(cases, points int) error {
	switch {
	case points < 1 || points > MaxPoints:
		return fmt.Errorf("historyLimit is %d: it must be from 1 to %d", points, MaxPoints)
	case cases > MaxCases:
		return fmt.Errorf("the template has %d results (each workload, choice of its matrix and section, on each target): "+
			"a history holds at most %d; split it into several schedules", cases, MaxCases)
	case cases*points > MaxCasePoints:
		return fmt.Errorf("historyLimit is %d and the template has %d results (each workload, choice of its matrix and section, on each target): "+
			"together that is more than the %d that a history holds; lower historyLimit to %d, or split the template into several schedules",
			points, cases, MaxCasePoints, MaxCasePoints/cases)
	}
	return nil
}
