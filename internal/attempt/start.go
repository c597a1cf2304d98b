package attempt

import (
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// QuietStart is how long a pod may take to start before anybody is asked why. Most start sooner.
	QuietStart = 2 * time.Second
	// ReserveFor is how long a pod may keep others off the node for which its volume is being made. EBS takes seconds.
	ReserveFor = 10 * time.Second
	// settleFor is how long the scheduler may take to place a pod when a node becomes free: it tries again after 10 s at
	// the latest.
	settleFor = 15 * time.Second
	// pollStart is how often it is asked why a pod does not start: events, which say so, are not watched.
	pollStart = 2 * time.Second
)

// StartFacts are all that is needed to decide how to go on waiting for a pod that has not started, of an anchor or of a run.
type StartFacts struct {
	Now time.Time
	// Began is when the wait began, Ready when all volumes that the pod needs were there, as far as that is known.
	Began, Ready time.Time
	// Node is how the benchmark has waited for nodes until now.
	Node NodeWait
	// Blocked says that other benchmarks keep the pod off the nodes that it may have. Rival says that one of them is older, and waits for what
	// this benchmark holds.
	Blocked, Rival bool
	// HasPod says that the pod is there, CrowdedOut that it finds no node because pods on them keep it off, and Unbound that one of its
	// claims has no volume yet.
	HasPod, CrowdedOut, Unbound bool
	// Placed reports whether the scheduler has chosen a node for the pod.
	Placed bool
	// Reserves reports whether the pod keeps others off a node that it does not have yet, because its volume is being made
	// for that node.
	Reserves bool
	// NodeLimit, VolumeLimit and PodLimit are how long each may take (spec.deadlines: waitingForNodeSeconds, provisioningSeconds, podStartSeconds).
	NodeLimit, VolumeLimit, PodLimit time.Duration
}

// NodeWait is the wait of a benchmark for nodes that others hold.
type NodeWait struct {
	// Since is when the wait began, zero if the benchmark does not wait.
	Since time.Time
	// FreeSince is since when the others are seen to be gone, zero while they hold the nodes. The scheduler then places
	// the benchmark's pod, or another benchmark is faster and the wait goes on.
	FreeSince time.Time
}

// NodeWaitOf returns how a benchmark waits for nodes, whose others are seen to be gone since a time.
func NodeWaitOf(status *v1alpha1.StorageBenchmarkStatus, freeSince time.Time) NodeWait {
	since := status.StepSince(v1alpha1.ReasonWaitingForNode)
	if since == nil {
		return NodeWait{}
	}
	return NodeWait{Since: since.Time, FreeSince: freeSince}
}

// Waits reports whether the benchmark waits for nodes.
func (w NodeWait) Waits() bool { return !w.Since.IsZero() }

// isContended reports whether the scheduler may not have decided yet who gets a node that has become free.
func (f *StartFacts) isContended() bool {
	return f.Node.Waits() && !f.Placed && (f.Node.FreeSince.IsZero() || f.Now.Sub(f.Node.FreeSince) < settleFor)
}

// Awaited is what a pod waits for.
type Awaited string

// What a pod can wait for, first of all a node that others hold.
const (
	AwaitedNode   Awaited = "Node"
	AwaitedVolume Awaited = "Volume"
	AwaitedPod    Awaited = "Pod"
)

// StartDecision is how to go on waiting for a pod that has not started.
type StartDecision struct {
	For Awaited
	// IsFree reports whether nobody holds the awaited node any more.
	IsFree bool
	// Yield says to let the benchmark's nodes go: an older one waits for them, and holds what this one waits for.
	Yield bool
	// Release reports that the pod has to let go of the node that it keeps others off: its volume takes long.
	Release bool
	// NodeFreed reports whether the wait for nodes has ended: from now on all that waited has its time to start.
	NodeFreed bool
	// Quiet says that nobody needs to be asked why it waits: it does so for a moment only.
	Quiet bool
	// Expired says that it has waited for as long as it may.
	Expired bool
	// After is when to look again if nothing changes before.
	After time.Duration
}

// DecideStart says how to go on waiting for a pod. The time in which others hold its nodes counts by itself, and not as that of its volumes or
// of its start.
func DecideStart(f StartFacts) StartDecision {
	if f.Blocked {
		d := StartDecision{For: AwaitedNode, Yield: f.Rival}
		since := f.Node.Since
		if since.IsZero() {
			since = f.Now
		}
		return d.until(since.Add(f.NodeLimit), f.Now)
	}
	if f.isContended() {
		d := StartDecision{For: AwaitedNode, IsFree: true}
		return d.until(f.Node.Since.Add(f.NodeLimit), f.Now)
	}
	d := StartDecision{For: AwaitedPod, NodeFreed: f.Node.Waits()}
	began := f.Began
	if d.NodeFreed {
		began = f.Now
	}
	switch {
	case f.Now.Sub(began) < QuietStart:
		d.Quiet, d.After = true, QuietStart
		if f.Unbound {
			d.For = AwaitedVolume
		}
		return d
	case f.Unbound && f.HasPod && !f.CrowdedOut:
		// Without a pod, who is asked for it tells more: a volume may be made only for the node that the pod comes to.
		d.For = AwaitedVolume
		d.Release = f.Reserves && f.Now.Sub(began) >= ReserveFor
		return d.until(began.Add(f.VolumeLimit), f.Now)
	case f.Ready.After(began):
		began = f.Ready
	}
	return d.until(began.Add(f.PodLimit), f.Now)
}

// DecideRefused says how to go on waiting for those who do not let the pod be made to change their minds. A wait for nodes before counts by
// itself here, too.
func DecideRefused(f StartFacts) StartDecision {
	d := StartDecision{For: AwaitedPod, NodeFreed: f.Node.Waits()}
	began := f.Began
	if d.NodeFreed {
		began = f.Now
	}
	return d.until(began.Add(f.PodLimit), f.Now)
}

// until has the wait end at a deadline.
func (d StartDecision) until(deadline, now time.Time) StartDecision {
	left := deadline.Sub(now)
	d.Expired = left <= 0
	if !d.Expired {
		d.After = min(left, pollStart)
	}
	return d
}
