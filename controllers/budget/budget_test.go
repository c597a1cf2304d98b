package budget

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// fill holds objects of one byte for a namespace until there is no room for another one, and returns how many it holds.
func fill(c *Cache, namespace string) (held int) {
	for c.Hold(types.UID(namespace+string(rune('a'+held))), namespace, 1, false) {
		held++
	}
	return held
}

// TestShares checks that a namespace which fills the caches leaves room for others.
func TestShares(t *testing.T) {
	b := New(24)
	pods, jobs := b.NewCache(), b.NewCache()
	if got := fill(pods, "first"); got != 12 {
		t.Errorf("the first namespace holds %d bytes, want half of 24", got)
	}
	if got := fill(jobs, "second"); got != 6 {
		t.Errorf("the second namespace holds %d bytes, want half of what is left", got)
	}
	if jobs.Hold("big", "third", 4, false) || !jobs.Hold("small", "third", 3, false) {
		t.Error("a third namespace does not hold half of the last 6 bytes")
	}
	if !pods.Hold("holder", "first", 3, true) || pods.Hold("another", "fourth", 1, true) {
		t.Error("what is urgent does not take all that is free")
	}
	pods.Drop("firsta")
	pods.Drop("firsta")
	if !jobs.Hold("fourth", "fourth", 0, false) || b.held != 23 {
		t.Errorf("%d bytes are held, want 23", b.held)
	}
}

// TestHeldObjectChanges checks that an object which is held again takes what it weighs now.
func TestHeldObjectChanges(t *testing.T) {
	b := New(20)
	c := b.NewCache()
	for _, step := range []struct {
		bytes int64
		fits  bool
	}{{4, true}, {10, true}, {11, false}, {2, true}} {
		if got := c.Hold("a", "ns", step.bytes, false); got != step.fits || c.Holds("a") != step.fits {
			t.Errorf("%d bytes: held %t, want %t", step.bytes, got, step.fits)
		}
	}
	if b.held != 2 || b.byNamespace["ns"] != 2 {
		t.Errorf("%d bytes are held, %v", b.held, b.byNamespace)
	}
}

// TestLeftOut checks that it is known what is left out, also while objects are listed anew.
func TestLeftOut(t *testing.T) {
	b := New(20)
	c := b.NewCache()
	pods := Owner{Kind: "Pod", Benchmark: types.NamespacedName{Namespace: "ns", Name: "sb"}}
	jobs := Owner{Kind: "Job", Benchmark: pods.Benchmark}
	c.Hold("a", "ns", 5, false)
	c.LeaveOut("a", pods)
	c.LeaveOut("a", pods)
	if !b.LeavesOut(pods) || b.LeavesOut(jobs) || b.held != 0 {
		t.Errorf("left out are %v, held %d", b.leftOut, b.held)
	}
	c.BeginList()
	c.BeginList() // the first list has failed
	if !b.LeavesOut(pods) {
		t.Error("the old content of the cache counts as complete")
	}
	c.Hold("a", "ns", 5, false)
	c.LeaveOut("b", jobs)
	c.EndList()
	if b.LeavesOut(pods) || !b.LeavesOut(jobs) || b.held != 5 {
		t.Errorf("after the list %v are left out, held %d", b.leftOut, b.held)
	}
	c.Hold("b", "ns", 5, false)
	if len(b.leftOut) > 0 {
		t.Errorf("%v are left out", b.leftOut)
	}
	c.BeginList()
	c.EndList()
	if b.held != 0 || len(b.byNamespace) > 0 {
		t.Errorf("an empty list leaves %d bytes, %v", b.held, b.byNamespace)
	}
}
