package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const pollInterval = 20 * time.Millisecond

// ErrEnded is why a process that was started cannot be waited for any longer.
var ErrEnded = errors.New("process ended")

// firstInherited is the first descriptor after the standard ones.
const firstInherited = 3

// Record is what is written down about a started process.
type Record struct {
	Identity
	Argv []string `json:"argv"`
	// Fingerprint changes with whatever would need a restart.
	Fingerprint string `json:"fingerprint"`
}

// Spec says how to start a process.
type Spec struct {
	Argv        []string
	Env         []string
	Fingerprint string
	Log         string
	Record      string
	// Cgroup is the directory of a cgroup that the process and all it starts live
	// in, so that none of them can get lost.
	Cgroup string
}

// Start starts a process that outlives this one, and writes its record. The
// channel yields one error when the process ends while this one still runs.
func Start(spec Spec) (<-chan error, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	// A session of its own: the terminal's interrupt is not for the cluster.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	keepDescriptors()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	if err := register(spec, cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func() {
		_ = cmd.Wait() // status 0 is as unexpected for a daemon as any other
		exited <- fmt.Errorf("%w: %s", ErrEnded, cmd.ProcessState)
	}()
	return exited, nil
}

// keepDescriptors keeps from the processes to come what this one has inherited, such as
// a lock of the flock command that would then be held until the cluster is taken down.
// Kernels before 5.11 cannot do so.
func keepDescriptors() {
	_ = unix.CloseRange(firstInherited, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

func register(spec Spec, pid int) error {
	identity, err := Identify(pid)
	if err != nil {
		return fmt.Errorf("%s ended at once: %w", spec.Argv[0], err)
	}
	if spec.Cgroup != "" {
		procs := filepath.Join(spec.Cgroup, "cgroup.procs")
		if err := os.WriteFile(procs, []byte(strconv.Itoa(pid)), 0); err != nil {
			return err
		}
	}
	return state.WriteJSON(spec.Record, Record{Identity: identity, Argv: spec.Argv, Fingerprint: spec.Fingerprint}, 0o644)
}

// Stop asks a process to end, and kills it when it has not done so after grace.
func Stop(ctx context.Context, i Identity, grace time.Duration) error {
	if err := i.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if waitGone(ctx, i, grace) == nil {
		return nil
	}
	return Kill(ctx, i)
}

// Kill ends a process without asking.
func Kill(ctx context.Context, i Identity) error {
	if err := i.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	return waitGone(ctx, i, 10*time.Second)
}

func waitGone(ctx context.Context, i Identity, limit time.Duration) error {
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(context.Context) (bool, error) { return !i.Alive(), nil })
	if err != nil {
		return fmt.Errorf("waiting for process %d to end: %w", i.PID, err)
	}
	return nil
}
