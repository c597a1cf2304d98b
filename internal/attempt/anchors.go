package attempt

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/job"
)

// Anchor is how far a client's anchor is, the pod that holds a node for it.
type Anchor struct {
	// Pod is nil if it is not there. Seen says that it was.
	Pod  *corev1.Pod
	Seen bool
	// Node is the one that it is known to hold, "" if none.
	Node string
	// Bound reports whether all claims of the client have their volumes.
	Bound bool
}

// onlyBinds reports whether the pod of an anchor that is there has claims bound and holds no node.
func (a Anchor) onlyBinds() bool { return job.OnlyBinds(a.Pod) }

// AnchorAction is what is to be done about the anchors of a benchmark.
type AnchorAction string

// What can be done about them.
const (
	FindAnchor  AnchorAction = "FindAnchor"  // see what has become of the pod of the client, which was there
	MakeAnchors AnchorAction = "MakeAnchors" // make the pods of the clients
	HoldNext    AnchorAction = "HoldNext"    // make anchors that hold nodes for the clients: their claims are bound
	LoseAnchor  AnchorAction = "LoseAnchor"  // look for another node for the client, whose anchor holds none any more
	HoldNodes   AnchorAction = "HoldNodes"   // note the nodes that those of the clients hold, and wait for the first of those in Waiting
)

// AnchorDecision is what follows from how far the anchors are.
type AnchorDecision struct {
	Action AnchorAction
	// Clients are those whom it is about, Waiting those whose anchors hold no node yet.
	Clients, Waiting []int
	// Why says why an anchor is lost, for people.
	Why string
}

// DecideAnchors says what is to be done about the anchors of a benchmark, in the order of its clients. All are to be there before any of their
// nodes counts.
func DecideAnchors(anchors []Anchor) AnchorDecision {
	missing, hold, next := AnchorDecision{Action: MakeAnchors}, AnchorDecision{Action: HoldNodes}, AnchorDecision{Action: HoldNext}
	for i, a := range anchors {
		switch {
		case a.Pod == nil && a.Seen:
			return AnchorDecision{Action: FindAnchor, Clients: []int{i}}
		case a.Pod == nil:
			missing.Clients = append(missing.Clients, i)
		case a.onlyBinds() && a.Bound:
			next.Clients = append(next.Clients, i)
		case a.onlyBinds(), a.Node == "" && !HoldsNode(a.Pod): // one that has run before may be started again by its kubelet, and has its volumes all the while
			hold.Waiting = append(hold.Waiting, i)
		default:
			hold.Clients = append(hold.Clients, i)
		}
	}
	if len(missing.Clients) > 0 {
		return missing
	}
	for i, a := range anchors {
		if HasEnded(a.Pod) || IsDisrupted(a.Pod) {
			return AnchorDecision{Action: LoseAnchor, Clients: []int{i}, Why: cmp.Or(Failure(a.Pod), "its pod ended")}
		}
	}
	if len(next.Clients) > 0 {
		return next
	}
	return hold
}
