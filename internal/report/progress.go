package report

import (
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Progress is how far a benchmark is.
type Progress struct {
	// Done is the part of the measuring that is done, from 0 to 1.
	Done float64
	// Left is how long the runs that have not ended will still take. It is known where each of them has a planned time.
	Left      time.Duration
	LeftKnown bool
	// Current is the run that is being made, if any.
	Current *v1alpha1.Run
}

// ProgressOf says how far the runs are at a moment. Planned are the times that they take by their names, without those
// that are unknown. What a run takes beyond its planned time is taken from the median of those that have ended.
func ProgressOf(runs []v1alpha1.Run, planned map[string]time.Duration, now time.Time) Progress {
	var p Progress
	extra, known := overhead(runs, planned), len(runs) > 0
	var done, all time.Duration
	ended := 0
	for i := range runs {
		run := &runs[i]
		expected, isPlanned := planned[run.Name]
		expected += extra
		all += expected
		switch run.State {
		case v1alpha1.RunSucceeded, v1alpha1.RunFailed:
			ended++
			done += expected
			continue
		case v1alpha1.RunRunning:
			p.Current = run
			done += elapsed(run, expected, now)
		case v1alpha1.RunPending:
		}
		known = known && isPlanned
	}
	switch {
	case known && all > 0:
		p.Done = float64(done) / float64(all)
		p.Left, p.LeftKnown = all-done, true
	case len(runs) > 0:
		p.Done = float64(ended) / float64(len(runs))
	}
	return p
}

// elapsed returns how much of a run's expected time has passed.
func elapsed(run *v1alpha1.Run, expected time.Duration, now time.Time) time.Duration {
	if run.StartTime == nil {
		return 0
	}
	return min(max(now.Sub(run.StartTime.Time), 0), expected)
}

// overhead returns the median of what runs that have ended took beyond their planned time.
func overhead(runs []v1alpha1.Run, planned map[string]time.Duration) time.Duration {
	var extras []time.Duration
	for i := range runs {
		run := &runs[i]
		expected, ok := planned[run.Name]
		if ok && run.State == v1alpha1.RunSucceeded && run.StartTime != nil && run.CompletionTime != nil {
			extras = append(extras, max(run.CompletionTime.Sub(run.StartTime.Time)-expected, 0))
		}
	}
	if len(extras) == 0 {
		return 0
	}
	slices.Sort(extras)
	return extras[len(extras)/2]
}

// Bar draws a part of a whole, from 0 to 1, as wide as width characters, such as [=====>    ].
func Bar(part float64, width int) string {
	filled := min(max(int(part*float64(width)), 0), width)
	bar := strings.Repeat("=", filled)
	if filled < width {
		bar += ">"
	}
	return "[" + bar + strings.Repeat(" ", width-len(bar)) + "]"
}

// levels are the bars of a sparkline, from the least to the most.
var levels = []rune("▁▂▃▄▅▆▇█")

// Sparkline draws figures from 0 on beside each other, the last of them if there are more than width. The largest has a full bar, and 0 the
// lowest. Without characters beyond ASCII there is none.
func (s Style) Sparkline(figures []int64, width int) string {
	if !s.Unicode || len(figures) == 0 || width <= 0 {
		return ""
	}
	figures = figures[max(0, len(figures)-width):]
	most := max(slices.Max(figures), 1)
	line := make([]rune, len(figures))
	for i, figure := range figures {
		part := float64(max(figure, 0)) / float64(most)
		line[i] = levels[int(part*float64(len(levels)-1)+0.5)]
	}
	return string(line)
}
