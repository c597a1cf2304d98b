package schedule

import (
	"time"

	"github.com/robfig/cron/v3"
)

const (
	// aWeek is more than that, as the longest time between two starts is often that over a weekend.
	aWeek = 8 * 24 * time.Hour
	// aYear is the least number of starts that are looked at: months have different lengths.
	aYear = 12
)

// Period returns the longest time between two starts, as far as a week from now and the next twelve starts show it.
func (c *Cron) Period(now time.Time) time.Duration {
	if every, is := c.schedule.(cron.ConstantDelaySchedule); is {
		return every.Delay
	}
	var longest time.Duration
	start := c.next(now)
	for n := 0; n < aYear || start.Sub(now) < aWeek; n++ {
		following := c.next(start)
		if start.IsZero() || following.IsZero() {
			break
		}
		longest, start = max(longest, following.Sub(start)), following
	}
	return longest
}
