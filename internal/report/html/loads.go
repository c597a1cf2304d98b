package html

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// loads returns the charts of a workload's searches for the highest load: latency over what was done, a chart for each choice of the matrix, and a line for
// each target.
func (r *results) loads(workload string) []figure {
	var figures []figure
	for i := range r.sb.Status.Searches {
		s := &r.sb.Status.Searches[i]
		isFirst := !slices.ContainsFunc(r.sb.Status.Searches[:i], func(o v1alpha1.SearchResult) bool { return isSameCase(s, &o) })
		if s.Workload == workload && isFirst {
			if f := r.loadFigure(s); f != nil {
				figures = append(figures, *f)
			}
		}
	}
	return figures
}

// isSameCase says whether two searches are of the same on different targets.
func isSameCase(a, b *v1alpha1.SearchResult) bool {
	return a.Workload == b.Workload && maps.Equal(a.Parameters, b.Parameters)
}

// loadFigure returns the chart of all searches of the same as one, nil if nothing was measured.
func (r *results) loadFigure(first *v1alpha1.SearchResult) *figure {
	metric, known := expectation.FindMetric(first.Objective)
	if !known {
		return nil
	}
	label := wording.Parameters(first.Parameters)
	words := metric.Words("sync")
	f := &figure{
		Caption: strings.TrimSpace(label + " " + words),
		Table: table{Caption: describe(strings.TrimSpace(first.Workload+" "+label), words+" over load"), Columns: []column{
			{Name: "Target"}, {Name: first.Vary, Number: true}, {Name: "IOPS", Number: true}, {Name: "Bandwidth", Number: true}, {Name: words, Number: true}, {Name: "Budget"},
		}},
	}
	p := plotted{Label: words, Log: true, Rules: []rule{{Value: float64(first.BudgetNanoseconds), Text: "budget: " + wording.Latency(first.BudgetNanoseconds)}}}
	var notes []string
	for i := range r.sb.Status.Searches {
		s := &r.sb.Status.Searches[i]
		if !isSameCase(first, s) {
			continue
		}
		measured := r.loadsOf(s, metric)
		if len(measured) == 0 {
			continue
		}
		target := r.target(s.Target)
		f.Legend = append(f.Legend, target)
		for _, m := range measured {
			p.Points = append(p.Points, m.point(s, words))
			f.Table.Rows = append(f.Table.Rows, m.row(target))
		}
		notes = append(notes, s.Target+": "+s.Message+".")
	}
	if len(p.Points) == 0 {
		return nil
	}
	f.Note = strings.Join(notes, " ")
	f.Chart = &chart{
		Kind: kindLines, Title: f.Table.Caption, Height: linesHeight, Targets: r.names(), XLabel: "IOPS", Ticks: rateTicks(p.Points),
		Metrics: map[string]plotted{metricLatency: p},
	}
	return f
}

// loaded is what the runs of searches measured at one load.
type loaded struct {
	value           int32
	iops, bytes, ns []int64
	verdicts        []v1alpha1.SearchVerdict
}

// loadsOf returns what a search has measured, from the lowest load on.
func (r *results) loadsOf(s *v1alpha1.SearchResult, metric expectation.Metric) []*loaded {
	at := map[int32]*loaded{}
	for i := range r.sb.Status.Runs {
		run := &r.sb.Status.Runs[i]
		if run.Search == nil || run.Result == nil || !run.IsCase(s.Target, s.Workload, s.Parameters) {
			continue
		}
		nanoseconds, taken := metric.Of(run.Result)
		if !taken {
			continue
		}
		l := at[run.Search.Value]
		if l == nil {
			l = &loaded{value: run.Search.Value}
			at[l.value] = l
		}
		total := cmp.Or(run.Result.Total(), run.Result.Of(v1alpha1.OperationMetadata), &v1alpha1.Figures{})
		l.iops, l.bytes, l.ns, l.verdicts = append(l.iops, total.IOPS()), append(l.bytes, total.BytesPerSecond), append(l.ns, nanoseconds), append(l.verdicts, run.Search.Verdict)
	}
	return slices.SortedFunc(maps.Values(at), func(a, b *loaded) int { return cmp.Compare(a.value, b.value) })
}

// middle returns the median of figures, the lowest and the highest.
func middle(all []int64) interval {
	return interval{cases.Median(all), slices.Min(all), slices.Max(all)}
}

// isAnswer says whether a search has found this load.
func (l *loaded) isAnswer() bool { return slices.Contains(l.verdicts, v1alpha1.SearchAnswer) }

// point is where the load is in the chart.
func (l *loaded) point(s *v1alpha1.SearchResult, words string) point {
	ns, iops := middle(l.ns), middle(l.iops).value
	return point{
		Target: s.Target, X: float64(iops), Value: float64(ns.value), Low: float64(ns.low), High: float64(ns.high), Marked: l.isAnswer(),
		Text: fmt.Sprintf("%s, %s %d\n%d IOPS, %s %s", s.Target, s.Vary, l.value, iops, words, wording.Latency(ns.value)),
	}
}

// row is what a table says of the load.
func (l *loaded) row(target target) row {
	verdict := "within"
	switch {
	case l.isAnswer():
		verdict = "answer"
	case slices.Contains(l.verdicts, v1alpha1.SearchBeyond):
		verdict = "beyond"
	}
	bytes := middle(l.bytes).value
	return row{
		{Text: target.Name, Target: &target, Heading: true}, whole(int64(l.value)), whole(middle(l.iops).value),
		number(wording.Bandwidth(bytes)), number(wording.Latency(middle(l.ns).value)), {Text: verdict},
	}
}

// rateTicks returns round places on an axis of what was done, at most eight.
func rateTicks(points []point) []tick {
	const most = 8
	greatest := 1.0
	for _, p := range points {
		greatest = max(greatest, p.X)
	}
	step := math.Pow(10, math.Floor(math.Log10(greatest/most)))
	for _, times := range []float64{1, 2, 5, 10} {
		if greatest/(step*times) <= most {
			step *= times
			break
		}
	}
	step = max(step, 1)
	var ticks []tick
	for i := 0; float64(i)*step <= greatest*1.02; i++ {
		x := float64(i) * step
		ticks = append(ticks, tick{X: x, Label: strconv.FormatInt(int64(x), 10), Minor: i%2 != 0})
	}
	return ticks
}
