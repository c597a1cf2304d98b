package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// axes are the parameters that change nothing but how many I/Os are in flight.
var axes = []string{analysis.AxisJobs, analysis.AxisDepth, analysis.AxisClients}

// JudgeMatrices has the cases of each matrix over numjobs, iodepth or clients judge each other: verdicts of runs change where
// others with more I/Os in flight show a limit, or show that there is none. It is for the end, when all runs have their
// results and verdicts, and is to be called once.
func JudgeMatrices(runs []v1alpha1.Run, planned []plan.Run) {
	for _, axis := range axes {
		ladders := map[string][]*analysis.Rung{}
		for i := range runs {
			of, known := plan.Of(planned, &runs[i])
			if known && climbs(&runs[i], of, axis) {
				addRung(ladders, axis, &runs[i], of)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(ladders)) {
			slices.SortFunc(ladders[name], func(a, b *analysis.Rung) int { return cmp.Compare(a.Value, b.Value) })
			analysis.Climb(ladders[name])
		}
	}
}

// climbs reports whether a run is a case of a matrix over a parameter, and can be compared with others. Memory answers
// buffered I/O. A client with a volume of its own adds that volume's limits.
func climbs(run *v1alpha1.Run, planned *plan.Run, axis string) bool {
	if run.Result == nil || run.LimitedBy == nil || run.Search != nil || run.Parameters[axis] == "" {
		return false
	}
	for _, l := range planned.Job.Loads() {
		if l.Buffered || l.Gathered || l.LatencyTarget || l.Staggered {
			return false
		}
	}
	return axis != analysis.AxisClients || storage.IsShared(planned.Target)
}

// addRung adds a run to the case that it is a repetition of, which is of the ladder of those that differ in the parameter
// alone.
func addRung(ladders map[string][]*analysis.Rung, axis string, run *v1alpha1.Run, planned *plan.Run) {
	value, err := strconv.ParseInt(run.Parameters[axis], 10, 64)
	if err != nil {
		return
	}
	others := maps.Clone(run.Parameters)
	delete(others, axis)
	name := fmt.Sprintf("%q %q %q", run.Target, run.Workload, others)
	at := slices.IndexFunc(ladders[name], func(r *analysis.Rung) bool { return r.Value == value })
	if at < 0 {
		at = len(ladders[name])
		ladders[name] = append(ladders[name], &analysis.Rung{Axis: axis, Value: value, InFlight: inFlight(planned)})
	}
	rung := ladders[name][at]
	rung.Results, rung.Bounds = append(rung.Results, run.Result), append(rung.Bounds, run.LimitedBy)
}

// inFlight is how many I/Os all clients of a run ask for together, 0 if that is not known.
func inFlight(planned *plan.Run) int64 {
	total := int64(0)
	for _, l := range planned.Job.Loads() {
		if l.InFlight <= 0 {
			return 0
		}
		total += l.InFlight
	}
	return total * int64(planned.Clients)
}
