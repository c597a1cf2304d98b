package report

import (
	"slices"
)

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
