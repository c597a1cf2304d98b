package schedule

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The period is the longest time between two starts: over a weekend, or from month to month.
func TestPeriod(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]time.Duration{
		"* * * * *":          time.Minute,
		"*/20 * * * *":       20 * time.Minute,
		"0 3 * * *":          day,
		"0 3 * * mon-fri":    3 * day,
		"* 8-18 * * mon-fri": 2*day + 13*time.Hour + time.Minute,
		"0 3 1 * *":          31 * day,
		"@every 36h":         36 * time.Hour,
		"0 0 29 2 *":         1461 * day,
		"0 3 25 11 *":        366 * day,
		"0,10 3 1 1 *":       366*day - 10*time.Minute,
		"@weekly":            7 * day,
	} {
		t.Run(text, func(t *testing.T) {
			cron, problem := Parse(&v1alpha1.StorageBenchmarkScheduleSpec{Schedule: text}, now)
			if problem != nil {
				t.Fatal(problem)
			}
			if got := cron.Period(now); got != want {
				t.Errorf("period is %s, want %s", got, want)
			}
		})
	}
}
