package schedule

import (
	"time"

	"github.com/robfig/cron/v3"
)

const (
	// aWeek is more than that, as the longest time between two starts is often that over a weekend.
	aWeek = 8 * 24 * time.Hour
	// aYear is more than that: a schedule may leave out the end of each month, or all months but one.
	aYear = 400 * 24 * time.Hour
	// leastStarts are those that are looked at however far apart they are, and mostStarts those of a year: as many as a month has hours.
	leastStarts, mostStarts = 12, 31 * 24
)

// Period returns the longest time between two starts, as far as the starts of a year from now show it, or the next 744 of them, or
// those of a week.
func (c *Cron) Period(now time.Time) time.Duration {
	if every, is := c.schedule.(cron.ConstantDelaySchedule); is {
		return every.Delay
	}
	var longest time.Duration
	start := c.next(now)
	for n := 0; start.Sub(now) < aWeek || n < leastStarts || n <= mostStarts && start.Sub(now) < aYear; n++ {
		following := c.next(start)
		if start.IsZero() || following.IsZero() {
			break
		}
		longest, start = max(longest, following.Sub(start)), following
	}
	return longest
}
