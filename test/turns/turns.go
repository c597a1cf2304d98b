// Package turns lets tests of one package run beside each other as far as they do not disturb each other: each says what it
// takes of the cluster and the machine, and has its turn as soon as that is free.
package turns

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Claim is what a test takes.
type Claim struct {
	// Name is that of the test.
	Name string
	// First says that the test is one of those that tell soonest that something is wrong. They come first.
	First bool
	// Budget is how long the test may take.
	Budget time.Duration
	// Load is how much of the machine's processors the test takes, in the units of New. It is 0 for one that only waits.
	Load int
	// Nodes is how many nodes no other test may use meanwhile.
	Nodes int
	// Takes is what there is one of, and no other test may use meanwhile.
	Takes []string
	// Shares is the same for tests that do not disturb each other there, but those that take it.
	Shares []string
	// Quiet says that no other test may run meanwhile but others that are quiet. Such tests come after those that are not.
	Quiet bool
	// Alone says that no other test may run meanwhile. Such tests come last.
	Alone bool
}

// Queue gives tests their turns. After the first ones come those that are hardest to place: with the largest load, with most
// nodes, and with the largest budget. Small ones fill the gaps. Then come the quiet ones, and last those that have to be alone.
type Queue struct {
	mu     sync.Mutex
	load   int
	nodes  []string
	taken  map[string]bool
	shared map[string]int
	// running is how many tests run, and loud how many of them are not quiet.
	running, loud int
	waiting       []*Turn
}

// Turn is that of one test.
type Turn struct {
	queue   *Queue
	claim   Claim
	nodes   []string
	granted chan struct{}
}

// New returns a queue for a machine that can bear so much load, and a cluster with these nodes for tests that need their own.
func New(load int, nodes ...string) *Queue {
	return &Queue{load: load, nodes: slices.Clone(nodes), taken: map[string]bool{}, shared: map[string]int{}}
}

// Register notes that a test will wait for its turn. All tests do so before the first of them waits, so that the order does
// not depend on who comes first.
func (q *Queue) Register(claim Claim) (*Turn, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if claim.Nodes > len(q.nodes) {
		return nil, fmt.Errorf("%s needs %d nodes of its own, and there are %d for that", claim.Name, claim.Nodes, len(q.nodes))
	}
	if claim.Load > q.load {
		return nil, fmt.Errorf("%s has a load of %d, and the machine bears %d", claim.Name, claim.Load, q.load)
	}
	turn := &Turn{queue: q, claim: claim, granted: make(chan struct{})}
	at, _ := slices.BinarySearchFunc(q.waiting, turn, func(other, turn *Turn) int {
		return cmp.Or(compare(other.claim, turn.claim), -1) // after those that are alike
	})
	q.waiting = slices.Insert(q.waiting, at, turn)
	return turn, nil
}

// compare orders claims by who comes first.
func compare(a, b Claim) int {
	return cmp.Or(cmp.Compare(a.class(), b.class()), cmp.Compare(b.Load, a.Load), cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(b.Budget, a.Budget))
}

func (c Claim) class() int {
	switch {
	case c.Alone:
		return 3
	case c.Quiet:
		return 2
	case c.First:
		return 0
	default:
		return 1
	}
}

// Await waits for the turn, and returns the nodes that the test has to itself.
func (t *Turn) Await() []string {
	t.queue.mu.Lock()
	t.queue.grant()
	t.queue.mu.Unlock()
	<-t.granted
	return t.nodes
}

// End gives back what the test had, or its place in the queue.
func (t *Turn) End() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.grant()
		return
	}
	q.running--
	if !t.claim.Quiet {
		q.loud--
	}
	q.load += t.claim.Load
	q.nodes = append(q.nodes, t.nodes...)
	for _, thing := range t.claim.Takes {
		q.taken[thing] = false
	}
	for _, thing := range t.claim.Shares {
		q.shared[thing]--
	}
	q.grant()
}

// grant gives a turn to each test that can have it now.
func (q *Queue) grant() {
	q.waiting = slices.DeleteFunc(q.waiting, func(turn *Turn) bool {
		if !q.isFree(turn.claim) {
			return false
		}
		q.take(turn)
		return true
	})
}

func (q *Queue) isFree(claim Claim) bool {
	if claim.Alone {
		return q.running == 0
	}
	if claim.Quiet && q.loud > 0 {
		return false
	}
	isTaken := func(thing string) bool { return q.taken[thing] }
	isUsed := func(thing string) bool { return q.taken[thing] || q.shared[thing] > 0 }
	return claim.Load <= q.load && claim.Nodes <= len(q.nodes) &&
		!slices.ContainsFunc(claim.Takes, isUsed) && !slices.ContainsFunc(claim.Shares, isTaken)
}

func (q *Queue) take(turn *Turn) {
	q.running++
	if !turn.claim.Quiet {
		q.loud++
	}
	q.load -= turn.claim.Load
	turn.nodes, q.nodes = slices.Clone(q.nodes[:turn.claim.Nodes]), q.nodes[turn.claim.Nodes:]
	for _, thing := range turn.claim.Takes {
		q.taken[thing] = true
	}
	for _, thing := range turn.claim.Shares {
		q.shared[thing]++
	}
	close(turn.granted)
}
