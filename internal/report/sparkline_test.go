package report

import (
	"math"
	"testing"
)

func TestSparkline(t *testing.T) {
	terminal := Style{Unicode: true}
	for name, test := range map[string]struct {
		style   Style
		figures []int64
		width   int
		want    string
	}{
		"a cliff":            {terminal, []int64{3000, 3000, 3010, 300, 300}, 10, "███▂▂"},
		"rising":             {terminal, []int64{0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█"},
		"the last":           {terminal, []int64{9000, 1, 2}, 2, "▅█"},
		"nothing was done":   {terminal, []int64{0, 0}, 5, "▁▁"},
		"as large as can be": {terminal, []int64{math.MaxInt64, math.MinInt64}, 5, "█▁"},
		"no figures":         {terminal, nil, 5, ""},
		"no room":            {terminal, []int64{1}, 0, ""},
		"a dumb terminal":    {Style{}, []int64{1, 2}, 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.style.Sparkline(test.figures, test.width); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
