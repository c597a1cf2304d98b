package disk

import (
	"math"
	"slices"
	"testing"
	"time"
)

// fixed returns the budget of a volume whose limits stay. Its bucket, which never is empty, counts what it is told.
func fixed(limits Rate, latency Latency) budget {
	p := steady(limits)
	p.Latency, p.Bucket = latency, Bucket{Capacity: 2 * manyIOs, IO: 1}
	return budget{p, balance{Credits: manyIOs}}
}

const manyIOs = 1 << 30

// told returns of how many I/Os a fixed budget was told that was opened at the start.
func told(b budget, start time.Time) float64 {
	return manyIOs + b.Base.IOs*b.At.Sub(start).Seconds() - b.Credits
}

func unsaved(balance) {}

// queue is what so many threads do on a volume, each with one I/O on its way, in a time that passes as fast as the volume allows.
type queue struct {
	threads, bytes int
	write          bool
}

// run returns how long each I/O of the first seconds took.
func (q queue) run(p *pacer, start time.Time, seconds int) []time.Duration {
	next := slices.Repeat([]time.Time{start}, q.threads)
	var took []time.Duration
	for {
		first := 0
		for i := range next {
			if next[i].Before(next[first]) {
				first = i
			}
		}
		now := next[first]
		if now.Sub(start) > time.Duration(seconds)*time.Second {
			return took
		}
		done := p.admit(now, q.write, q.bytes)
		took = append(took, done.Sub(now))
		next[first] = done
	}
}

func percentile(took []time.Duration, part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[int(part*float64(len(sorted)-1))]
}

func near(got, want, part float64) bool { return math.Abs(got-want) <= part*want }

// At a limit all I/Os take as long as the queue: I/Os in flight / IOPS. Below it they take the volume's latency.
func TestPacer(t *testing.T) {
	const micro = time.Microsecond
	start := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	latency := Latency{Read: Delay{Least: 400 * micro, Tail: 100 * micro}, Write: Delay{Least: 800 * micro, Tail: 100 * micro}}
	for _, test := range []struct {
		name     string
		queue    queue
		perSec   float64
		p50, p90 time.Duration
		exceeded bool
	}{
		{"one reads", queue{1, 4096, false}, 2000, 469 * micro, 630 * micro, false},
		{"one writes", queue{1, 4096, true}, 1111, 869 * micro, 1030 * micro, false},
		{"16 at the limit of I/Os", queue{16, 16 << 10, true}, 3000, 5333 * micro, 5450 * micro, true},
		{"64 at the limit of I/Os", queue{64, 4096, false}, 3000, 21333 * micro, 21450 * micro, true},
		{"16 at the limit of bytes", queue{16, 64 << 10, false}, 2000, 8000 * micro, 8150 * micro, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			saves := 0
			save := func(balance) { saves++ }
			p := newPacer(fixed(Rate{IOs: 3000, Bytes: 125 * mib}, latency), save, start)
			const seconds = 10
			took := test.queue.run(p, start, seconds)
			if got := float64(len(took)) / seconds; !near(got, test.perSec, 0.02) {
				t.Errorf("%.0f a second, want %.0f", got, test.perSec)
			}
			if p50, p90 := percentile(took, 0.5), percentile(took, 0.9); !near(float64(p50), float64(test.p50), 0.03) || !near(float64(p90), float64(test.p90), 0.03) {
				t.Errorf("p50 %v and p90 %v, want %v and %v", p50, p90, test.p50, test.p90)
			}
			since := p.statistics(start).Exceeded
			if over := since.IOPS + since.Throughput; test.exceeded != (over > (seconds-1)*time.Second) || !test.exceeded && over > 0 {
				t.Errorf("limits were exceeded for %+v", since)
			}
			p.close(start.Add(seconds * time.Second))
			if math.Round(told(p.budget, start)) != float64(len(took)) || saves < seconds {
				t.Errorf("the budget was told of %v I/Os of %d, and saved %d times", told(p.budget, start), len(took), saves)
			}
		})
	}
}

// A budget that falls is in force within an interval.
func TestPacerFollowsItsBudget(t *testing.T) {
	start := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	p := newPacer(fixed(Rate{IOs: 3000, Bytes: 125 * mib}, Latency{}), unsaved, start)
	load := queue{threads: 16, bytes: 4096}
	load.run(p, start, 1)
	p.budget.Burst.IOs = 300
	now := start.Add(1100 * time.Millisecond)
	if got := len(load.run(p, now, 2)); !near(float64(got), 630, 0.08) {
		t.Errorf("%d I/Os in 2 s of 300 IOPS", got)
	}
}

// While a machine was busy with something else, a volume at its limit loses nothing; after a longer pause it has saved up no more than that.
func TestPacerMakesUpForLittle(t *testing.T) {
	start := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	p := newPacer(fixed(Rate{IOs: 1000, Bytes: 125 * mib}, Latency{}), unsaved, start)
	now := start.Add(time.Hour)
	atOnce := 0
	for {
		done := p.admit(now, false, 4096)
		if done.After(now) {
			break
		}
		atOnce++
	}
	if want := int(slack.Seconds()*1000) + 1; atOnce != want {
		t.Errorf("after an hour %d I/Os are done at once, want %d", atOnce, want)
	}
}
