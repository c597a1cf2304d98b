package runner

import (
	"os"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/fio"
)

// minJobBytes is what the busiest job has to move for shares to say something: fio's jobs read a few KiB beside their I/O.
const minJobBytes = 1 << 20

// jobsSeen is what was seen of fio's jobs while they ran: fio itself adds up what the clones of a section did (group_reporting), and
// keeps no figure of each.
type jobsSeen struct {
	mu sync.Mutex
	// each has the bytes that job processes have moved, as they were last seen, by the ID of the process.
	each  map[int]uint64
	waits jobWaits
	// used is the CPU time of fio and of its jobs, known when fio has ended.
	used time.Duration
}

// note takes down what each process of a tree has moved so far, and how long the jobs have waited. The tree's root is fio itself, and no job.
func (j *jobsSeen) note(root int, at time.Time, done activity) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waits.note(at, done.jobs)
	for id, moved := range done.moved {
		if id == root {
			continue
		}
		if j.each == nil {
			j.each = map[int]uint64{}
		}
		j.each[id] = max(j.each[id], moved)
	}
}

// busiestPermille returns how much of the bytes of all jobs the busiest one moved, in thousandths. It returns 0 unless as many processes
// were seen as the job file has clones of its only section: jobs of different sections differ because they are told to, and threads have
// no figures of their own.
func (j *jobsSeen) busiestPermille(jobFile string) int64 {
	file, err := fio.Parse(jobFile)
	if err != nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if clones := file.Clones(); clones < 2 || int64(len(j.each)) != clones {
		return 0
	}
	all, most := uint64(0), uint64(0)
	for _, moved := range j.each {
		all, most = all+moved, max(most, moved)
	}
	if most < minJobBytes {
		return 0
	}
	return permille(most, all)
}

// end takes down how much CPU time fio and its jobs have used, which is not known of a process that cannot be killed.
func (j *jobsSeen) end(fio *os.ProcessState) {
	if j == nil || fio == nil {
		return
	}
	j.used = fio.UserTime() + fio.SystemTime()
}

// waitedPermille returns in how much of their time the jobs waited for a CPU, in thousandths.
func (j *jobsSeen) waitedPermille() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waits.permille()
}
