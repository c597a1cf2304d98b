package attempt

import (
	"cmp"
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// MaxLostNodes is how many nodes of a client, or anchors on them, may be lost before the benchmark fails.
const MaxLostNodes = 8

// Loss is what is known of an anchor that holds no node any more.
type Loss struct {
	// Node is the one that it held, "" if it held none yet. Why says why it is lost, for people.
	Node, Why string
	// Before is how many were lost before.
	Before int32
	// Run is the one that is under way, nil if there is none. Collected says that its attempt has ended by itself, and that its outcome is known.
	Run       *v1alpha1.Run
	Collected bool
}

// LossAction is what is to be done about the run that was under way.
type LossAction string

// What can be done about it.
const (
	LeaveRun  LossAction = "LeaveRun"  // nothing
	RepeatRun LossAction = "RepeatRun" // repeat it: its attempt was disrupted
	AwaitNode LossAction = "AwaitNode" // begin it when there is a node: as far as this operator has seen, it has not begun
)

// LossDecision is what follows from a loss.
type LossDecision struct {
	Action LossAction
	// Message says what was lost, and why.
	Message string
	// Fails says why the benchmark fails, "" if another node is looked for.
	Fails string
}

// DecideLoss says what follows when an anchor is lost. Another node is looked for, but not for ever.
func DecideLoss(l Loss) LossDecision {
	decision := LossDecision{Action: l.action(), Message: fmt.Sprintf("the benchmark lost node %s: %s", cmp.Or(l.Node, "(none yet)"), l.Why)}
	if lost := l.Before + 1; lost > MaxLostNodes {
		decision.Fails = fmt.Sprintf("%d nodes were lost, the last one because %s", lost, decision.Message)
	}
	return decision
}

func (l Loss) action() LossAction {
	switch {
	case l.Run == nil, l.Collected:
		return LeaveRun
	case l.Run.Job == "":
		return AwaitNode
	default:
		return RepeatRun
	}
}
