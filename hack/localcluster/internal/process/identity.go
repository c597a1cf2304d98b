// Package process starts, recognizes and ends the cluster's host processes.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
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
func Identify(pid int) (Identity, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Identity{}, errGone
	}
	stat, err := parseStat(content)
	if err != nil {
		return Identity{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	if stat.ended() {
		return Identity{}, errGone
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, StartTicks: stat.startTicks, BootID: strings.TrimSpace(string(boot))}, nil
}

// procStat is what is of interest in /proc/PID/stat.
type procStat struct {
	state      byte
	threads    int
	startTicks uint64
}

// ended is true for a zombie, whose parent just has not looked yet. The state is
// the first thread's: while others have not ended, they hold files and ports.
func (s procStat) ended() bool {
	return s.state == 'X' || s.state == 'Z' && s.threads <= 1
}

// parseStat reads fields 3, 20 and 22 of /proc/PID/stat. Field 2 is the program's
// name in parentheses, which may itself hold spaces and parentheses, so counting
// starts behind the last one.
func parseStat(content []byte) (procStat, error) {
	end := bytes.LastIndexByte(content, ')')
	if end < 0 {
		return procStat{}, errors.New("no program name")
	}
	fields := bytes.Fields(content[end+1:])
	// Fields count from 1, and the first two are cut off.
	const stateField, threadsField, startField = 0, 17, 19
	if len(fields) <= startField {
		return procStat{}, fmt.Errorf("only %d fields", len(fields))
	}
	threads, threadsErr := strconv.Atoi(string(fields[threadsField]))
	ticks, ticksErr := strconv.ParseUint(string(fields[startField]), 10, 64)
	return procStat{state: fields[stateField][0], threads: threads, startTicks: ticks}, errors.Join(threadsErr, ticksErr)
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
