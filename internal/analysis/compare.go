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
	return comparisons
}

// compareRuns does what Compare does, but for verdicts.
func (f *family) compareRuns(runs []v1alpha1.Run, order []string, baseline string) []v1alpha1.Comparison {
	var comparisons []v1alpha1.Comparison
	for _, g := range groupResults(runs) {
		for _, target := range order {
			own, base := g.results[target], g.results[baseline]
			if target == baseline {
				base = nil
			}
			if len(own) > 0 {
				f.unanswered = g.unanswered[target] || g.unanswered[baseline]
				t := f.compareTarget(target, own, base, g.isAtRate(target) && g.isAtRate(baseline))
				if g.firstAccess[target] {
					t.Warnings = append(t.Warnings, mixedAccess(own)...)
				}
				g.comparison.Targets = append(g.comparison.Targets, t)
			}
		}
		if len(g.comparison.Targets) > 0 {
			comparisons = append(comparisons, g.comparison)
		}
	}
	return comparisons
}

// group is what is compared with each other.
type group struct {
	comparison v1alpha1.Comparison
	// results are those of the repetitions by the name of the target, and atRate how many of them did the rate that the workload asks for.
	results map[string][]*v1alpha1.Result
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
				results:    map[string][]*v1alpha1.Result{}, firstAccess: map[string]bool{},
				atRate: map[string]int{}, unanswered: map[string]bool{},
			}
			index[key] = g
			groups = append(groups, g)
		}
		g.results[run.Target] = append(g.results[run.Target], result)
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

// compareTarget compares a target's results with the baseline's, of which there are none for the baseline
// itself. Where both did the rate that the workload asks for, verdicts are on latencies: IOPS are alike whatever the storage is. Of
// writes that wait for syncs the row of syncs has that verdict.
func (f *family) compareTarget(name string, own, base []*v1alpha1.Result, bothAtRate bool) v1alpha1.TargetComparison {
	io := func(direction string) *v1alpha1.IOComparison {
		byLatency := bothAtRate && (direction != v1alpha1.DirectionWrite || !WaitForSyncs(own) && !WaitForSyncs(base))
		return f.compareIO(column(own, direction), column(base, direction), byLatency)
	}
	t := v1alpha1.TargetComparison{
		Name: name, Runs: int32(len(own)),
		Read: io(v1alpha1.DirectionRead), Write: io(v1alpha1.DirectionWrite), Trim: io(v1alpha1.DirectionTrim),
		Sync: f.compareSyncs(syncs(own), syncs(base)),

		Metadata: f.compareMetadata(metadataOf(own), metadataOf(base)),
	}
	if t.Sync != nil && WaitForSyncs(own) {
		t.Sync.Prevails = new(true)
	}
	t.Total = f.compareTotal(own, base, areJudgedByLatency(&t))
	t.Warnings = spreadOf(own)
	return t
}

// rates is how IOPS and bandwidth are judged.
var rates = yardstick{better: moreIsFaster}

// areJudgedByLatency says whether the verdict on a direction is on a latency.
func areJudgedByLatency(t *v1alpha1.TargetComparison) bool {
	for _, io := range t.Directions() {
		if io.JudgedBy != "" {
			return true
		}
	}
	return false
}

// syncsPrevail is how many times as long as for writes jobs wait for syncs, from which on it does not matter how long writes take: memory, or the memory of a
// disk, takes them.
const syncsPrevail = 10

// WaitForSyncs says whether in most of the results jobs wait for syncs, and hardly for the writes between them.
func WaitForSyncs(results []*v1alpha1.Result) bool {
	waits := 0
	for _, r := range results {
		if r.Sync != nil && r.Write != nil && float64(r.Sync.Count)*float64(r.Sync.MeanNanoseconds) > syncsPrevail*float64(r.Write.IOs)*float64(typical(r.Write)) {
			waits++
		}
	}
	return 2*waits > len(results)
}

// typical is how long an I/O took: the mean, or the median if fio took no other latency; more than anything if it took none.
func typical(io *v1alpha1.IOResult) int64 {
	switch {
	case io.Latency != nil:
		return io.Latency.MeanNanoseconds
	case io.CompletionLatency != nil:
		return io.CompletionLatency.P50Nanoseconds
	default:
		return math.MaxInt64
	}
}

// compareTotal returns nil unless a result has more than one direction. Where verdicts are on latencies, it has none.
func (f *family) compareTotal(own, base []*v1alpha1.Result, byLatency bool) *v1alpha1.TotalComparison {
	if !slices.ContainsFunc(own, func(r *v1alpha1.Result) bool { return directions(r) > 1 }) {
		return nil
	}
	t := &v1alpha1.TotalComparison{}
	t.IOPSRatio = f.compareIOPS(&t.IOPS, totals(own, iopsOf), totals(own, MilliIOPS), totals(base, MilliIOPS))
	t.BytesPerSecondRatio = f.compare(&t.BytesPerSecond, totals(own, bytesOf), totals(base, bytesOf), rates)
	if !byLatency {
		f.addRow(&t.Verdict, &t.IOPS, len(own), len(base))
	}
	return t
}

// compareIOPS makes the statistic of whole IOPS, and judges it by thousandths of them, of which the ratio is as well: of I/Os of 8 MiB there are
// few a second, and a whole one more or less would be a difference, or hide one.
func (f *family) compareIOPS(s *v1alpha1.Statistic, whole, own, base []int64) string {
	return f.compareRates(s, whole, own, base, rates)
}

// compareRates is compareIOPS by a yardstick of rates.
func (f *family) compareRates(s *v1alpha1.Statistic, whole, own, base []int64, y yardstick) string {
	*s = StatisticOf(whole)
	return f.add(s, own, base, y)
}

// compareIO compares what results have in one direction, nil for a result without such I/O: its figures
// count as 0. It returns nil if own is empty. The verdict is on IOPS, or on a latency.
func (f *family) compareIO(own, base []*v1alpha1.IOResult, byLatency bool) *v1alpha1.IOComparison {
	if len(own) == 0 {
		return nil
	}
	c := &v1alpha1.IOComparison{}
	c.IOPSRatio = f.compareIOPS(&c.IOPS, values(own, iopsOf), values(own, MilliIOPS), values(base, MilliIOPS))
	c.BytesPerSecondRatio = f.compare(&c.BytesPerSecond, values(own, bytesOf), values(base, bytesOf), rates)
	for _, l := range []struct {
		of        func(*v1alpha1.IOResult) *latency
		statistic **v1alpha1.Statistic
		ratio     *string
	}{
		{meanOf, &c.MeanNanoseconds, &c.MeanRatio},
		{percentileOf(p50), &c.P50Nanoseconds, &c.P50Ratio},
		{percentileOf(p90), &c.P90Nanoseconds, &c.P90Ratio},
		{percentileOf(p99), &c.P99Nanoseconds, &c.P99Ratio},
	} {
		*l.statistic, *l.ratio = compareLatencies(f, own, base, l.of)
	}
	// Not by the ratios: of what is beyond fio's histogram there is none.
	both := func(s *v1alpha1.Statistic, of func(*v1alpha1.IOResult) *latency) bool {
		values, _ := latencies(base, of)
		return s != nil && len(values) > 0
	}
	switch {
	case byLatency && both(c.P99Nanoseconds, percentileOf(p99)):
		c.JudgedBy = v1alpha1.JudgedByP99
	case byLatency && both(c.MeanNanoseconds, meanOf):
		c.JudgedBy = v1alpha1.JudgedByMean
	}
	f.addRow(&c.Verdict, c.Judged(), len(own), len(base))
	return c
}

// compareSyncs compares the time that syncs took. It returns nil if a result has none.
func (f *family) compareSyncs(own, base []*v1alpha1.SyncResult) *v1alpha1.SyncComparison {
	mean := func(s *v1alpha1.SyncResult) *latency { return &latency{nanoseconds: s.MeanNanoseconds} }
	ownMeans, _ := latencies(own, mean)
	if len(ownMeans) == 0 {
		return nil
	}
	baseMeans, _ := latencies(base, mean)
	c := &v1alpha1.SyncComparison{}
	c.MeanRatio = f.compare(&c.MeanNanoseconds, ownMeans, baseMeans, yardstick{better: lessIsFaster})
	percentile := func(of func(*v1alpha1.LatencyDistribution) int64) (*v1alpha1.Statistic, string) {
		return compareLatencies(f, own, base, func(s *v1alpha1.SyncResult) *latency { return percentileIn(s.Latency, of) })
	}
	c.P50Nanoseconds, c.P50Ratio = percentile(p50)
	c.P90Nanoseconds, c.P90Ratio = percentile(p90)
	c.P99Nanoseconds, c.P99Ratio = percentile(p99)
	judged := &c.MeanNanoseconds
	if c.P99Nanoseconds != nil {
		judged = c.P99Nanoseconds
	}
	f.addRow(&c.Verdict, judged, len(own), len(baseMeans))
	return c
}

// compareLatencies returns nil if a result of the target lacks the latency, and compares with nothing if one of the baseline does.
func compareLatencies[T any](f *family, own, base []*T, of func(*T) *latency) (*v1alpha1.Statistic, string) {
	ownValues, ownBuckets := latencies(own, of)
	if len(ownValues) == 0 {
		return nil, ""
	}
	baseValues, baseBuckets := latencies(base, of)
	s := &v1alpha1.Statistic{}
	quotient := f.compare(s, ownValues, baseValues, yardstick{better: lessIsFaster, bucketPercent: max(ownBuckets, baseBuckets)})
	return s, quotient
}

func iopsOf(io *v1alpha1.IOResult) int64  { return io.IOPS }
func bytesOf(io *v1alpha1.IOResult) int64 { return io.BytesPerSecond }

// MilliIOPS returns I/Os in a thousand seconds. The status has whole IOPS, but bytes per second and how large I/Os were on average, which say
// what was rounded away. Where these do not agree with the IOPS, nothing was known of what was.
func MilliIOPS(io *v1alpha1.IOResult) int64 {
	const thousand = 1000
	if io.IOPS > math.MaxInt64/thousand {
		return math.MaxInt64
	}
	if io.Bytes > 0 {
		precise := float64(io.BytesPerSecond) * float64(io.IOs) / float64(io.Bytes)
		if math.Abs(precise-float64(io.IOPS)) < 1 && precise < math.MaxInt64/thousand { // a float64 may be rounded up
			return int64(math.Round(precise * thousand))
		}
	}
	return io.IOPS * thousand
}

// MilliTotalIOPS returns the I/Os of all directions in a thousand seconds.
func MilliTotalIOPS(r *v1alpha1.Result) int64 { return totals([]*v1alpha1.Result{r}, MilliIOPS)[0] }

// latency is a latency of a result. bucketPercent is how wide the buckets are that a percentile was read from, 0 for a mean.
type latency struct {
	nanoseconds   int64
	bucketPercent float64
}

// meanOf returns nil if fio did not take latencies, as percentileOf does.
func meanOf(io *v1alpha1.IOResult) *latency {
	if io.Latency == nil {
		return nil
	}
	return &latency{nanoseconds: io.Latency.MeanNanoseconds}
}

func p50(d *v1alpha1.LatencyDistribution) int64 { return d.P50Nanoseconds }
func p90(d *v1alpha1.LatencyDistribution) int64 { return d.P90Nanoseconds }
func p99(d *v1alpha1.LatencyDistribution) int64 { return d.P99Nanoseconds }

func percentileOf(of func(*v1alpha1.LatencyDistribution) int64) func(*v1alpha1.IOResult) *latency {
	return func(io *v1alpha1.IOResult) *latency { return percentileIn(io.CompletionLatency, of) }
}

// percentileIn returns nil if there is no distribution.
func percentileIn(d *v1alpha1.LatencyDistribution, of func(*v1alpha1.LatencyDistribution) int64) *latency {
	if d == nil {
		return nil
	}
	return &latency{of(d), BucketPercent(d)}
}

// directions returns in how many directions a result has I/O.
func directions(r *v1alpha1.Result) int { return len(maps.Collect(r.Directions())) }

// column returns what each result has in one direction; it is empty if none has anything.
func column(results []*v1alpha1.Result, direction string) []*v1alpha1.IOResult {
	all := make([]*v1alpha1.IOResult, len(results))
	some := false
	for i, r := range results {
		all[i] = r.Direction(direction)
		some = some || all[i] != nil
	}
	if !some {
		return nil
	}
	return all
}

// syncs returns what each result has of syncs, nil for a result without.
func syncs(results []*v1alpha1.Result) []*v1alpha1.SyncResult {
	all := make([]*v1alpha1.SyncResult, len(results))
	for i, r := range results {
		all[i] = r.Sync
	}
	return all
}

func totals(results []*v1alpha1.Result, of func(*v1alpha1.IOResult) int64) []int64 {
	all := make([]int64, len(results))
	for i, r := range results {
		for _, io := range r.Directions() {
			all[i] += min(of(io), math.MaxInt64-all[i])
		}
	}
	return all
}

func values(column []*v1alpha1.IOResult, of func(*v1alpha1.IOResult) int64) []int64 {
	return valuesOf(column, of)
}

// valuesOf returns a figure of each result, 0 for one that is nil.
func valuesOf[T any](column []*T, of func(*T) int64) []int64 {
	all := make([]int64, len(column))
	for i, measured := range column {
		if measured != nil {
			all[i] = of(measured)
		}
	}
	return all
}

// latencies returns a latency of each result, and how wide the widest buckets are that they were read from; none if one of them lacks it.
func latencies[T any](column []*T, of func(*T) *latency) (all []int64, bucketPercent float64) {
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
