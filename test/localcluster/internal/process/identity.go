// Package process starts, recognizes and ends the cluster's host processes.
package process

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// Identity tells one process from every other, also from a later one that got the
// same pid: pids are reused, but not with the same start time in the same boot.
type Identity struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
	BootID     string `json:"bootID"`
}

var errGone = errors.New("process is gone")

// Identify returns the identity of a running process.
func Identify(pid int) (Identity, error) { return identify(procfs.DefaultMountPoint, pid) }

func identify(mountPoint string, pid int) (Identity, error) {
	proc, err := procfs.NewFS(mountPoint)
	if err != nil {
		return Identity{}, err
	}
	found, err := proc.Proc(pid)
	if err != nil {
		return Identity{}, err
	}
	stat, err := found.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("stat of process %d: %w", pid, err)
	}
	// A zombie has ended, its parent just has not looked yet. The state is the first
	// thread's: while others have not ended, they hold files and ports.
	if stat.State == "X" || stat.State == "Z" && stat.NumThreads <= 1 {
		return Identity{}, errGone
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return Identity{PID: pid, StartTicks: stat.Starttime, BootID: strings.TrimSpace(string(boot))}, err
}

// Alive says whether the very process still runs.
func (i Identity) Alive() bool {
	if i.PID <= 0 {
		return false
	}
	now, err := Identify(i.PID)
	return err == nil && now == i
}

// Signal sends a signal to the process, and to no other: os.FindProcess holds a
// pidfd, so a pid that is reused between the check and the signal is not hit.
func (i Identity) Signal(signal os.Signal) error {
	if i.PID <= 0 {
		return nil
	}
	proc, err := os.FindProcess(i.PID)
	if err != nil {
		return err
	}
	defer func() { _ = proc.Release() }()
	if !i.Alive() {
		return nil
	}
	if err := proc.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %v to process %d: %w", signal, i.PID, err)
	}
	return nil
}
