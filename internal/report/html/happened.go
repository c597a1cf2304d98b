package html

import (
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// happenedTable tells in words and figures what the charts of a case show over time, a row for each run.
func happenedTable(title string, shown []timed) table {
	t := table{Caption: title, Columns: []column{
		{Name: "Target"}, {Name: "Run"}, {Name: "First tenth", Number: true, Hint: "IOPS"}, {Name: "Last tenth", Number: true, Hint: "IOPS"},
		{Name: "Steady", Hint: "From when on the rate was what it was at the end. Seconds are from the start of what was measured"}, {Name: "What happened"},
	}}
	for _, run := range shown {
		if o := run.summary(); o != nil {
			t.Rows = append(t.Rows, row{
				{Text: run.target.Name, Target: &run.target}, heading(run.run.Name),
				number(wording.IOPS(o.FirstTenthMilliIOPS) + " IOPS"), number(wording.IOPS(o.LastTenthMilliIOPS) + " IOPS"),
				text(wording.Steady(o)), text(strings.Join(happened(o), "; ")),
			})
		}
	}
	return t.omitEmpty()
}

// summary tells how a run's rate went, nil if there are too few points to tell.
func (t *timed) summary() *v1alpha1.OverTime {
	if s := t.of.Summarize(t.section); s != nil {
		return analysis.OverTime(s)
	}
	return nil
}

// happened tells how a rate fell, rose and dropped.
func happened(o *v1alpha1.OverTime) []string {
	all := append([]string{wording.RateChange(o)}, wording.Drops(o)...)
	if o.SlowPercent > 0 {
		all = append(all, wording.SlowTime(o))
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// fallsOf tells which targets became slower for the rest of their first run.
func fallsOf(shown []timed) string {
	var all []string
	for _, run := range shown {
		if o := run.summary(); run.again == 0 && o != nil && o.Fall != nil {
			all = append(all, run.target.Name+": "+withSummed(wording.RateChange(o), run.section)+".")
		}
	}
	return strings.Join(all, " ")
}

// withSummed adds to what is told of all directions of a section which those are.
func withSummed(words string, s *series.Section) string {
	if summed := s.Summed(); summed != "" {
		return words + ", " + summed
	}
	return words
}

// addDrops marks in charts of rates where the first run of each target became slower or faster.
func addDrops(p *plotted, shown []timed) {
	for i, run := range shown {
		o := run.summary()
		if o == nil || run.again > 0 {
			continue
		}
		// The chart has what ran before measuring began as well. Texts count from there, as everywhere else.
		mark := func(seconds int32, words string) {
			x := float64(seconds) + float64(int64(run.section.FromPoint)*run.of.IntervalMilliseconds)/1000
			p.Drops = append(p.Drops, fall{Target: run.target.Name, X: x, Y: p.Lines[i].before(x), Text: run.run.Name + "\n" + words})
		}
		if o.Fall != nil {
			mark(o.Fall.AtSeconds, wording.RateChange(o))
		}
		if o.Rise != nil {
			mark(o.Rise.AtSeconds, wording.RateChange(o))
		}
		drops := wording.Drops(o)
		for j, d := range wording.DropsBeside(o) {
			mark(d.AtSeconds, drops[j])
		}
	}
}

// addFroms marks from when on the first run of each target was measured, where it was to become steady before.
func addFroms(p *plotted, shown []timed) {
	for _, run := range shown {
		if run.section.FromPoint > 0 && run.again == 0 {
			p.Froms = append(p.Froms, from{Target: run.target.Name, X: run.of.Seconds(run.section, run.section.FromPoint)})
		}
	}
}

// fromNote says what these marks are, "" if there are none.
func fromNote(shown []timed) string {
	note := ""
	for _, run := range shown {
		switch {
		case run.section.FromPoint == 0:
		case run.again > 0:
			return "What is left of an upright line was to become steady, and was not measured. Of repetitions the line is the first one's."
		default:
			note = "What is left of an upright line was to become steady, and was not measured."
		}
	}
	return note
}

// before returns the figure of the last point that was over by a second, or of the first one.
func (l *timeline) before(seconds float64) rounded {
	over := int(seconds/l.Step) - 1
	return l.Y[max(0, min(over, len(l.Y)-1))]
}
