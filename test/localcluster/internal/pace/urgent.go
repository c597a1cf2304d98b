package pace

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// priority among the processes that are scheduled in real time, of 1 to 99.
const priority = 10

// Urgent has this process run before all ordinary ones, as a device does not wait for the processor that its users compute on. Otherwise
// storage that is acted out would become slow where tests keep the machine busy. It is for the beginning of a program.
func Urgent() error {
	done := map[int]bool{}
	for {
		news, err := makeUrgent(done)
		if err != nil || !news {
			return err
		}
	}
}

// makeUrgent sets the policy of all threads that are not done, and says whether there were some. Each thread to come has that of the one that makes it.
func makeUrgent(done map[int]bool) (news bool, err error) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil || done[id] {
			continue
		}
		attributes := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: priority}
		if err := unix.SchedSetAttr(id, attributes, 0); err != nil && !errors.Is(err, unix.ESRCH) && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		done[id], news = true, true
	}
	return news, nil
}
