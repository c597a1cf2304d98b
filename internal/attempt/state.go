// Package attempt judges the attempts of a run: how far its clients are, by what Kubernetes tells of their Jobs and pods
// (Observe, Together), and what is to be done about it (Decide). It knows how long each wait may take, and what the status and users are told of runs and nodes. It
// asks nobody: what it writes is the status that it is given.
package attempt

import (
	"time"
)

// Phase is how far a client of an attempt is, or all of them together.
type Phase string

// The phases. The last four are ends.
const (
	// Starting: no container of the pod has begun, or there is no pod yet.
	Starting Phase = "Starting"
	// LayingOut: an init container lays out files, or has done so, and the container that measures has not begun.
	LayingOut Phase = "LayingOut"
	// Working: one container lays out files and then measures. Only its log tells which of both it is at.
	Working Phase = "Working"
	// Measuring: the container measures. Of several clients it may still wait for their common start.
	Measuring Phase = "Measuring"
	// Succeeded: there is a report.
	Succeeded Phase = "Succeeded"
	// Interrupted: it was ended from outside, and can be repeated.
	Interrupted Phase = "Interrupted"
	// Late: the client heard of the common start when that had passed. It can be repeated.
	Late Phase = "Late"
	// Failed: it would fail again.
	Failed Phase = "Failed"
)

// State is what is known of a client of an attempt, or of all together.
type State struct {
	Phase Phase
	// Began is when the first container began to run. It is zero while none has, and of one that has ended.
	Began time.Time
	// GivenUp is when an attempt whose pod was deleted is taken for lost, if nothing is heard of it until then. It is zero for
	// one that was not deleted.
	GivenUp time.Time
	// Report is what the runner reported, of one that has Succeeded.
	Report string
	// Why says why it does not start, or why it has ended: of one that has Succeeded, why its container ended while it probed, "" if it did not.
	Why string
}

// Runs says whether a container has begun and the attempt has not ended.
func (s State) Runs() bool {
	return s.Phase == LayingOut || s.Phase == Working || s.Phase == Measuring
}

// Ended says whether it has ended, well or not.
func (s State) Ended() bool { return s.Phase == Succeeded || s.Repeatable() || s.Phase == Failed }

// Repeatable says whether it has ended for a reason that need not come again.
func (s State) Repeatable() bool { return s.Phase == Interrupted || s.Phase == Late }

// ranks orders phases by how much they decide about an attempt of several clients.
var ranks = map[Phase]int{Succeeded: 0, Measuring: 1, LayingOut: 2, Working: 2, Starting: 3, Interrupted: 4, Late: 4, Failed: 5}

// Together judges an attempt by what its clients are at, and says which of them decides. One that has ended without a report
// ends the attempt for all: what the others measure is not what was asked for. What would fail again prevails over what can
// be repeated. An attempt has succeeded when all have; it runs when all run or have succeeded. There has to be a client.
func Together(clients []State) (whole State, decisive int) {
	for i := range clients {
		if ranks[clients[i].Phase] > ranks[clients[decisive].Phase] {
			decisive = i
		}
	}
	whole = clients[decisive]
	for _, c := range clients {
		whole.Began = earlier(whole.Began, c.Began)
		whole.GivenUp = earlier(whole.GivenUp, c.GivenUp)
	}
	return whole, decisive
}

// earlier returns the earlier of two times. One that is zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
