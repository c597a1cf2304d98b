package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// endPatience is how long a program has to end by itself when it is asked to.
const endPatience = 20 * time.Second

// process is a program that runs beside this one, and not longer than it.
type process struct {
	name  string
	pid   int
	log   string
	asked atomic.Bool   // whether it was asked to end
	ended chan struct{} // closed when it has ended
}

// startProcess starts a program whose output goes into a file of the directory. Nothing of the caller's environment
// reaches it but PATH and what is given. The function is called if it ends before it is asked to.
func startProcess(directory, name, path string, environment []string, endedEarly func(error), args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(directory, name+".log"), ended: make(chan struct{})}
	output, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Env = append([]string{"HOME=" + directory, "PATH=" + os.Getenv("PATH")}, environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The death that Pdeathsig is about is that of the thread, so this one stays until the program has ended.
		runtime.LockOSThread()
		defer output.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			err = cmd.Wait()
			close(p.ended)
			if !p.asked.Load() {
				endedEarly(fmt.Errorf("%s ended: %w; see %s", name, orEnded(err), p.log))
			}
		}
	}()
	if err := <-started; err != nil {
		output.Close()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// stop ends the program, and waits for its end.
func (p *process) stop() error {
	p.asked.Store(true)
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("end %s: %w", p.name, err)
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(endPatience):
		return errors.Join(fmt.Errorf("%s did not end within %s", p.name, endPatience), syscall.Kill(p.pid, syscall.SIGKILL))
	}
}

// orEnded stands for the error of a program that has ended without one.
func orEnded(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// usage is what a program has taken of the machine so far.
type usage struct {
	cpuSeconds float64
	// peakBytes is the most memory that was resident at a time, and residentBytes what is resident now.
	peakBytes, residentBytes uint64
}

func (p *process) usage() (usage, error) { return usageOf(p.pid) }

func usageOf(pid int) (usage, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return usage{}, err
	}
	stat, err := proc.Stat()
	if err != nil {
		return usage{}, err
	}
	status, err := proc.NewStatus()
	if err != nil {
		return usage{}, err
	}
	return usage{cpuSeconds: stat.CPUTime(), peakBytes: status.VmHWM, residentBytes: status.VmRSS}, nil
}

// childrenCPU returns the seconds of CPU that each of this program's children has taken, by their names.
func childrenCPU() (map[string]float64, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	seconds := map[string]float64{}
	for _, proc := range all {
		stat, err := proc.Stat()
		if err == nil && stat.PPID == os.Getpid() {
			seconds[stat.Comm] += stat.CPUTime()
		}
	}
	return seconds, nil
}
