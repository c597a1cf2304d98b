package runner

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/storagebench/storagebench/internal/digest"
)

// observe notes what can mislead about a measurement that begins on the files. The function that it returns is
// called after the measurement's end, and says what was seen. Neither fails: what cannot be read is not known.
func observe(ctx context.Context, m machine, files filesSeen) func() digest.Environment {
	before, cpuBefore, countersBefore := m.periods(), m.cpuTime(), m.counters(files.counted)
	return func() digest.Environment {
		after, cpuAfter, countersAfter := m.periods(), m.cpuTime(), m.counters(files.counted)
		all := max(after.all-before.all, 0)
		used := files.mostUsed(ctx)
		exceeded, volume := files.volumeSince(ctx)
		return digest.Environment{
			CPUMillis:        m.cpuMillis(),
			MemoryBytes:      m.memoryBytes(),
			Periods:          all,
			ThrottledPeriods: min(max(after.throttled-before.throttled, 0), all),
			Files:            files.count,
			SparseFiles:      files.stillSparse(ctx),

			StealPermille: stealPermille(cpuBefore, cpuAfter),
			UsedPermille:  used.space, UsedInodesPermille: used.inodes,
			Counters: countersSince(countersBefore, countersAfter), Exceeded: exceeded, Volume: volume,
		}
	}
}

// machine is what the kernel tells of the machine and of the container's own cgroups. Limits of cgroups above
// those, such as a pod's, cannot be seen from inside a container.
type machine struct {
	// root is where /proc and /sys are: / but in tests.
	root string
	// cpus is the number of CPUs that the container's processes may run on.
	cpus int
}

// thisMachine returns the machine that the runner is on. NumCPU is what sched_getaffinity said at the
// runner's start, and so within the container's cpuset.
func thisMachine() machine {
	return machine{root: "/", cpus: runtime.NumCPU()}
}

// cpuMillis returns how many CPUs the container may use, in thousandths.
func (m machine) cpuMillis() int64 {
	cpus := int64(m.cpus) * 1000
	quota, period := m.cpuLimit()
	if quota <= 0 || period <= 0 {
		return cpus
	}
	return min(quota*1000/period, cpus) // a limit may exceed what the node has
}

// cpuLimit returns how long the container may run in each period, both in microseconds; no positive quota
// if there is no limit.
func (m machine) cpuLimit() (quota, period int64) {
	if fields := strings.Fields(m.read("cpu", "cpu.max")); len(fields) == 2 {
		return number(fields[0]), number(fields[1])
	}
	return number(m.read("cpu", "cpu.cfs_quota_us")), number(m.read("cpu", "cpu.cfs_period_us"))
}

// noLimit is where limits of memory in cgroups v1 begin to mean none: that is 2^63 less a page.
const noLimit = 1 << 62

// memoryBytes returns how much memory the page cache can take; 0 if neither the node's memory nor a limit
// of the container is known.
func (m machine) memoryBytes() int64 {
	total := m.totalBytes()
	limit := number(m.read("memory", "memory.max"))
	if limit == 0 {
		limit = number(m.read("memory", "memory.limit_in_bytes"))
	}
	switch {
	case limit <= 0 || limit >= noLimit:
		return total
	case total == 0:
		return limit
	default:
		return min(total, limit)
	}
}

// totalBytes returns the node's memory, 0 if it cannot be read.
func (m machine) totalBytes() int64 {
	proc, err := m.proc()
	if err != nil {
		return 0
	}
	info, err := proc.Meminfo()
	if err != nil || info.MemTotalBytes == nil {
		return 0
	}
	return int64(*info.MemTotalBytes)
}

// periods are the periods of the CPU limit in which the container ran since it began, and those of them in
// which the limit held it back. Without a limit the kernel counts none.
type periods struct{ all, throttled int64 }

func (m machine) periods() periods {
	var p periods
	for line := range strings.Lines(m.read("cpu", "cpu.stat")) {
		switch name, value, _ := strings.Cut(line, " "); name {
		case "nr_periods":
			p.all = number(value)
		case "nr_throttled":
			p.throttled = number(value)
		}
	}
	return p
}

// cpuTime is the time of all CPUs of the node since it began, in how much of that they worked, and how much of it the
// hypervisor gave to others, in seconds. All are 0 if they cannot be read.
type cpuTime struct{ all, busy, stolen float64 }

// cpuTime is that of the node, also in a container.
func (m machine) cpuTime() cpuTime {
	proc, err := m.proc()
	if err != nil {
		return cpuTime{}
	}
	stat, err := proc.Stat()
	if err != nil {
		return cpuTime{}
	}
	c := stat.CPUTotal // whose user and nice have the time of guests in them
	busy := c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ
	return cpuTime{all: busy + c.Idle + c.Iowait + c.Steal, busy: busy, stolen: c.Steal}
}

// stealPermille returns how much of the CPU time between two moments was stolen, in thousandths; 0 if that is not known.
func stealPermille(before, after cpuTime) int64 {
	all := after.all - before.all
	if before.all <= 0 || all <= 0 {
		return 0
	}
	return int64(math.Round(1000 * min(max(after.stolen-before.stolen, 0), all) / all))
}

// read returns the text of a file of the controller's cgroup that the container is in, "" if there is none.
func (m machine) read(controller, name string) string {
	for _, directory := range m.directories(controller) {
		if text, err := os.ReadFile(filepath.Join(directory, name)); err == nil {
			return string(text)
		}
	}
	return ""
}

// directories returns where a controller's files may be, the container's own before others. In a container
// the own cgroup is what is mounted, whatever path /proc/self/cgroup tells. Below that path it is on a host,
// and in a container that shares the host's cgroup namespace of version 2.
func (m machine) directories(controller string) []string {
	unified, own := m.paths(controller)
	mount := filepath.Join(m.root, "sys/fs/cgroup")
	directories := []string{filepath.Join(mount, unified), mount}
	for _, hierarchy := range []string{controller, controller + ",cpuacct"} {
		directories = append(directories, filepath.Join(mount, hierarchy, own), filepath.Join(mount, hierarchy))
	}
	return directories
}

// paths returns the runner's cgroups as /proc/self/cgroup tells them: the one of version 2, and the
// controller's one of version 1. They are "" if they cannot be read.
func (m machine) paths(controller string) (unified, own string) {
	proc, err := m.proc()
	if err != nil {
		return "", ""
	}
	self, err := proc.Self()
	if err != nil {
		return "", ""
	}
	cgroups, err := self.Cgroups()
	if err != nil {
		return "", ""
	}
	for _, cgroup := range cgroups {
		switch {
		case cgroup.HierarchyID == 0 && len(cgroup.Controllers) == 0:
			unified = cgroup.Path
		case slices.Contains(cgroup.Controllers, controller):
			own = cgroup.Path
		}
	}
	return unified, own
}

func (m machine) proc() (procfs.FS, error) {
	return procfs.NewFS(filepath.Join(m.root, procfs.DefaultMountPoint))
}

// number reads a whole number, 0 if the text is none, such as max.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
