// Package schedule decides when StorageBenchmarks of a StorageBenchmarkSchedule are made, and which of those that have ended are
// deleted. It reads nothing: the time, and what there is, are given.
package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// shortestEvery is the shortest time between two starts, as five fields have it. The names of benchmarks count minutes.
const shortestEvery = time.Minute

// Cron says when starts are due.
type Cron struct {
	schedule cron.Schedule
	location *time.Location
}

// Parse reads a schedule and its time zone as Kubernetes reads those of CronJobs. One that is never due, as of February 30, is an error.
func Parse(spec *v1alpha1.StorageBenchmarkScheduleSpec, now time.Time) (*Cron, *field.Error) {
	path := field.NewPath("spec")
	location, err := zone(spec.TimeZone)
	if err != nil {
		return nil, field.Invalid(path.Child("timeZone"), *spec.TimeZone, err.Error())
	}
	parsed, err := parse(spec.Schedule)
	if err != nil {
		return nil, field.Invalid(path.Child("schedule"), spec.Schedule, err.Error())
	}
	c := &Cron{schedule: parsed, location: location}
	if c.next(now).IsZero() {
		return nil, field.Invalid(path.Child("schedule"), spec.Schedule, "there is no such day in the next five years; correct the day or the month")
	}
	return c, nil
}

func zone(name *string) (*time.Location, error) {
	if name == nil {
		return time.UTC, nil
	}
	if strings.EqualFold(*name, "Local") {
		return nil, fmt.Errorf("the local time zone depends on the machine; name one of the tz database, such as Asia/Tokyo")
	}
	location, err := time.LoadLocation(*name)
	if err != nil {
		return nil, fmt.Errorf("there is no such time zone; name one of the tz database, such as Asia/Tokyo")
	}
	return location, nil
}

// parse reads a schedule. One with a time zone is refused before the parser sees it, which takes some of these ill.
func parse(text string) (cron.Schedule, error) {
	if strings.Contains(text, "TZ") {
		return nil, fmt.Errorf("TZ and CRON_TZ cannot be part of the schedule; set timeZone")
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read as a schedule: %w; five fields are minute, hour, day, month, weekday", err)
	}
	if every, is := parsed.(cron.ConstantDelaySchedule); is && every.Delay < shortestEvery {
		return nil, fmt.Errorf("@every takes a duration of at least %s", shortestEvery)
	}
	return parsed, nil
}

// next returns the first start after a time, zero if there is none.
func (c *Cron) next(after time.Time) time.Time { return c.schedule.Next(after.In(c.location)) }

// After returns the first start after now, zero if there is none. Starts of @every are counted from the one before.
func (c *Cron) After(before, now time.Time) time.Time {
	if every, is := c.schedule.(cron.ConstantDelaySchedule); is && now.After(before) {
		return c.next(before.Add(now.Sub(before).Truncate(every.Delay)))
	}
	return c.next(Later(before, now))
}

// Last returns the last start that was due after the one before, and until now; zero if there is none.
func (c *Cron) Last(before, now time.Time) time.Time {
	if every, is := c.schedule.(cron.ConstantDelaySchedule); is {
		return lastOf(every.Delay, before, now)
	}
	// Years of minutes are not counted: it is looked back twice as far each time.
	for window := time.Hour; ; window *= 2 {
		from, all := now.Add(-window), window >= now.Sub(before)
		if all {
			from = before
		}
		if found := c.lastSince(from, now); !found.IsZero() || all {
			return found
		}
	}
}

// lastOf returns the last start until now of those that are as far apart as every says.
func lastOf(every time.Duration, before, now time.Time) time.Time {
	if now.Sub(before) < every {
		return time.Time{}
	}
	return before.Add(now.Sub(before).Truncate(every))
}

// lastSince returns the last start after from and until now, zero if there is none.
func (c *Cron) lastSince(from, now time.Time) time.Time {
	var last time.Time
	for t := c.next(from); !t.IsZero() && !t.After(now); t = c.next(t) {
		last = t
	}
	return last
}

// between returns how many starts were due after a time and before another one, at most so many.
func (c *Cron) between(after, before time.Time, most int) int {
	n := 0
	for t := c.next(after); n < most && !t.IsZero() && t.Before(before); t = c.next(t) {
		n++
	}
	return n
}

// Later returns the later one of two times.
func Later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
