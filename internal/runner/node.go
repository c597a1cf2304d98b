package runner

import (
	"time"

	"github.com/prometheus/procfs"

	"github.com/storagebench/storagebench/internal/digest"
)

// nodeTimes are what the kernel has counted of the node since it began. In a container they are of the whole node, too.
type nodeTimes struct {
	cpu cpuTime
	// cpuPressure and ioPressure are for how long at least one task waited for a CPU, and for I/O. Both are 0 on kernels
	// that do not count it: Bottlerocket, for one, leaves it off.
	cpuPressure, ioPressure time.Duration
	at                      time.Time
}

func (m machine) nodeTimes() nodeTimes {
	return nodeTimes{cpu: m.cpuTime(), cpuPressure: m.pressure("cpu"), ioPressure: m.pressure("io"), at: time.Now()}
}

// pressure returns for how long at least one task of the node waited for a resource, 0 if it is not known.
// https://docs.kernel.org/accounting/psi.html
func (m machine) pressure(resource string) time.Duration {
	proc, err := m.proc()
	if err != nil {
		return 0
	}
	stats, err := proc.PSIStatsForResource(resource)
	if err != nil || stats.Some == nil {
		return 0
	}
	return time.Duration(stats.Some.Total) * time.Microsecond
}

// since returns how busy the node was between two moments in which fio used so much CPU time, and its jobs waited for
// so much of their time, in thousandths. It is nil if that is not known.
func (n nodeTimes) since(before nodeTimes, used time.Duration, waitedPermille int64) *digest.Node {
	all := n.cpu.all - before.cpu.all
	if before.cpu.all <= 0 || all <= 0 {
		return nil
	}
	busy, elapsed := n.cpu.busy-before.cpu.busy, n.at.Sub(before.at)
	return &digest.Node{
		BusyPermille:        share(busy, all),
		OthersPermille:      share(busy-used.Seconds(), all),
		WaitedPermille:      waitedPermille,
		CPUPressurePermille: share((n.cpuPressure - before.cpuPressure).Seconds(), elapsed.Seconds()),
		IOPressurePermille:  share((n.ioPressure - before.ioPressure).Seconds(), elapsed.Seconds()),
	}
}

// share returns a part in thousandths of the whole, from 0 to 1,000; 0 of nothing.
func share(part, whole float64) int64 {
	if whole <= 0 {
		return 0
	}
	return round(1000 * min(max(part, 0), whole) / whole)
}

// jobTime is how long a job has been on a CPU, and how long it waited for one.
type jobTime = procfs.ProcSchedstat

// jobWaits is how long fio's jobs have waited for a CPU, as they were seen from time to time.
type jobWaits struct {
	first, last map[int]seenJob
}

// seenJob is a job as it was seen at a moment.
type seenJob struct {
	at     time.Time
	waited time.Duration
}

// note takes down how long each job has waited so far.
func (w *jobWaits) note(at time.Time, jobs map[int]jobTime) {
	if w.first == nil {
		w.first, w.last = map[int]seenJob{}, map[int]seenJob{}
	}
	for id, job := range jobs {
		now := seenJob{at, time.Duration(job.WaitingNanoseconds)}
		if _, seen := w.first[id]; !seen {
			w.first[id] = now
		}
		w.last[id] = now
	}
}

// permille returns in how much of their time the jobs waited, in thousandths, from when each was seen first to when it
// was seen last; 0 if none was seen twice.
func (w *jobWaits) permille() int64 {
	waited, lived := 0.0, 0.0
	for id, last := range w.last {
		waited += (last.waited - w.first[id].waited).Seconds()
		lived += last.at.Sub(w.first[id].at).Seconds()
	}
	return share(waited, lived)
}
