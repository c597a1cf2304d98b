package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/internal/series"
)

// happenedTable says in words and figures what the charts of a case show over time, a row for each run.
func happenedTable(title string, shown []timed) table {
	t := table{Caption: title, Columns: []column{
		{Name: "Target"}, {Name: "Run"}, {Name: "First tenth", Number: true}, {Name: "Last tenth", Number: true}, {Name: "Steady", Hint: "From when on the rate was what it was at the end. Seconds are from the start of what was measured"}, {Name: "What happened"},
	}}
	for _, run := range shown {
		s := run.of.Summarize(run.section)
		if s == nil {
			continue
		}
		s = s.SinceMeasured()
		t.Rows = append(t.Rows, row{
			{Text: run.target.Name, Target: &run.target}, heading(run.run.Name),
			number(perSecond(s.FirstTenth)), number(perSecond(s.LastTenth)), text(steadyText(s)), text(strings.Join(happened(s), "; ")),
		})
	}
	return t.omitEmpty()
}

// perSecond prints I/Os per second.
func perSecond(rate float64) string { return strconv.FormatInt(int64(rate+0.5), 10) + " IOPS" }

// dropsBeside returns the drops that are not what a fall is, or what was before a rise.
func dropsBeside(s *series.Summary) []series.Drop {
	return slices.DeleteFunc(slices.Clone(s.Drops), func(d series.Drop) bool {
		return s.Fall != nil && d.Rate >= s.Fall.After/2 && d.Seconds+d.Length > s.Fall.Seconds ||
			s.Rise != nil && d.Rate >= s.Rise.Before/2 && d.Seconds < s.Rise.Seconds
	})
}

// steadyText says from when on a rate was steady.
func steadyText(s *series.Summary) string {
	switch {
	case s.SteadySeconds < 0:
		return "not in the end"
	case s.SteadySeconds == 0:
		return "from the start"
	default:
		return "after " + secondsText(s.SteadySeconds)
	}
}

// happened says how a rate fell, rose and dropped.
func happened(s *series.Summary) []string {
	var all []string
	if s.Fall != nil {
		all = append(all, fallText(s.Fall))
	}
	if s.Rise != nil {
		all = append(all, riseText(s.Rise))
	}
	for _, d := range dropsBeside(s) {
		all = append(all, dropText(&d))
	}
	if s.SlowPercent >= 1 {
		all = append(all, fmt.Sprintf("below half of its usual best rate for %.0f %% of the time", s.SlowPercent))
	}
	return all
}

// fallText tells how far a rate fell, and when. A fall at second 0 is a slow one.
func fallText(f *series.Fall) string {
	if f.Seconds == 0 {
		return fmt.Sprintf("%s at first, then slowly down to %s", perSecond(f.Before), perSecond(f.After))
	}
	return fmt.Sprintf("%s until second %s, then %s", perSecond(f.Before), figureText(f.Seconds), perSecond(f.After))
}

func riseText(r *series.Rise) string { return fallText((*series.Fall)(r)) }

// fallsOf says which targets became slower for the rest of their first run.
func fallsOf(shown []timed) string {
	var all []string
	for _, run := range shown {
		if s := run.of.Summarize(run.section); run.again == 0 && s != nil && s.Fall != nil {
			all = append(all, run.target.Name+": "+withSummed(fallText(s.SinceMeasured().Fall), run.section)+".")
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

func dropText(d *series.Drop) string {
	return fmt.Sprintf("down to %s from second %s on, for %s", perSecond(d.Rate), figureText(d.Seconds), secondsText(d.Length))
}

// secondsText prints seconds.
func secondsText(s float64) string { return figureText(s) + " s" }

func figureText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// addDrops marks in charts of rates where runs became slower: all of the first run of each target.
func addDrops(p *plotted, shown []timed) {
	for i, run := range shown {
		s := run.of.Summarize(run.section)
		if s == nil || run.again > 0 {
			continue
		}
		// Marks are where they are in the chart, which has what went before as well. Their texts are as everywhere else.
		since := s.SinceMeasured()
		mark := func(seconds float64, words string) {
			line := &p.Lines[i]
			seconds += s.FromSeconds
			p.Drops = append(p.Drops, fall{Target: run.target.Name, X: seconds, Y: line.before(seconds), Text: run.run.Name + "\n" + words})
		}
		if since.Fall != nil {
			mark(since.Fall.Seconds, fallText(since.Fall))
		}
		if since.Rise != nil {
			mark(since.Rise.Seconds, riseText(since.Rise))
		}
		for _, d := range dropsBeside(since) {
			mark(d.Seconds, dropText(&d))
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
