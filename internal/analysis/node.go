package analysis

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// waitedPermille is the share of their time from which on fio's jobs waited too long for a CPU that others used. The
	// rate of a job that waits for each I/O falls by that share: etcd's preset did 4,991 writes a second at 2 %, 4,392 at
	// 20 %, 2,890 at 46 % and 1,158 at 78 %. Percentiles suffer earlier: the p99 of fdatasync was 0.3 ms at 2 %, and 1.4
	// ms at 20 % (TestBusyNodeRuns has all figures). Where others use a tenth of two CPUs, or a quarter of four, jobs wait for
	// some 1 % of their time (TestNodeBusyInSimulation).
	waitedPermille = 100
	// servedBusyPermille is the use of all CPUs of a node from which on a process that serves the storage may have waited
	// for one, as Mountpoint and efs-proxy do, which run in other pods. It is what busyPercent is for fio's own CPUs.
	servedBusyPermille = 10 * busyPercent
)

// NodeLoad is how busy the node was while fio measured, of several nodes each figure of the busiest. What is zero is
// unknown.
type NodeLoad struct {
	// BusyPermille is how much of its CPU time the node was busy, and OthersPermille the part of it that was not fio's.
	BusyPermille, OthersPermille int64
	// WaitedPermille is how much of their time fio's jobs waited for a CPU.
	WaitedPermille int64
	// Served reports whether a process in another pod stands between fio and the storage.
	Served bool
}

// waitedForOthers returns how much of their time fio's jobs waited for a CPU because of others, in thousandths. Jobs
// wait for each other, too: each had its part in it by the CPU time that it used.
func (n NodeLoad) waitedForOthers() int64 {
	if n.BusyPermille <= 0 {
		return 0
	}
	return n.WaitedPermille * n.OthersPermille / n.BusyPermille
}

// isBusy reports whether other work on the node had a share in what fio measured that is too large.
func (n NodeLoad) isBusy() bool {
	return n.waitedForOthers() >= waitedPermille || n.isFull()
}

// isFull reports whether the node had no CPU left for a process that serves the storage, mostly because of others than
// fio.
func (n NodeLoad) isFull() bool {
	return n.Served && n.BusyPermille >= servedBusyPermille && 2*n.OthersPermille >= n.BusyPermille
}

// String is such as "fio's jobs waited for a CPU in 62 % of their time: others used 96 % of the node's CPU time".
func (n NodeLoad) String() string {
	if n.waitedForOthers() < waitedPermille {
		const words = "the node's CPUs were %s %% busy, and what serves this storage needs them as well: others than fio used %s %%"
		return fmt.Sprintf(words, tenths(n.BusyPermille), tenths(n.OthersPermille))
	}
	return fmt.Sprintf("fio's jobs waited for a CPU in %s %% of their time: others used %s %% of the node's CPU time",
		tenths(n.WaitedPermille), tenths(n.OthersPermille))
}

// nodeBusy is about nodes whose CPUs other work kept from fio, or from what serves the storage.
func nodeBusy(s seen) string {
	if !s.client.Node.isBusy() || s.client.isThrottled() {
		return ""
	}
	return s.client.Node.String()
}

// isThrottled reports whether fio may have waited for its own CPU limit.
func (c Client) isThrottled() bool { return c.ThrottledPercent != nil && *c.ThrottledPercent >= 1 }

// withNode returns what a verdict is on a busy node: what is called latency there is the time in which CPUs did other
// work. So is a limit that only a probe has shown, if what serves the storage needs the same CPUs.
func withNode(bound v1alpha1.LimitedBy, client Client) v1alpha1.LimitedBy {
	node := client.Node
	explained := bound.Reason == v1alpha1.BoundLatency || bound.Reason == v1alpha1.BoundStorage && node.isFull()
	if !explained || !node.isBusy() || client.isThrottled() {
		return bound
	}
	return v1alpha1.LimitedBy{
		Reason: v1alpha1.BoundNodeCPU, UsedPercent: new(percent(float64(node.BusyPermille) / 1000)),
		Message: fmt.Sprintf("%s; %s: %s", node, otherwise(bound), strings.Replace(bound.Message, moreInFlight, "", 1)),
	}
}
