package regression

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/history"
)

// keptAs returns a history of one figure, with a day for each value.
func keptAs(metric history.Metric, values ...int64) *history.History {
	p := newPast()
	for _, v := range values {
		p.add(history.Point{Environment: p.env, Cases: []history.Measured{{Case: randread, Figures: []history.Figure{{Metric: metric, Value: v}}}}})
	}
	return p.h
}

// messagesOf are those of all findings.
func messagesOf(h *history.History) []string {
	report := Find(h, Options{})
	var all []string
	for i := range report.Findings {
		all = append(all, report.Findings[i].Message())
	}
	return all
}

// What is told of an even number of runs is between the two in the middle, as it is tested: no change is told that is smaller than the least.
func TestLevelOfEvenRuns(t *testing.T) {
	twoLevels := slices.Repeat([]int64{5_600_000, 5_000_000}, 22)
	for _, row := range []struct {
		name   string
		metric history.Metric
		values []int64
		want   string
	}{
		{"before", history.ReadP99, slices.Concat(twoLevels, slices.Repeat([]int64{5_650_000}, 40)), "read p99 of randread bs=4k on gp3 rose 7 % (5.29 ms -> 5.65 ms) on"},
		{"after", history.ReadP99, slices.Concat(slices.Repeat([]int64{4_900_000}, 44), slices.Repeat([]int64{5_600_000, 5_900_000}, 20)), "rose 17 % (4.9 ms -> 5.75 ms) on"},
		{"few IOPS", history.ReadIOPS, slices.Concat(slices.Repeat([]int64{20_000, 21_000}, 20), slices.Repeat([]int64{10_000, 11_000}, 20)), "fell 49 % (20.5 -> 10.5) on"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := messagesOf(keptAs(row.metric, row.values...)); len(got) != 1 || !strings.Contains(got[0], row.want) {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
}

// A level is the median of what is compared.
func TestLevel(t *testing.T) {
	for _, row := range []struct {
		raw  []int64
		want string
	}{
		{[]int64{3, 9, 4}, "4.000"}, {[]int64{9, 4, 3, 4}, "4.000"}, {[]int64{16, 1, 4, 90}, "8.000"}, {[]int64{0, 0}, "0.000"}, {[]int64{0, 8}, "2.000"}, {[]int64{0}, "0.000"},
	} {
		s := series{raw: row.raw}
		if got := fmt.Sprintf("%.3f", s.level(segment{0, len(row.raw)})); got != row.want {
			t.Errorf("of %v: %s, want %s", row.raw, got, row.want)
		}
	}
}
