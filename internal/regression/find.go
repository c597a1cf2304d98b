// Package regression says when storage got slower: it finds changes in the history of a schedule, and names what changed beside them.
//
// Series are divided by E-divisive (Matteson and James, 2014), and changes judged by a t-test, as Hunter does (Fleming and others, 2023;
// Apache Otava). Other than there, what the test takes for chance is held to a promise for the whole schedule: docs/regressions.md has it,
// and the benchmark of this package prints how far it holds. It is pure: the same history gives the same findings.
package regression

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// Options say what of a history is looked at.
type Options struct {
	// BaselineFrom begins a new baseline: benchmarks that ended before are not looked at. Zero: all are.
	BaselineFrom time.Time
	// Acknowledged is when somebody has seen what was told: the changes that were shown by then are not open. Zero: none.
	Acknowledged time.Time
	// Limit is how many points the history has at most. 0: that is not known.
	Limit int
}

// Kind says which way a figure changed.
type Kind string

// The kinds of changes: slower is a regression, whether it is a rate or a latency.
const (
	Regression  Kind = "Regression"
	Improvement Kind = "Improvement"
)

// Finding is a lasting change of a figure.
type Finding struct {
	Case   history.Case
	Metric history.Metric
	Kind   Kind
	// Time, Benchmark and Sequence are those of the first benchmark after the change.
	Time      time.Time
	Benchmark string
	Sequence  int64
	// Before and After are the medians of the levels in the metric's unit, and RunsBefore and RunsAfter how many runs these have.
	Before, After         float64
	RunsBefore, RunsAfter int
	// BadAfter and BadBefore are how many of these runs are bad, of a regression that only some runs have. Before is the
	// median of all runs before it then, and After that of the bad runs. BadAfter is 0 where the level changed.
	BadBefore, BadAfter int
	// Now is the median of the last level, of so many runs, the last of which ended at a time. It is After where no other change came after this one.
	Now     float64
	RunsNow int
	LastRun time.Time
	// IsLast says that no other change came after this one.
	IsLast bool
	// Percent is how much the level rose, or fell if it is below 0.
	Percent float64
	// PValue is the probability that chance alone makes such a change in this series.
	PValue float64
	// Recovered says of a regression that the figure was as good as before at some time since.
	Recovered bool
	// Acknowledged says that somebody knows of it.
	Acknowledged bool
	// Beside are what changed at the same time, of the most important findings, and Compared is what would be among them if it had.
	Beside   []Difference
	Compared []string
	// sides are the points before and after.
	sides [2][]*history.Point
}

// IsOpen says whether the finding is a regression from which the storage has not recovered, and that nobody has acknowledged.
func (f *Finding) IsOpen() bool { return f.lasts() && !f.Acknowledged }

// IsUndone says whether the figure is by now about as it was before the change, or beyond.
func (f *Finding) IsUndone() bool {
	worse := worsening(f.Metric, f.Before, f.Now)
	if f.Kind == Improvement {
		return worse > -leastStep
	}
	return worse < leastStep
}

// FewBefore says whether the history has dropped runs before the change, so that it will be found for few more runs.
func (f *Finding) FewBefore() bool { return f.RunsBefore < leastBefore }

// lasts says whether the finding is a regression from which the storage has not recovered.
func (f *Finding) lasts() bool { return f.Kind == Regression && !f.Recovered }

// Report is what a history shows.
type Report struct {
	// Findings are open regressions, those that are acknowledged or over, then improvements; of each the largest change first.
	Findings []Finding
	// Baseline is what was looked at.
	Baseline Baseline
	// Threshold is the p-value below which a change is told.
	Threshold float64
}

// Worst returns the worst open regression, nil if there is none.
func (r *Report) Worst() *Finding {
	if len(r.Findings) == 0 || !r.Findings[0].IsOpen() {
		return nil
	}
	return &r.Findings[0]
}

// Open returns how many figures are worse and nobody has acknowledged it.
func (r *Report) Open() int { return r.figures((*Finding).IsOpen) }

// known returns how many figures are worse, and somebody has acknowledged it.
func (r *Report) known() int {
	return r.figures(func(f *Finding) bool { return f.lasts() && f.Acknowledged })
}

// figures counts the figures with such a finding. A figure that got worse twice counts once.
func (r *Report) figures(such func(*Finding) bool) int {
	seen := map[figure]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; such(f) {
			seen[figure{f.Case, f.Metric}] = true
		}
	}
	return len(seen)
}

// Find returns what a history shows.
func Find(h *history.History, o Options) Report {
	points, baseline := pointsOf(h.Points, o.BaselineFrom)
	now := storageOf(points)
	runs := runsOf(points, now)
	baseline.Limit = o.Limit
	baseline.need(missing(now, runs))
	all := seriesOf(points, now, runs)
	alpha := alphaOf(len(all))
	report := Report{Baseline: baseline, Threshold: alpha}
	for i := range all {
		report.Findings = append(report.Findings, all[i].findings(alpha, changesOf(len(all)), o.Acknowledged)...)
	}
	report.acknowledgeAlike(points, o.Acknowledged)
	slices.SortStableFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.weight(), a.weight()), cmp.Compare(a.PValue, b.PValue))
	})
	report.compareSides()
	return report
}

// maxBeside is for how many findings it is found out what changed beside them. A history that somebody has made up can have a hundred thousand of them.
const maxBeside = 100

// compareSides finds out what changed beside the first findings.
func (r *Report) compareSides() {
	for i := range r.Findings {
		f := &r.Findings[i]
		if i < maxBeside {
			f.Beside, f.Compared = differences(f.sides[0], f.sides[1], f.Case.Target)
		}
		f.sides = [2][]*history.Point{}
	}
}

// rank puts what is to be acted on first.
func (f *Finding) rank() int {
	switch {
	case f.IsOpen():
		return 0
	case f.Kind == Regression:
		return 1
	default:
		return 2
	}
}

// step is how large a change is: half as many I/Os are as much as twice the latency.
func (f *Finding) step() float64 { return math.Abs(math.Log1p(f.Percent / 100)) }

// weight is how large a change is. Of a regression that lasts it is what is left of it.
func (f *Finding) weight() float64 {
	weight := f.step()
	if f.lasts() {
		weight = min(weight, worsening(f.Metric, f.Before, f.Now))
	}
	return weight
}

// worsening returns how much worse a value is than another one, as a difference of logarithms; below 0 it is better.
func worsening(m history.Metric, before, after float64) float64 {
	rise := math.Log(max(after, 1)) - math.Log(max(before, 1))
	if !m.IsLatency() {
		rise = -rise
	}
	return rise
}

// figure is a metric of a case.
type figure struct {
	history.Case
	metric history.Metric
}

// series is a metric of a case over the points that have it.
type series struct {
	history.Case
	metric history.Metric
	points []*history.Point
	raw    []int64
}

// seriesOf returns the series of points in which a change can be found, of each target those since its storage is what it is now. What the last
// benchmark failed to measure is among them, so that a regression does not go silent by that. Targets that the template has no longer are not.
func seriesOf(points []*history.Point, now map[string]string, runs map[history.Case]int) []series {
	index := map[history.Case]*[history.MetricCount]int{}
	var all []series
	for _, p := range points {
		for _, m := range p.Cases {
			if runs[m.Case] < leastBefore+leastAfter || p.Environment.Of(m.Target) != now[m.Target] {
				continue
			}
			places := index[m.Case] // of its metrics, from 1
			if places == nil {
				places = &[history.MetricCount]int{}
				index[m.Case] = places
			}
			for _, f := range m.Figures {
				if places[f.Metric] == 0 {
					all = append(all, newSeries(m.Case, f.Metric, runs[m.Case]))
					places[f.Metric] = len(all)
				}
				s := &all[places[f.Metric]-1]
				s.points, s.raw = append(s.points, p), append(s.raw, f.Value)
			}
		}
	}
	return all
}

// runsOf returns how many points have each case. Somebody who makes up a history may have sixty thousand cases in it, of a point each.
func runsOf(points []*history.Point, now map[string]string) map[history.Case]int {
	runs := map[history.Case]int{}
	for _, p := range points {
		for i := range p.Cases {
			if of := &p.Cases[i].Case; p.Environment.Of(of.Target) == now[of.Target] {
				runs[*of]++
			}
		}
	}
	return runs
}

// newSeries returns a series that has room for so many runs.
func newSeries(of history.Case, metric history.Metric, runs int) series {
	return series{Case: of, metric: metric, points: make([]*history.Point, 0, runs), raw: make([]int64, 0, runs)}
}

// atLeastTold is a value as it is compared: a rate of 0 counts as the least that is not told as 0.
func atLeastTold(v int64) float64 { return max(float64(v), 0.5) }

// logarithms returns the values as they are compared.
func (s *series) logarithms() []float64 {
	logs := make([]float64, len(s.raw))
	for i, v := range s.raw {
		logs[i] = math.Log(atLeastTold(v))
	}
	return logs
}

// findings returns the changes of the series.
func (s *series) findings(alpha float64, most int, acknowledged time.Time) []Finding {
	values := s.logarithms()
	changes := detect(values, alpha, most)
	seen := s.evidenceAt(acknowledged, values, changes)
	var all []Finding
	for i := range changes {
		f := s.finding(&changes[i])
		last := changes[len(changes)-1].after
		f.Now, f.RunsNow, f.LastRun, f.IsLast = s.level(last), last.len(), s.points[len(s.points)-1].Time, i == len(changes)-1
		f.Recovered = f.Kind == Regression && s.recovered(f.Before, changes[i+1:])
		f.Acknowledged = seen.shows(&changes[i], s.begin(&changes[i]))
		all = append(all, f)
	}
	if f := s.moreBad(values, changes, alpha, acknowledged); f != nil && !isRegressed(all) {
		all = append(all, *f)
	}
	return all
}

// isRegressed reports whether one of the changes of a series is a regression that lasts.
func isRegressed(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.lasts() })
}

// finding returns what there is to say of a change.
func (s *series) finding(c *change) Finding {
	at := s.begin(c)
	first := s.points[at]
	left, right := segment{c.before.start, at}, segment{at, c.after.end}
	before, after := s.level(left), s.level(right)
	f := Finding{
		Case: s.Case, Metric: s.metric, Kind: Improvement,
		Time: first.Time, Benchmark: first.Benchmark, Sequence: first.Sequence,
		Before: before, After: after, RunsBefore: left.len(), RunsAfter: right.len(),
		Percent: 100 * (after/max(before, 0.5) - 1), PValue: c.p,
		sides: [2][]*history.Point{s.points[left.start:left.end], s.points[right.start:right.end]},
	}
	if c.size > 0 == s.metric.IsLatency() {
		f.Kind = Regression
	}
	return f
}

// begin returns the first run after a change. The first level has a least length: where fewer runs before the change are left, those at its
// end that have made the step are after it. So the day of a change stays the same while the runs before it go.
func (s *series) begin(c *change) int {
	at := c.at
	if at != leastBefore {
		return at
	}
	logs := s.logarithms()
	level := median(logs[c.before.start:c.before.end])
	for at > c.before.start+1 && (logs[at-1]-level)/c.size >= share {
		at--
	}
	return at
}

// recovered says whether a level after a regression was as good as that before it, or hardly worse. What comes after that is another change.
func (s *series) recovered(before float64, later []change) bool {
	return slices.ContainsFunc(later, func(c change) bool { return s.isAsGood(before, s.level(c.after)) })
}

// isAsGood says whether a level is as good as one before, or hardly worse.
func (s *series) isAsGood(before, level float64) bool {
	return worsening(s.metric, before, level) < leastStep
}

// level is the median of a segment. Of an even number of values it is the geometric mean of the two in the middle: that is the mean of their logarithms,
// which the test has, so that what is told is never less than what was tested.
func (s *series) level(of segment) float64 {
	sorted := slices.Clone(s.raw[of.start:of.end])
	slices.Sort(sorted)
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	if low == high {
		return float64(low)
	}
	return math.Sqrt(atLeastTold(low) * atLeastTold(high))
}
