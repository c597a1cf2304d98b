package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Compare puts the targets beside each other: one comparison for each workload, choice of its matrix and
// section that has results, in the order in which these first occur in the runs, with the targets in the
// given order. All but the baseline are compared with the baseline, where it has results. Neither order
// changes a figure.
func Compare(runs []v1alpha1.Run, order []string, baseline string) []v1alpha1.Comparison {
	var f family
	comparisons := f.compareRuns(runs, order, baseline)
	f.judge()
	f.warnOfHiding(comparisons)
	return comparisons
}

// compareRuns does what Compare does, but for verdicts.
func (f *family) compareRuns(runs []v1alpha1.Run, order []string, baseline string) []v1alpha1.Comparison {
	var comparisons []v1alpha1.Comparison
	groups := groupResults(runs)
	depend := map[string]dependence{}
	for _, target := range order {
		depend[target] = dependenceOf(groups, target, len(order))
	}
	for _, g := range groups {
		for _, target := range order {
			if len(g.results[target]) > 0 {
				f.depend = dependences{depend[target], depend[baseline]}
				g.comparison.Targets = append(g.comparison.Targets, f.compareIn(g, target, baseline))
			}
		}
		if len(g.comparison.Targets) > 0 {
			comparisons = append(comparisons, g.comparison)
		}
	}
	return comparisons
}

// compareIn compares the results of a target with those of the baseline.
func (f *family) compareIn(g *group, target, baseline string) v1alpha1.TargetComparison {
	own, base := g.results[target], g.results[baseline]
	if target == baseline {
		base = nil
	}
	f.unanswered = g.unanswered[target] || g.unanswered[baseline]
	f.repetitions, f.baseRepetitions = g.repetitions[target], g.repetitions[baseline]
	t := f.compareTarget(target, own, base, g.isAtRate(target) && g.isAtRate(baseline))
	if d := f.depend.own; d > 0 {
		t.Warnings = append(t.Warnings, v1alpha1.Warning{Reason: v1alpha1.WarningDependentRuns, Message: d.text(len(own))})
	}
	if g.firstAccess[target] {
		t.Warnings = append(t.Warnings, mixedAccess(own)...)
	}
	return t
}

// group is what is compared with each other.
type group struct {
	comparison v1alpha1.Comparison
	// results are those of the repetitions by the name of the target, and atRate how many of them did the rate that the workload asks for.
	results map[string][]*v1alpha1.Result
	// repetitions are those of the results.
	repetitions map[string][]int32
	// firstAccess has the targets of which a run has that warning.
	firstAccess map[string]bool
	atRate      map[string]int
	// unanswered has the targets on which a search found no load in some repetitions. Those with an answer are what it did when it did well.
	unanswered map[string]bool
}

// isAtRate says whether most results of a target did the rate that the workload asks for.
func (g *group) isAtRate(target string) bool { return 2*g.atRate[target] > len(g.results[target]) }

// groupKey tells groups apart.
type groupKey struct {
	workload, parameters, section string
	// occurrence counts the sections of one run that share a name, as fio allows.
	occurrence int
}

// keyOf has parameters with quotes, and sorted by fmt, so that different ones never look the same.
func keyOf(run *v1alpha1.Run, section string, occurrence int) groupKey {
	return groupKey{run.Workload, fmt.Sprintf("%q", run.Case()), section, occurrence}
}

func groupResults(runs []v1alpha1.Run) []*group {
	var groups []*group
	index := map[groupKey]*group{}
	add := func(run *v1alpha1.Run, section string, occurrence int, result *v1alpha1.Result, bound *v1alpha1.LimitedBy) {
		key := keyOf(run, section, occurrence)
		g := index[key]
		if g == nil {
			g = &group{
				comparison: v1alpha1.Comparison{Workload: run.Workload, Parameters: maps.Clone(run.Case()), Section: section},
				results:    map[string][]*v1alpha1.Result{}, repetitions: map[string][]int32{}, firstAccess: map[string]bool{},
				atRate: map[string]int{}, unanswered: map[string]bool{},
			}
			index[key] = g
			groups = append(groups, g)
		}
		g.results[run.Target] = append(g.results[run.Target], result)
		g.repetitions[run.Target] = append(g.repetitions[run.Target], run.Repetition)
		g.firstAccess[run.Target] = g.firstAccess[run.Target] || isOfFirstAccess(run)
		// The rate that a search has found is a figure of the storage, and not what the workload asks for.
		if bound != nil && bound.Reason == v1alpha1.BoundWorkloadRate && run.Search == nil {
			g.atRate[run.Target]++
		}
	}
	for i := range runs {
		run := &runs[i]
		if run.State != v1alpha1.RunSucceeded || !run.Stands() {
			continue
		}
		seen := map[string]int{}
		for measured := range run.Measured() {
			add(run, measured.Name, seen[measured.Name], &measured.Result, measured.LimitedBy)
			seen[measured.Name]++
		}
	}
	for _, run := range unanswered(runs) {
		if g := index[keyOf(run, "", 0)]; g != nil {
			g.unanswered[run.Target] = true
		}
	}
	return groups
}

// compareTarget compares a target's results with the baseline's, of which there are none for the baseline itself.
func (f *family) compareTarget(name string, own, base []*v1alpha1.Result, bothAtRate bool) v1alpha1.TargetComparison {
	t := v1alpha1.TargetComparison{Name: name, Runs: int32(len(own)), Warnings: spreadOf(own)}
	for _, operation := range v1alpha1.Operations() {
		judged := f
		if operation == v1alpha1.OperationTotal && areJudgedByLatency(&t) {
			judged = &family{} // without verdicts: latencies have no total
		}
		c := judged.compareOperation(operation, own, base)
		if c == nil {
			continue
		}
		c.JudgedBy = judgedBy(c, own, base, bothAtRate)
		if operation == v1alpha1.OperationSync && WaitForSyncs(own) {
			c.Prevails = new(true)
		}
		if judged == f {
			f.addRow(c.Judged(), len(own), len(column(base, operation)))
		}
		t.Figures = append(t.Figures, *c)
	}
	return t
}

// judgedBy returns the latency whose verdict counts, "" if that on the rate does. Where both did the rate that the workload
// asks for, their IOPS are alike whatever the storage is. The verdict on writes that wait for syncs is that of the syncs.
func judgedBy(c *v1alpha1.FiguresComparison, own, base []*v1alpha1.Result, bothAtRate bool) v1alpha1.JudgedBy {
	isWrite := c.Name == v1alpha1.OperationWrite
	if !bothAtRate || !v1alpha1.IsData(c.Name) || isWrite && (WaitForSyncs(own) || WaitForSyncs(base)) {
		return ""
	}
	both := func(s *v1alpha1.Statistic, of func(*v1alpha1.Figures) *latency) bool {
		values, _ := latencies(column(base, c.Name), of) // and not the ratio: there is none of what is beyond fio's histogram
		return s != nil && len(values) > 0
	}
	switch {
	case both(c.P99Nanoseconds, percentileOf(p99)):
		return v1alpha1.JudgedByP99
	case both(c.MeanNanoseconds, meanOf):
		return v1alpha1.JudgedByMean
	}
	return ""
}

// areJudgedByLatency reports whether the verdict on a direction is on a latency.
func areJudgedByLatency(t *v1alpha1.TargetComparison) bool {
	return slices.ContainsFunc(t.Figures, func(c v1alpha1.FiguresComparison) bool { return c.JudgedBy != "" })
}

// compareOperation compares what results have of an operation. It returns nil if those of the target lack it.
func (f *family) compareOperation(operation string, own, base []*v1alpha1.Result) *v1alpha1.FiguresComparison {
	ours, theirs := column(own, operation), column(base, operation)
	if ours == nil || operation == v1alpha1.OperationTotal && !slices.ContainsFunc(own, hasSeveralDirections) {
		return nil
	}
	c := &v1alpha1.FiguresComparison{Name: operation}
	if operation != v1alpha1.OperationSync {
		c.MilliIOPS = f.compare(values(ours, milliIOPSOf), values(theirs, milliIOPSOf), rateYardstick(operation, own, base))
	}
	if v1alpha1.IsData(operation) || operation == v1alpha1.OperationTotal {
		c.BytesPerSecond = f.compare(values(ours, bytesOf), values(theirs, bytesOf), yardstick{better: moreIsFaster})
	}
	c.MeanNanoseconds = f.compareLatencies(ours, theirs, meanOf)
	c.P50Nanoseconds = f.compareLatencies(ours, theirs, percentileOf(p50))
	c.P90Nanoseconds = f.compareLatencies(ours, theirs, percentileOf(p90))
	c.P99Nanoseconds = f.compareLatencies(ours, theirs, percentileOf(p99))
	return c
}

// rateYardstick is how rates of an operation are judged.
func rateYardstick(operation string, own, base []*v1alpha1.Result) yardstick {
	y := yardstick{better: moreIsFaster}
	if operation == v1alpha1.OperationMetadata {
		y.grain = max(grainOf(own), grainOf(base))
	}
	return y
}

// syncsPrevail is how many times as long as for writes jobs wait for syncs, from which on it does not matter how long writes take: memory, or the memory of a
// disk, takes them.
const syncsPrevail = 10

// WaitForSyncs says whether in most of the results jobs wait for syncs, and hardly for the writes between them.
func WaitForSyncs(results []*v1alpha1.Result) bool {
	waits := 0
	for _, r := range results {
		sync, write := r.Of(v1alpha1.OperationSync), r.Of(v1alpha1.OperationWrite)
		if sync == nil || write == nil {
			continue
		}
		if float64(sync.Count)*float64(sync.Mean()) > syncsPrevail*float64(write.Count)*float64(typical(write)) {
			waits++
		}
	}
	return 2*waits > len(results)
}

// typical is how long an I/O took: the mean, or the median if fio took no other latency; more than anything if it took none.
func typical(io *v1alpha1.Figures) int64 {
	switch {
	case io.Latency != nil:
		return io.Latency.MeanNanoseconds
	case io.CompletionLatency != nil:
		return io.CompletionLatency.P50Nanoseconds
	default:
		return math.MaxInt64
	}
}

// compareLatencies returns nil if a result of the target lacks the latency, and compares with nothing if one of the baseline does.
func (f *family) compareLatencies(own, base []*v1alpha1.Figures, of func(*v1alpha1.Figures) *latency) *v1alpha1.Statistic {
	ownValues, ownBuckets := latencies(own, of)
	if len(ownValues) == 0 {
		return nil
	}
	baseValues, baseBuckets := latencies(base, of)
	return f.compare(ownValues, baseValues, yardstick{better: lessIsFaster, bucketPercent: max(ownBuckets, baseBuckets)})
}

func iopsOf(f *v1alpha1.Figures) int64      { return f.IOPS() }
func milliIOPSOf(f *v1alpha1.Figures) int64 { return f.MilliIOPS }
func bytesOf(f *v1alpha1.Figures) int64     { return f.BytesPerSecond }

// latency is a latency of a result. bucketPercent is how wide the buckets are that a percentile was read from, 0 for a mean.
type latency struct {
	nanoseconds   int64
	bucketPercent float64
}

// meanOf returns nil if fio did not take latencies, as percentileOf does.
func meanOf(io *v1alpha1.Figures) *latency {
	if io.Latency == nil {
		return nil
	}
	return &latency{nanoseconds: io.Latency.MeanNanoseconds}
}

func p50(d *v1alpha1.LatencyDistribution) int64 { return d.P50Nanoseconds }
func p90(d *v1alpha1.LatencyDistribution) int64 { return d.P90Nanoseconds }
func p99(d *v1alpha1.LatencyDistribution) int64 { return d.P99Nanoseconds }

func percentileOf(of func(*v1alpha1.LatencyDistribution) int64) func(*v1alpha1.Figures) *latency {
	return func(io *v1alpha1.Figures) *latency { return percentileIn(io.CompletionLatency, of) }
}

// percentileIn returns nil if there is no distribution.
func percentileIn(d *v1alpha1.LatencyDistribution, of func(*v1alpha1.LatencyDistribution) int64) *latency {
	if d == nil {
		return nil
	}
	return &latency{of(d), BucketPercent(d)}
}

// hasSeveralDirections reports whether a result has I/O in more than one direction.
func hasSeveralDirections(r *v1alpha1.Result) bool { return len(maps.Collect(r.Directions())) > 1 }

// column returns what each result has of an operation, nil for a result without. It is empty if none has anything; of syncs and
// metadata also if one has nothing.
func column(results []*v1alpha1.Result, operation string) []*v1alpha1.Figures {
	all := make([]*v1alpha1.Figures, len(results))
	for i, r := range results {
		if operation == v1alpha1.OperationTotal {
			all[i] = r.Total()
		} else {
			all[i] = r.Of(operation)
		}
	}
	isNone := func(f *v1alpha1.Figures) bool { return f == nil }
	isSome := func(f *v1alpha1.Figures) bool { return f != nil }
	isWhole := v1alpha1.IsData(operation) || operation == v1alpha1.OperationTotal
	if !slices.ContainsFunc(all, isSome) || !isWhole && slices.ContainsFunc(all, isNone) {
		return nil
	}
	return all
}

// values returns a figure of each result, 0 for one without.
func values(column []*v1alpha1.Figures, of func(*v1alpha1.Figures) int64) []int64 {
	all := make([]int64, len(column))
	for i, measured := range column {
		if measured != nil {
			all[i] = of(measured)
		}
	}
	return all
}

// latencies returns a latency of each result, and how wide the widest buckets are that they were read from; none if one of them lacks it.
func latencies(column []*v1alpha1.Figures, of func(*v1alpha1.Figures) *latency) (all []int64, bucketPercent float64) {
	all = make([]int64, len(column))
	for i, measured := range column {
		if measured == nil {
			return nil, 0
		}
		l := of(measured)
		if l == nil {
			return nil, 0
		}
		all[i], bucketPercent = l.nanoseconds, max(bucketPercent, l.bucketPercent)
	}
	return all, bucketPercent
}
