package regression

import (
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/history"
)

// Large I/Os and slow storage have few I/Os a second, and a change of a part of one is told like any other.
func TestPartsOfAnIO(t *testing.T) {
	of := func(value int64, runs int) []int64 { return slices.Repeat([]int64{value}, runs) }
	for _, row := range []struct {
		name   string
		values []int64
		// want is what is found, "" for nothing.
		want string
	}{
		{"10.52 and then 10.48", slices.Concat(of(10_520, 45), of(10_480, 45)), ""},
		{"10.52 and then 9.48", slices.Concat(of(10_520, 8), of(9_480, 3)), "fell 10 % (10.5 -> 9.48)"},
		{"three in five seconds and one in two", slices.Concat(of(600, 30), of(500, 3)), "fell 17 % (0.6 -> 0.5)"},
		{"to nothing", slices.Concat(of(5_000, 30), of(0, 3)), "fell 100 % (5 -> 0)"},
		{"back", slices.Concat(of(11_000, 30), of(5_000, 10), of(10_900, 10)), "fell 55 % (11 -> 5) on 2026-10-31 03:00 UTC (nightly-30); it has recovered since"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := messagesOf(keptAs(history.ReadIOPS, row.values...))
			if row.want == "" && len(got) > 0 || row.want != "" && (len(got) == 0 || !strings.Contains(got[0], row.want)) {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
}
