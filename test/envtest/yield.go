package envtest

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// niceness is that of these tests.
const niceness = 5

// Yield has this process, and what it will start, leave the processors to tests that run fio, whose figures count on the time in which they run. It is
// called before anything is started: Linux has a niceness for each thread, which those that it makes inherit.
func Yield() error {
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		changed := false
		for _, thread := range threads {
			yields, err := yield(thread.Name())
			if err != nil && !errors.Is(err, syscall.ESRCH) { // a thread that has ended is as good
				return err
			}
			changed = changed || yields
		}
		if !changed { // nor is there one that was made by another meanwhile
			return nil
		}
	}
}

// yield has a thread do so, and says whether it did not before.
func yield(thread string) (bool, error) {
	id, err := strconv.Atoi(thread)
	if err != nil {
		return false, err
	}
	left, err := syscall.Getpriority(syscall.PRIO_PROCESS, id)
	if err != nil || 20-left >= niceness { // the kernel answers with what is left of 20
		return false, err
	}
	return true, syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness)
}
