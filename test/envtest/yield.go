package envtest

import (
	"os"
	"strconv"
	"syscall"
)

// niceness is that of these tests.
const niceness = 5

// yield has this process, and what it will start, leave the processors to tests that run fio, whose figures count on the time in which they run. It is
// called before anything is started: Linux has a niceness for each thread, which those that it makes inherit.
func yield() error {
	if left, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err != nil || 20-left >= niceness { // the kernel answers with what is left of 20
		return err
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness); err != nil && err != syscall.ESRCH { // one that has ended is as good
			return err
		}
	}
	return nil
}
