package regression

import (
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/history"
)

// What rounding to whole I/Os per second can make of next to nothing is no change, however many runs agree on it. What it cannot make is one.
func TestOneUnitIsNoChange(t *testing.T) {
	of := func(value int64, runs int) []int64 { return slices.Repeat([]int64{value}, runs) }
	for _, row := range []struct {
		name   string
		values []int64
		// want is what is found, "" for nothing.
		want string
	}{
		{"10.52 and then 10.48 IOPS", slices.Concat(of(11, 8), of(10, 3)), ""},
		{"the same for long", slices.Concat(of(11, 45), of(10, 45)), ""},
		{"the other way", slices.Concat(of(10, 45), of(11, 45)), ""},
		{"rounded up at times", slices.Concat(slices.Repeat([]int64{11, 11, 11, 11, 11, 10}, 7), slices.Repeat([]int64{10, 10, 10, 10, 10, 11}, 7)), ""},
		{"one a second and none", slices.Concat(of(1, 40), of(0, 40)), ""},
		{"two units", slices.Concat(of(10, 30), of(8, 3)), "fell 20 % (10 -> 8)"},
		{"to nothing", slices.Concat(of(5, 30), of(0, 3)), "fell 100 % (5 -> 0)"},
		{"two units where runs vary by one", slices.Concat(slices.Repeat([]int64{20, 21, 20, 19, 20}, 9), slices.Repeat([]int64{18, 19, 18, 17, 18}, 9)), "fell 10 % (20 -> 18)"},
		{"back but for one unit", slices.Concat(of(11, 30), of(5, 10), of(10, 10)), "fell 55 % (11 -> 5) on 2026-10-31 03:00 UTC (nightly-30); it has recovered since"},
		{"six units of many", slices.Concat(of(100, 30), of(94, 3)), "fell 6 % (100 -> 94)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := messagesOf(keptAs(history.ReadIOPS, row.values...))
			if row.want == "" && len(got) > 0 || row.want != "" && (len(got) == 0 || !strings.Contains(got[0], row.want)) {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
}
