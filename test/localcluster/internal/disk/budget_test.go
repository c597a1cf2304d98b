package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fixedBudget allows the same at any time.
type fixedBudget struct{ rate Rate }

func (b *fixedBudget) Spend(time.Time, Work) Rate     { return b.rate }
func (b *fixedBudget) Keep(time.Time) ([]byte, error) { return nil, nil }
func (b *fixedBudget) save(time.Time) error           { return nil }

// fakeLeaf is a container's cgroup whose counts a test sets.
type fakeLeaf struct {
	t             *testing.T
	dir           string
	reads, writes int
}

func newFakeLeaf(t *testing.T) *fakeLeaf {
	t.Helper()
	leaf := &fakeLeaf{t: t, dir: t.TempDir()}
	for _, direction := range directions {
		for _, kind := range []string{"iops", "bps"} {
			leaf.put("blkio.throttle."+direction+"_"+kind+"_device", "")
		}
	}
	leaf.do(0, 0)
	return leaf
}

func (l *fakeLeaf) put(file, content string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, file), []byte(content), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// do counts I/Os of 4 KiB.
func (l *fakeLeaf) do(reads, writes int) {
	l.reads, l.writes = l.reads+reads, l.writes+writes
	l.put("blkio.throttle.io_serviced", fmt.Sprintf("7:1 Read %d\n7:1 Write %d\n", l.reads, l.writes))
	l.put("blkio.throttle.io_service_bytes", fmt.Sprintf("7:1 Read %d\n7:1 Write %d\n", l.reads*4096, l.writes*4096))
}

func (l *fakeLeaf) allowed(direction string) int {
	l.t.Helper()
	content, err := os.ReadFile(filepath.Join(l.dir, "blkio.throttle."+direction+"_iops_device"))
	if err != nil {
		l.t.Fatal(err)
	}
	// All figures here have four digits: a plain file would keep the tail of a longer one.
	var device string
	var iops int
	if _, err := fmt.Sscanf(strings.TrimSpace(string(content)), "%s %d", &device, &iops); err != nil {
		l.t.Fatalf("%q: %v", content, err)
	}
	return iops
}

func TestBudgetIsDivided(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	budget := &fixedBudget{rate: Rate{IOs: 4000, Bytes: 400 * mib}}
	volume := newSharedVolume("7:1", budget, now)
	first, second := newFakeLeaf(t), newFakeLeaf(t)
	pass := func(work func()) {
		t.Helper()
		for range 80 {
			now = now.Add(governInterval)
			work()
			if err := volume.govern(now); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, leaf := range []*fakeLeaf{first, second} {
		if err := volume.join(leaf.dir); err != nil {
			t.Fatal(err)
		}
	}
	pass(func() { first.do(0, 100) })
	if got := first.allowed("write"); got != 4000 {
		t.Errorf("one that only writes may do %d", got)
	}
	if err := volume.join(first.dir); err != nil {
		t.Fatal(err)
	}
	pass(func() { first.do(0, 100) })
	if got := first.allowed("write"); got != 4000 {
		t.Errorf("one that joined again may do %d", got)
	}
	pass(func() { first.do(50, 50) })
	if read, write := first.allowed("read"), first.allowed("write"); read < 1900 || read > 2100 || write < 1900 || write > 2100 {
		t.Errorf("one that reads and writes may do %d and %d", read, write)
	}
	pass(func() { first.do(25, 25); second.do(0, 50) })
	if a, b := first.allowed("read"), second.allowed("write"); a < 900 || a > 1100 || b < 1900 || b > 2100 {
		t.Errorf("of two, one may read %d and the other write %d", a, b)
	}
	budget.rate.IOs = 2000
	pass(func() { first.do(0, 50) })
	if got := first.allowed("write"); got != 2000 {
		t.Errorf("when the budget falls, one may do %d", got)
	}
	if err := os.RemoveAll(second.dir); err != nil {
		t.Fatal(err)
	}
	pass(func() { first.do(0, 50) })
	if len(volume.users) != len(directions) {
		t.Errorf("a container that ended is still counted: %d", len(volume.users))
	}
}
