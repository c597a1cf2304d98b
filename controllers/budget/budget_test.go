package budget

import (
	"fmt"
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
	pods.Drop("firsta")
	pods.Drop("firsta")
	if b.held != 20 {
		t.Errorf("%d bytes are held, want 20", b.held)
	}
}

// TestUrgent checks that what is urgent takes more than a namespace's part, and leaves room for others all the same.
func TestUrgent(t *testing.T) {
	c := New(24).NewCache()
	fill(c, "first")
	if c.Hold("more", "first", 1, false) || !c.Hold("urgent", "first", 6, true) || c.Hold("more", "first", 1, true) {
		t.Error("a namespace does not hold three quarters of 24 bytes, with what is urgent")
	}
	if !c.Hold("other", "second", 3, true) {
		t.Error("another namespace has no room for what is urgent")
	}
}

// TestManyLeftOut checks that what is left out takes little memory, however many objects that are, and is known all the
// same.
func TestManyLeftOut(t *testing.T) {
	b := New(20)
	c := b.NewCache()
	owner := func(i int) Owner { return Owner{"Pod", types.NamespacedName{Namespace: "ns", Name: fmt.Sprint(i)}} }
	other := Owner{"Pod", types.NamespacedName{Namespace: "other", Name: "0"}}
	list := func() {
		c.BeginList()
		for i := range 10 * mostNoted {
			c.LeaveOut(types.UID(fmt.Sprint(i)), owner(i))
		}
	}
	for range 3 { // of which the last one alone comes to its end
		list()
	}
	c.EndList()
	if !b.LeavesOut(owner(5*mostNoted)) || b.LeavesOut(other) {
		t.Error("it is not known what is left out")
	}
	if len(c.leftOut) > mostNoted || len(b.leftOut) > mostNoted+1 {
		t.Errorf("%d objects and %d owners are noted", len(c.leftOut), len(b.leftOut))
	}
	c.BeginList()
	c.EndList()
	if b.LeavesOut(owner(0)) || b.LeavesOut(owner(5*mostNoted)) || len(b.leftOut) > 0 {
		t.Errorf("nothing is left out, and %v is noted", b.leftOut)
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
