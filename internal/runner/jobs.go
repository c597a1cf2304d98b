package runner

import (
	"sync"

	"github.com/storagebench/storagebench/internal/fio"
)

// minJobBytes is what the busiest job has to move for shares to say something: fio's jobs read a few KiB beside their I/O.
const minJobBytes = 1 << 20

// jobBytes are the bytes that fio's job processes have moved, as they were last seen. fio itself adds up what the clones of a section did
// (group_reporting), and keeps no figure of each.
type jobBytes struct {
	mu sync.Mutex
	// each is by the ID of the process.
	each map[int]uint64
}

// note takes down what each process of a tree has moved so far. Its root is fio itself, and no job.
func (j *jobBytes) note(root int, each map[int]uint64) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, moved := range each {
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
func (j *jobBytes) busiestPermille(jobFile string) int64 {
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
