package runner

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiooutput"
)

// endGrace is how long fio gets to end after SIGTERM before it is killed, and how long a killed fio is
// waited for: threads in a hanging system call cannot be killed, and the runner has to report all the same.
const endGrace = 3 * time.Second

// startedFormat is how the log writes the moment at which fio was started.
const startedFormat = "2006-01-02T15:04:05.000000Z07:00"

// errNoProgress is the cause with which a run's context ends when fio does not get on.
var errNoProgress = errors.New("no progress")

// errJobKilled is the cause with which a run's context ends when one of fio's job processes was killed.
var errJobKilled = errors.New("job killed")

// errSteady is the outcome of a run that was ended because its rate is steady.
var errSteady = errors.New("the rate is steady")

// errInterrupted is the outcome of a run whose context has ended.
var errInterrupted = failf(digest.ExitInterrupted, "the run was ended before fio had finished")

// invocation is what fio is started with.
type invocation struct {
	args []string
	// output is the file that fio reports to.
	output string
	// quiet keeps what fio reports out of the log, unless it fails.
	quiet bool
	// jobs takes note of what fio's jobs move and use, nil if nobody wants to know.
	jobs *jobsSeen
	// rate takes note of how fast fio is, nil if nobody wants to know. It may end fio, which is no failure then.
	rate *rateWatch
}

// prepareFio does what can be done before fio is started.
func (o Options) prepareFio(extra ...string) (invocation, error) {
	jobFile, output, err := o.write()
	if err != nil {
		return invocation{}, err
	}
	args := append([]string{"--output=" + output, "--output-format=json+,normal", "--eta=always"}, extra...)
	if o.ReadOnly {
		args = append(args, "--readonly")
	}
	return invocation{args: append(args, jobFile), output: output}, nil
}

// runFio runs fio on the job file until it ends, the context ends, or it stops making progress. It
// returns fio's parsed output, or an error in fio's own words.
func (o Options) runFio(ctx context.Context, call invocation) (*fiooutput.Output, error) {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(watched, o.Fio, call.args...)
	cmd.Dir = o.Scratch
	if o.EndsWithRunner {
		// The kernel sends the signal when the thread ends that has started fio, so this one stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	stderr := &errorOutput{log: o.Log, killed: func() { cancel(errJobKilled) }, flooded: func() { cancel(errFlood) }}
	cmd.Stderr = stderr
	eta := &etaWriter{log: o.Log, rate: call.rate}
	// Its context goes on: what is in flight, or in a page cache that is written when files are closed, may take longer than one that is to end at once. That it
	// gets on is watched as before.
	call.rate.begin(func() { _ = cmd.Process.Signal(syscall.SIGTERM) }) // it may have ended by itself
	cmd.Stdout = eta
	began := time.Now()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		return nil, fmt.Errorf("start fio: %w", err)
	}
	fmt.Fprintf(o.Log, "fio was started at %s\n", began.UTC().Format(startedFormat))
	if o.ProgressDeadline > 0 {
		dog := &watchdog{deadline: o.ProgressDeadline, eta: eta, tree: processTree{root: cmd.Process.Pid, metadata: o.isMetadata()}, jobs: call.jobs}
		go dog.watch(watched, func() { cancel(errNoProgress) })
	}
	go watchSize(watched, call.output, func() { cancel(errFlood) })
	go o.watchRoom(watched, func(err error) { cancel(err) })
	err := wait(watched, cmd)
	call.jobs.end(cmd.ProcessState)
	text, whole, readErr := readOutput(call.output)
	if readErr != nil {
		return nil, fmt.Errorf("read fio's output: %w", readErr)
	}
	if !whole {
		cancel(errFlood)
	}
	output, err := o.judge(watched, call.rate.hasEnded(), err, text, stderr.Bytes())
	if err != nil && !errors.Is(err, errSteady) || !call.quiet {
		if err := o.logOutput(watched, text); err != nil {
			return nil, fmt.Errorf("log fio's output: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	addJobStart(output.Groups, began.Add(o.ramp()))
	return output, nil
}

// isMetadata says whether all jobs create, look up or delete files.
func (o Options) isMetadata() bool {
	f, err := fio.Parse(o.JobFile)
	return err == nil && f.OnlyMetadata()
}

// ramp returns for how long the first job is not measured at first.
func (o Options) ramp() time.Duration {
	f, err := fio.Parse(o.JobFile)
	if err != nil {
		return 0 // fio has read it
	}
	return time.Duration(f.RampMilliseconds()) * time.Millisecond
}

// addJobStart fills in when jobs began to be measured where fio (before 3.36) does not say. Those of the first group begin with fio, and their ramp_time,
// a few tenths of a second after it was started; when later ones did is not known.
func addJobStart(groups []fiooutput.Group, began time.Time) {
	for i := range groups {
		if g := &groups[i]; g.ID == 0 && g.JobStart == 0 {
			g.JobStart = began.UnixMilli()
		}
	}
}

// wait waits for fio's end, and after the context's end no longer than it can take to kill fio.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(2 * endGrace):
		return errors.New("fio cannot be killed: its threads hang in system calls")
	}
}

// judge decides whether the run counts, or was ended because it was steady. fio ends with valid JSON and error 0 after SIGTERM, so neither
// alone says that a run is whole: only fio's exit code together with both does.
func (o Options) judge(ctx context.Context, steady bool, err error, text, stderr []byte) (*fiooutput.Output, error) {
	killed := killedJob(text, stderr)
	if stopped, ok := errors.AsType[*failure](context.Cause(ctx)); ok {
		return nil, stopped
	}
	switch {
	case errors.Is(context.Cause(ctx), errJobKilled) && killed != nil:
		return nil, killed
	case errors.Is(context.Cause(ctx), errFlood):
		return nil, floodError(o.JobFile, text, stderr)
	case errors.Is(context.Cause(ctx), errNoProgress):
		return nil, failf(digest.ExitNoProgress, "fio completed no I/O for %s and was ended: the storage does not answer, or the job waits longer than that between I/Os (raise spec.deadlines.ioProgressSeconds)", o.ProgressDeadline)
	case ctx.Err() != nil:
		return nil, errInterrupted
	case steady && killed == nil:
		return nil, endedSteady(err)
	case err != nil:
		return nil, o.advise(fioError(err, text, stderr), text)
	}
	if killed != nil {
		return nil, killed
	}
	output, err := fiooutput.Parse(text)
	if err != nil {
		return nil, failf(digest.ExitFailed, "fio's output: %v", err)
	}
	if err := output.Err(); err != nil {
		return nil, o.advise(failf(digest.ExitFailed, "%v", err), text)
	}
	return output, nil
}

// endedSteady returns errSteady if fio has ended by itself as it was asked to. One that was killed leaves jobs behind, which go on.
func endedSteady(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if err == nil || ok && exit.Exited() {
		return errSteady
	}
	return failf(digest.ExitFailed, "fio's rate was steady, and when it was asked to end, to be measured, it failed (%v)", err)
}

// fioError puts fio's end into fio's own words, and adds what fio cannot say itself.
func fioError(err error, text, stderr []byte) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return signalled(status.Signal())
		}
	}
	words := fiooutput.ErrorText(text, stderr)
	if words == "" {
		words = "it printed no error"
	}
	return failf(digest.ExitFailed, "fio failed (%v): %s", err, words)
}

// jobSignal matches what fio prints when one of its job processes was ended by a signal. fio itself goes
// on, ends with exit code 0 and reports what the other jobs did.
var jobSignal = regexp.MustCompile(`fio: pid=[0-9]+, got signal=([0-9]+)`)

func killedJob(text, stderr []byte) error {
	for _, output := range [][]byte{text, stderr} {
		if match := jobSignal.FindSubmatch(output); match != nil {
			number, err := strconv.Atoi(string(match[1]))
			if err != nil {
				return fmt.Errorf("fio's output: signal: %w", err)
			}
			return signalled(syscall.Signal(number))
		}
	}
	return nil
}

func signalled(signal syscall.Signal) error {
	if signal == syscall.SIGKILL {
		return failf(digest.ExitFailed, "fio or one of its jobs was killed (SIGKILL): most often the container's memory limit was reached (raise spec.pod.resources.limits.memory, or lower numjobs)")
	}
	return failf(digest.ExitFailed, "fio or one of its jobs was ended by a signal (%v)", signal)
}
