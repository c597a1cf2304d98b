package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	"github.com/prometheus/procfs"
)

const (
	// pollInterval is how often the watchdog looks.
	pollInterval = time.Second
	// logInterval is how often fio's progress line goes to the log.
	logInterval = 10 * time.Second
	// fileIO is how many bytes per pollInterval fio has to read or write for that to count as laying out
	// files. fio's own housekeeping (its progress line, disk statistics) stays far below.
	fileIO = 64 << 10
)

// watchdog calls for the end of a fio that gets no I/O done.
type watchdog struct {
	deadline time.Duration
	eta      *etaWriter
	tree     processTree
	// jobs takes note of what fio's jobs have moved, nil if nobody wants to know.
	jobs *jobBytes
}

// watch returns when the context ends, or calls expired once when there was no progress for the deadline.
// Progress is a rate other than 0 in fio's progress line, or, while files are laid out and fio prints
// none, bytes read or written by fio's processes.
func (w *watchdog) watch(ctx context.Context, expired func()) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	last, bytesBefore := time.Now(), uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			each := w.tree.bytes()
			w.jobs.note(w.tree.root, each)
			bytes := uint64(0)
			for _, moved := range each {
				bytes += moved
			}
			if w.eta.takeProgress() || bytes >= bytesBefore+fileIO {
				last = now
			}
			bytesBefore = bytes
			if now.Sub(last) >= w.deadline {
				expired()
				return
			}
		}
	}
}

// rates matches the bandwidths and I/O rates of fio's progress line, as in
// "Jobs: 2 (f=2): [w(2)][75.0%][w=242MiB/s][w=15.5k IOPS][eta 00m:01s]".
var rates = regexp.MustCompile(`\[[rwt]=[^\]]*\]`)

// etaWriter gets what fio prints on standard output. It notes whether I/O was done and passes a line to
// the log now and then.
type etaWriter struct {
	log io.Writer

	mu       sync.Mutex
	line     []byte
	progress bool
	logged   time.Time
}

// Write implements io.Writer. It never fails: fio must not end because of a log.
func (e *etaWriter) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range p {
		if b == '\r' || b == '\n' {
			e.endLine()
		} else if len(e.line) < 4096 {
			e.line = append(e.line, b)
		}
	}
	return len(p), nil
}

func (e *etaWriter) endLine() {
	line := bytes.TrimSpace(e.line)
	e.line = e.line[:0]
	if len(line) == 0 {
		return
	}
	for _, rate := range rates.FindAll(line, -1) {
		e.progress = e.progress || bytes.ContainsAny(rate, "123456789")
	}
	if now := time.Now(); now.Sub(e.logged) >= logInterval {
		e.logged = now
		fmt.Fprintf(e.log, "%s\n", line)
	}
}

// takeProgress says whether I/O was done since it was last asked.
func (e *etaWriter) takeProgress() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	progress := e.progress
	e.progress = false
	return progress
}

// processTree is a process and its descendants.
type processTree struct{ root int }

// bytes returns how many bytes each of the tree's processes has read and written so far, through system calls or
// memory maps, by its ID. What cannot be read is left out: a process may end at any time.
func (t processTree) bytes() map[int]uint64 {
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	parents := make(map[int]int, len(processes))
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil {
			parents[p.PID] = stat.PPID
		}
	}
	each := map[int]uint64{}
	for _, p := range processes {
		if !t.contains(p.PID, parents) {
			continue
		}
		if io, err := p.IO(); err == nil {
			each[p.PID] = io.RChar + io.WChar + io.ReadBytes + io.WriteBytes
		}
	}
	return each
}

func (t processTree) contains(pid int, parents map[int]int) bool {
	// The number of steps is bounded because the snapshot of parents need not be consistent.
	for range len(parents) {
		if pid == t.root {
			return true
		}
		parent, known := parents[pid]
		if !known {
			return false
		}
		pid = parent
	}
	return false
}
