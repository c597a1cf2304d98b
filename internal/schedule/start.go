package schedule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// toleratedSkew is how far ahead of now something may be that is past, such as the last start, as after a small step of the clock. What is further ahead comes from a
	// clock that was wrong.
	toleratedSkew = time.Hour
	// MostMissed is how many starts are counted at a time that were missed.
	MostMissed = 100
	// mostThere is how many StorageBenchmarks of a schedule there may be, and mostBeyond how many more than its history
	// limits let be, where those are so high that the latter is more.
	mostThere, mostBeyond = 32, 16
)

// MostThere returns how many StorageBenchmarks of a schedule there may be, whatever their state, before it makes no
// more. limits is the sum of its history limits.
func MostThere(limits int) int { return max(mostThere, limits+mostBeyond) }

// State is how far a StorageBenchmark is.
type State int

const (
	// Active is that of one that has not ended.
	Active State = iota
	// Succeeded is that of one whose runs all have a result.
	Succeeded
	// Failed is that of one that has ended otherwise.
	Failed
)

// Benchmark is a StorageBenchmark of the schedule.
type Benchmark struct {
	Name    string
	UID     types.UID
	State   State
	Created time.Time
	// Ended is when it ended. Zero of one that is active.
	Ended time.Time
	// Kept says whether it is known that the history has its point, or needs none.
	Kept bool
	// Marked says whether it says so itself. It leaves no point then, also if the history has none of it.
	Marked bool
	// Deleting says whether it is being deleted.
	Deleting bool
}

// Facts are what a start depends on.
type Facts struct {
	// Name and UID are the schedule's.
	Name         string
	UID          types.UID
	Now, Created time.Time
	// Last is when the last start was due that was made. Zero: there was none.
	Last time.Time
	// Deadline is how late a start may be. Zero: however late.
	Deadline   time.Duration
	Suspended  bool
	Policy     v1alpha1.ConcurrencyPolicy
	Benchmarks []Benchmark
	// Limits is the sum of the schedule's history limits: how many StorageBenchmarks that have ended are kept.
	Limits int
}

// Start is what is to be done about starts.
type Start struct {
	// Due is when the start was due that is to be made now. Zero: none is.
	Due time.Time
	// Made says that its StorageBenchmark is there, of a pass that was ended before it had noted that.
	Made bool
	// Missed is how many starts before Due were not made, at most MostMissed and one more.
	Missed int
	// Replaces are the StorageBenchmarks that are to be deleted before.
	Replaces []Benchmark
	// Waits says that a start is due, and waits for the end of StorageBenchmarks that are active.
	Waits bool
	// Crowded reports that no start is made, due or not, because too many StorageBenchmarks are there.
	Crowded bool
	// Next is when the next start is due. Zero: none will be.
	Next time.Time
}

// Decide returns what is to be done about starts: as the controller of CronJobs does, of several that are due only the last is made.
func Decide(c *Cron, f *Facts) Start {
	if f.Suspended {
		return Start{}
	}
	since := f.since()
	s := Start{Next: c.After(since, f.Now), Crowded: len(f.Benchmarks) >= MostThere(f.Limits)}
	due := c.Last(since, f.Now)
	if due.IsZero() {
		return s
	}
	s.Missed = c.between(since, due, MostMissed+1)
	if f.has(Name(f.Name, f.UID, due)) {
		s.Due, s.Made = due, true
		return s
	}
	if f.Deadline > 0 && f.Now.Sub(due) > f.Deadline {
		s.Missed = 0
		return s
	}
	if s.Crowded {
		s.Missed = 0
		return s
	}
	active := f.active()
	if len(active) > 0 && f.Policy == v1alpha1.ConcurrencyForbid {
		s.Waits, s.Missed = true, 0
		return s
	}
	if f.Policy == v1alpha1.ConcurrencyReplace {
		s.Replaces = slices.DeleteFunc(active, func(b Benchmark) bool { return b.Deleting || !f.isOfStart(b.Name) })
	}
	s.Due = due
	return s
}

// has says whether there is a StorageBenchmark of a name.
func (f *Facts) has(name string) bool {
	return slices.ContainsFunc(f.Benchmarks, func(b Benchmark) bool { return b.Name == name })
}

// isOfStart says whether a name is that of a StorageBenchmark that a start of the schedule has made, and nobody by hand.
func (f *Facts) isOfStart(name string) bool {
	minutes, isOfSchedule := strings.CutPrefix(name, f.Name+"-")
	minutes, hasHash := strings.CutSuffix(minutes, "-"+hashOf(f.UID))
	_, err := strconv.ParseInt(minutes, 10, 64)
	return isOfSchedule && hasHash && err == nil
}

// since returns until when all starts are dealt with.
func (f *Facts) since() time.Time {
	if f.Last.IsZero() {
		return f.Created
	}
	return f.Last
}

// IsAhead says that starts were dealt with until a time that is far ahead: the clock was wrong then. Whoever counts from there makes none for as long. Now has to
// be written down in its place: counted from the time of each pass, no start would ever be due.
func (f *Facts) IsAhead() bool { return IsAhead(f.since(), f.Now) }

// IsAhead says that a time which is past is so far ahead of now that it comes from a clock that was wrong.
func IsAhead(t, now time.Time) bool { return t.After(now.Add(toleratedSkew)) }

// active returns the StorageBenchmarks that have not ended. One that is being deleted still cleans up.
func (f *Facts) active() []Benchmark {
	var active []Benchmark
	for _, b := range f.Benchmarks {
		if b.State == Active {
			active = append(active, b)
		}
	}
	return active
}

// Surplus returns the StorageBenchmarks that have ended and are more than the limits let be, the oldest first. Of those whose point is not kept
// none is among them.
func Surplus(benchmarks []Benchmark, succeeded, failed int) []Benchmark {
	return append(surplus(benchmarks, Succeeded, succeeded), surplus(benchmarks, Failed, failed)...)
}

func surplus(benchmarks []Benchmark, state State, limit int) []Benchmark {
	var ended []Benchmark
	for _, b := range benchmarks {
		if b.State == state && !b.Deleting {
			ended = append(ended, b)
		}
	}
	if len(ended) <= limit {
		return nil
	}
	slices.SortFunc(ended, func(a, b Benchmark) int {
		return cmp.Or(a.Ended.Compare(b.Ended), a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return slices.DeleteFunc(ended[:len(ended)-limit], func(b Benchmark) bool { return !b.Kept })
}

// hashChars is how many characters of a name tell one schedule from another one that had its name before.
const hashChars = 5

// Name returns the name of the StorageBenchmark of a start. Who makes it a second time finds that it is there: another operator, or the same one
// that was ended before it had noted the start.
func Name(schedule string, uid types.UID, due time.Time) string {
	return fmt.Sprintf("%s-%d-%s", schedule, due.Unix()/int64(shortestEvery/time.Second), hashOf(uid))
}

// HistoryName returns the name of a ConfigMap of a schedule's history.
func HistoryName(s *v1alpha1.StorageBenchmarkSchedule, number int) string {
	return fmt.Sprintf("%s-history-%d-%s", s.Name, number, hashOf(s.UID))
}

func hashOf(uid types.UID) string {
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:])[:hashChars]
}
