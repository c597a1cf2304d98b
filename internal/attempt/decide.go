package attempt

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/internal/childmeta"
)

// Facts is what the fate of an attempt depends on.
type Facts struct {
	Now time.Time
	// Clients are what the clients are at, at least one. Told says which of them have been told of the start, and Liveness has
	// what is known of the logs of their pods, which may be nothing.
	Clients  []State
	Told     []bool
	Liveness []Liveness
	// AgreedStart is the instant at which all clients are to begin, zero while there is none. One client by itself has none.
	AgreedStart time.Time
	// Unanswered says which node does not answer, "" if all do.
	Unanswered string
	// RunLimit is how long an attempt may run, ProgressLimit how long fio may do so without getting on (spec.deadlines).
	RunLimit, ProgressLimit time.Duration
}

// Action is what is to be done about an attempt.
type Action string

// The actions.
const (
	// AwaitStart: see why its pods do not start, and when that has taken too long.
	AwaitStart Action = "AwaitStart"
	// Agree: set a start for all clients, which wait for it.
	Agree Action = "Agree"
	// Watch: tell the clients in Decision.Tell of their start, and look again after Decision.After.
	Watch Action = "Watch"
	// Collect: take over how it has ended.
	Collect Action = "Collect"
	// Repeat: the start has passed before all clients could be told of it.
	Repeat Action = "Repeat"
	// Expire: it has run for longer than it may.
	Expire Action = "Expire"
	// GiveUp: the client Decision.Client gives no sign of life, and what runs there cannot be ended.
	GiveUp Action = "GiveUp"
)

// Decision is what follows from Facts.
type Decision struct {
	Action Action
	// Measures says that the attempt measures, and does not prepare to.
	Measures bool
	// Tell are the clients that have to be told of their start.
	Tell []int
	// Client is the one that decides: why an attempt does not start, has ended, or is given up.
	Client int
	// Why says why, for people. Of one that is watched it is "" if all goes as it should.
	Why string
	// After is when to look again if nothing changes before.
	After time.Duration
}

// EndsRun reports whether the decision ends a run without a result.
func (d Decision) EndsRun() bool { return d.Action == Expire || d.Action == GiveUp }

// soon is how long after the time at which something is given up it is looked for.
const soon = 100 * time.Millisecond

// Decide says what is to be done about an attempt.
func Decide(f Facts) Decision {
	whole, client := Together(f.Clients)
	switch {
	case whole.Ended():
		return Decision{Action: Collect, Client: client}
	case whole.Phase == Starting:
		return Decision{Action: AwaitStart, Client: client}
	case len(f.Clients) == 1 || whole.Phase != Measuring:
		return watch(f, whole, client)
	case f.AgreedStart.IsZero():
		return Decision{Action: Agree}
	}
	untold := f.untold()
	if len(untold) > 0 && !f.Now.Before(f.AgreedStart) {
		return Decision{Action: Repeat, Client: untold[0], Why: fmt.Sprintf("the start had passed before %s could be told of it", childmeta.Client(int32(untold[0])))}
	}
	decision := watch(f, whole, client)
	if decision.Action == Watch {
		decision.Tell = untold
	}
	return decision
}

// untold returns the clients that run and have not been told of their start.
func (f Facts) untold() []int {
	var untold []int
	for i, c := range f.Clients {
		if c.Runs() && !f.Told[i] {
			untold = append(untold, i)
		}
	}
	return untold
}

// watch follows an attempt that runs, until its deadline or until a client gives no sign of life.
func watch(f Facts, whole State, client int) Decision {
	decision := Decision{Action: Watch, Client: client, Why: f.Unanswered}
	decision.Measures = whole.Phase == Measuring || (whole.Phase == Working && f.Liveness[client].Measures)
	left := f.RunLimit - f.Now.Sub(whole.Began)
	if left <= 0 {
		decision.Action = Expire
		return decision
	}
	for i, c := range f.Clients {
		if f.Liveness[i].isSilent(c, f.ProgressLimit) {
			decision.Action, decision.Client = GiveUp, i
			return decision
		}
	}
	if !whole.GivenUp.IsZero() {
		// Nobody tells of a pod that is lost.
		left = min(left, max(whole.GivenUp.Sub(f.Now), 0)+soon)
	}
	decision.After = min(left, f.nextPoll())
	return decision
}

// Due returns the clients whose logs are to be read before it is decided. Of a node that does not answer only liveness is
// asked for.
func (f Facts) Due() []int {
	var due []int
	for i, c := range f.Clients {
		if at := f.dueOf(i, c); !at.IsZero() && !f.Now.Before(at) {
			due = append(due, i)
		}
	}
	return due
}

// nextPoll returns when to look at a log again, at the latest after maxLivenessPoll.
func (f Facts) nextPoll() time.Duration {
	next := maxLivenessPoll
	for i, c := range f.Clients {
		if at := f.dueOf(i, c); !at.IsZero() {
			next = min(next, max(at.Sub(f.Now), soon))
		}
	}
	return next
}

func (f Facts) dueOf(i int, c State) time.Time {
	liveness := f.Liveness[i]
	if f.Unanswered != "" {
		liveness.Measures = true // what it is at cannot be heard now, and need not be
	}
	return liveness.due(c, f.ProgressLimit, f.Now)
}
