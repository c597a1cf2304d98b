package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"sort"
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
	// workShare is the part of the deadline for which a thread has to have been on a CPU to count as one that works: 100 ms of 5 minutes. One that hangs in a
	// system call uses none. One that writes to a page cache that is full is woken up five times a second, which is less. To look at a file, or to make one,
	// takes some 20 us.
	workShare = 3_000
	// metadataShare is the same where nothing writes data. Few other threads are woken up in vain, as where a server says that it is busy.
	metadataShare = 30_000
)

// watchdog calls for the end of a fio that does not get on.
type watchdog struct {
	deadline time.Duration
	eta      *etaWriter
	tree     processTree
	// jobs takes note of what fio's jobs have moved, and how long they waited for a CPU, nil if nobody wants to know.
	jobs *jobsSeen
}

// watch returns when the context ends, or calls expired once when there was no progress for the deadline.
func (w *watchdog) watch(ctx context.Context, expired func()) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	last, seen := time.Now(), &progress{least: w.deadline / workShare}
	if w.tree.metadata {
		seen.least = w.deadline / metadataShare
	}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			done := w.tree.activity()
			w.jobs.note(w.tree.root, now, done)
			if seen.gotOn(w.eta.takeProgress(), done) {
				last = now
			}
			if now.Sub(last) >= w.deadline {
				expired()
				return
			}
		}
	}
}

// progress tells from one look at fio to the next whether it gets on.
type progress struct {
	// least is how long threads that work have to have been on a CPU since fio has got on, for that to count.
	least time.Duration

	before activity
	busy   time.Duration
}

// gotOn says whether fio has got on since the last look. Its progress line shows a rate other than 0; or, while it lays out files and prints none, its
// processes have read or written; or its threads were busy for long enough with what is neither: mkdir, unlink and stat.
func (p *progress) gotOn(rate bool, now activity) bool {
	p.busy += now.busySince(p.before)
	got := rate || now.bytes >= p.before.bytes+fileIO || now.calls > p.before.calls || p.busy >= p.least
	p.before = now
	if got {
		p.busy = 0
	}
	return got
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

	// rate takes note of the rates, nil if nobody wants to know.
	rate *rateWatch
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
	e.rate.note(time.Now(), string(line))
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

// processTree is a process and its descendants. metadata says that all jobs create, look up or delete files, which is no reading and writing.
type processTree struct {
	root     int
	metadata bool
}

// activity is what the processes of a tree have done so far. What cannot be read counts as nothing: a process may end at any time.
type activity struct {
	// bytes are those that were read and written, through system calls or memory maps, and moved those of each process, by its ID.
	bytes uint64
	moved map[int]uint64
	// calls are the reads and writes that have returned, but those of the first process's other threads: fio's read disk statistics and print how far it is.
	calls uint64
	// busy is how long the first thread of each process that works was on a CPU. The first process works while it is alone: then it lays out files or
	// looks at them. Later it looks a hundred times a second whether jobs have ended, however these get on. Jobs work that have to do with metadata only:
	// others may poll, and so be busy with waiting.
	busy map[int]time.Duration
	// jobs are the times of fio's jobs, by the ID of the process or thread.
	jobs map[int]jobTime
}

// busySince returns how long threads were on a CPU that have worked now and before.
func (a activity) busySince(before activity) (all time.Duration) {
	for pid, now := range a.busy {
		if then, known := before.busy[pid]; known {
			all += now - then
		}
	}
	return all
}

// aloneThreads is how many threads the first process has before its jobs begin: its own, and one that prints how far fio is.
const aloneThreads = 2

// activity returns what the tree's processes have done so far.
func (t processTree) activity() activity {
	members := t.members()
	a := activity{moved: map[int]uint64{}, busy: map[int]time.Duration{}, jobs: t.jobTimes(members)}
	for p, threads := range members {
		io, err := p.IO()
		if err == nil {
			a.moved[p.PID] = io.RChar + io.WChar + io.ReadBytes + io.WriteBytes
			a.bytes += a.moved[p.PID]
		}
		if p.PID == t.root {
			io, err = firstThreadIO(p)
		}
		if err == nil {
			a.calls += io.SyscR + io.SyscW
		}
		works := t.metadata
		if p.PID == t.root {
			works = len(members) == 1 && threads <= aloneThreads
		}
		if stat, err := p.Schedstat(); err == nil && works { // of a process's first thread
			a.busy[p.PID] = time.Duration(stat.RunningNanoseconds)
		}
	}
	return a
}

// jobTimes returns how long each job was on a CPU and waited for one. Jobs are processes, or all of the first process's threads but the first two.
func (t processTree) jobTimes(members map[procfs.Proc]int) map[int]jobTime {
	times := map[int]jobTime{}
	for p := range members {
		jobs := procfs.Procs{p}
		if p.PID == t.root {
			jobs = threadsOf(p)
			jobs = jobs[min(aloneThreads, len(jobs)):]
		}
		for _, job := range jobs {
			if stat, err := job.Schedstat(); err == nil { // of a process's first thread
				times[job.PID] = stat
			}
		}
	}
	return times
}

// threadsOf returns the threads of a process, the oldest first, none if they cannot be read.
func threadsOf(p procfs.Proc) procfs.Procs {
	threads, err := procfs.AllThreads(p.PID)
	if err != nil {
		return nil
	}
	sort.Sort(threads)
	return threads
}

func firstThreadIO(p procfs.Proc) (procfs.ProcIO, error) {
	first, err := p.Thread(p.PID)
	if err != nil {
		return procfs.ProcIO{}, err
	}
	return first.IO()
}

// members returns the processes of the tree, with how many threads each has.
func (t processTree) members() map[procfs.Proc]int {
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	parents, threads := make(map[int]int, len(processes)), make(map[int]int, len(processes))
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil {
			parents[p.PID], threads[p.PID] = stat.PPID, stat.NumThreads
		}
	}
	members := map[procfs.Proc]int{}
	for _, p := range processes {
		if t.contains(p.PID, parents) {
			members[p] = threads[p.PID]
		}
	}
	return members
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
