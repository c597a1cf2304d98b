package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// quick and slow are how long ago the work is remembered by which a budget is
	// divided: quickly, when users come and go, and slowly, so that chance counts little.
	quick = 150 * time.Millisecond
	slow  = 1 * time.Second
	// quickPart and slowPart are how wrong a division must be to be made anew.
	quickPart = 0.30
	slowPart  = 0.02
	// quickPause and slowPause are how long a division stays: with each, the kernel
	// begins to count anew and lets some more through.
	quickPause = 100 * time.Millisecond
	slowPause  = 250 * time.Millisecond
	// correction is the time in which too much work is made up for, largest the part of
	// the budget that this may take.
	correction = time.Second
	largest    = 0.5
	// saveInterval is how much of a budget's use is forgotten when the machine stops.
	saveInterval = time.Second
)

var directions = []string{"read", "write"}

// keeper is a budget that can be written down.
type keeper interface {
	Budget
	save(now time.Time) error
}

// keptBudget is a budget that is kept with its volume.
type keptBudget struct {
	Budget
	store *store
	id    string
}

func (b keptBudget) save(now time.Time) error {
	kept, err := b.Keep(now)
	if err != nil || kept == nil {
		return err
	}
	return b.store.saveBudget(b.id, kept)
}

func (v *Volumes) openBudget(id string) (keeper, error) {
	stored, err := v.store.get(id)
	if err != nil {
		return nil, err
	}
	kept, err := v.store.budget(id)
	if err != nil {
		return nil, err
	}
	budget, err := v.kind.Budget(stored.Plan, kept)
	return keptBudget{Budget: budget, store: v.store, id: id}, err
}

// sharedVolume divides the budget of a volume among the containers that use it, and
// for each among reads and writes, because the kernel counts these apart.
type sharedVolume struct {
	device string
	budget keeper
	total  Rate
	// surplus is the work that was done beyond the budget.
	surplus    Work
	users      []*user
	divided    time.Time
	governed   time.Time
	saved      time.Time
	complained bool
	meter      meter
}

// user is a direction of a container.
type user struct {
	cgroup    string
	direction string
	// counted is what the kernel had counted when it was last asked.
	counted Work
	// quickly and slowly are its rates as they are remembered.
	quickly, slowly Rate
	allowed         Rate
}

func newSharedVolume(device string, budget keeper, now time.Time) *sharedVolume {
	return &sharedVolume{device: device, budget: budget, total: budget.Spend(now, Work{}), governed: now, saved: now}
}

// join adds a container. It may do all until others are seen to do something. A kubelet
// that has started anew publishes again what it had, and its work must not count twice.
func (v *sharedVolume) join(cgroup string) error {
	if slices.ContainsFunc(v.users, func(u *user) bool { return u.cgroup == cgroup }) {
		return nil
	}
	counted, err := countWork(cgroup, v.device)
	if err != nil {
		return err
	}
	for _, direction := range directions {
		u := &user{cgroup: cgroup, direction: direction, counted: counted[direction], allowed: v.total}
		if err := u.write(v.device); err != nil {
			return err
		}
		v.users = append(v.users, u)
	}
	return nil
}

// govern counts what was done since the last time and divides the budget anew when
// the division is no longer right.
func (v *sharedVolume) govern(now time.Time) error {
	passed := now.Sub(v.governed)
	if passed <= 0 {
		return nil
	}
	done, err := v.count(passed)
	if err != nil {
		return err
	}
	v.governed = now
	v.meter.note(done, v.total, passed)
	v.surplus = Work{
		IOs:   surplus(v.surplus.IOs, done.IOs, v.total.IOs, passed),
		Bytes: surplus(v.surplus.Bytes, done.Bytes, v.total.Bytes, passed),
	}
	before := v.total
	v.total = v.budget.Spend(now, done)
	if v.total != before {
		v.divided = time.Time{}
	}
	if now.Sub(v.saved) >= saveInterval && done != (Work{}) {
		v.saved = now
		if err := v.budget.save(now); err != nil {
			return err
		}
	}
	return v.allow(now)
}

// surplus is what was done beyond a rate, up to now. What was not done before does not
// count for later.
func surplus(before, done, rate float64, passed time.Duration) float64 {
	return min(rate, max(0, before+done-rate*passed.Seconds()))
}

// corrected is the rate at which a surplus is made up for. A little of it is only the
// rhythm of the kernel.
func corrected(rate, surplus float64) float64 {
	const little = 0.02
	if surplus < little*rate {
		return rate
	}
	return rate - min(surplus/correction.Seconds(), largest*rate)
}

// count returns the work of all users since they were last asked, and forgets users
// whose container is gone.
func (v *sharedVolume) count(passed time.Duration) (Work, error) {
	var done Work
	var left []*user
	work := map[string]map[string]Work{}
	for _, u := range v.users {
		if work[u.cgroup] == nil {
			counted, err := countWork(u.cgroup, v.device)
			if isGone(err) {
				continue
			}
			if err != nil {
				return Work{}, err
			}
			work[u.cgroup] = counted
		}
		left = append(left, u)
		step := u.remember(work[u.cgroup][u.direction], passed)
		done.IOs += step.IOs
		done.Bytes += step.Bytes
	}
	v.users = left
	return done, nil
}

// remember takes note of a count and returns what was done since the last one.
func (u *user) remember(counted Work, passed time.Duration) Work {
	step := Work{IOs: counted.IOs - u.counted.IOs, Bytes: counted.Bytes - u.counted.Bytes}
	u.counted = counted
	rate := Rate{IOs: step.IOs / passed.Seconds(), Bytes: step.Bytes / passed.Seconds()}
	u.quickly = blend(u.quickly, rate, passed, quick)
	u.slowly = blend(u.slowly, rate, passed, slow)
	return step
}

// blend is an exponentially weighted mean over about the given time.
func blend(old, latest Rate, passed, over time.Duration) Rate {
	weight := 1 - math.Exp(-passed.Seconds()/over.Seconds())
	return Rate{
		IOs:   old.IOs + weight*(latest.IOs-old.IOs),
		Bytes: old.Bytes + weight*(latest.Bytes-old.Bytes),
	}
}

// allow divides the budget anew, when the division is no longer right.
func (v *sharedVolume) allow(now time.Time) error {
	quickly, slowly, allowed := make([]Rate, len(v.users)), make([]Rate, len(v.users)), make([]Rate, len(v.users))
	for i, u := range v.users {
		quickly[i], slowly[i], allowed[i] = u.quickly, u.slowly, u.allowed
	}
	total := v.total
	// One alone is held exactly by the kernel, if it is left alone.
	if busy(slowly) > 1 {
		total = Rate{IOs: corrected(total.IOs, v.surplus.IOs), Bytes: corrected(total.Bytes, v.surplus.Bytes)}
	}
	stays := now.Sub(v.divided)
	if division := divide(total, quickly); stays >= quickPause && differ(allowed, division, quickPart) {
		for _, u := range v.users {
			u.slowly = u.quickly
		}
		return v.set(now, division)
	}
	if division := divide(total, slowly); stays >= slowPause && differ(allowed, division, slowPart) {
		return v.set(now, division)
	}
	return nil
}

func (v *sharedVolume) set(now time.Time, division []Rate) error {
	v.divided = now
	for i, u := range v.users {
		u.allowed = division[i]
		if err := u.write(v.device); err != nil && !isGone(err) {
			return err
		}
	}
	return nil
}

func (u *user) write(device string) error {
	return writeLimits(u.cgroup, map[string]string{
		"blkio.throttle." + u.direction + "_iops_device": fmt.Sprintf("%s %.0f", device, max(1, u.allowed.IOs)),
		"blkio.throttle." + u.direction + "_bps_device":  fmt.Sprintf("%s %.0f", device, max(1, u.allowed.Bytes)),
	})
}

// errGone is returned for a cgroup that was removed while it was read.
var errGone = errors.New("the cgroup is gone")

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errGone) }

// countWork returns what a container has done on a device, by direction.
func countWork(cgroup, device string) (map[string]Work, error) {
	ios, err := readCounts(filepath.Join(cgroup, "blkio.throttle.io_serviced"), device)
	if err != nil {
		return nil, err
	}
	bytes, err := readCounts(filepath.Join(cgroup, "blkio.throttle.io_service_bytes"), device)
	if err != nil {
		return nil, err
	}
	work := map[string]Work{}
	for _, direction := range directions {
		work[direction] = Work{IOs: ios[direction], Bytes: bytes[direction]}
	}
	return work, nil
}

func readCounts(file, device string) (map[string]float64, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		if _, gone := os.Stat(filepath.Dir(file)); gone != nil {
			return nil, errGone
		}
		return nil, err
	}
	return parseCounts(string(content), device)
}

// parseCounts reads lines such as "7:0 Read 123".
func parseCounts(content, device string) (map[string]float64, error) {
	counts := map[string]float64{}
	for line := range strings.Lines(content) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != device {
			continue
		}
		count, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return nil, fmt.Errorf("count of line %q: %w", line, err)
		}
		counts[strings.ToLower(fields[1])] = count
	}
	return counts, nil
}
