package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
)

const (
	// startPoll is how often the start file is read. A kubelet changes it by swapping a symlink to its directory,
	// which opening the path anew follows, and a watch of the file would miss.
	startPoll = 20 * time.Millisecond
	// quietTime is how long before the start looking at files ends, so that it disturbs nobody's first I/O.
	quietTime = 200 * time.Millisecond
	// clockSlice is how long is waited at most until the wall clock is read again: it may be set meanwhile.
	clockSlice = time.Second
	// maxAhead is how far away a start may be. The operator sets it a minute ahead at most, so more is a clock that
	// differs.
	maxAhead = 2 * time.Minute
	// maxOversleep is how late the end of the wait may be seen. A busy node is late by milliseconds, so more is a
	// clock that was set, or a node that stood still.
	maxOversleep = time.Second
)

// startFormat is how messages write a start; its date is plain.
const startFormat = "15:04:05.000 UTC"

// errEndedWaiting is the outcome of a run whose context has ended before its start.
var errEndedWaiting = failf(digest.ExitInterrupted, "the run was ended while it waited for its start")

// sharedStart is a start that this runner has in common with those of other pods.
type sharedStart struct {
	// file is where the start will be written, as RFC 3339. Until then it is empty or missing.
	file string
	// deadline is how long that may take; 0: for ever.
	deadline time.Duration
	// now tells the time by the node's wall clock.
	now func() time.Time
	log io.Writer

	// at is the start, once it is known, and margin how long before it that was.
	at     time.Time
	margin time.Duration
	// made gets the outcome of making the directory.
	made chan error
}

// preparer is what is done while the start is waited for.
type preparer interface {
	makeDirectory() error
	lookAtFiles(ctx context.Context) filesSeen
	loadFio(ctx context.Context)
}

// beginTogether returns at the start that the runners of several pods share, with everything done that comes
// before fio.
func (o Options) beginTogether(ctx context.Context) (*begun, error) {
	start := &sharedStart{file: o.StartFile, deadline: o.StartDeadline, now: time.Now, log: o.Log}
	files, err := start.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	observed := func() func() digest.Environment {
		seen := observe(ctx, thisMachine(), files)
		return func() digest.Environment {
			environment := seen()
			environment.StartMarginMilliseconds = start.marginMilliseconds()
			return environment
		}
	}
	seen := observed() // before the start, because it takes its time
	if err := start.wait(ctx); err != nil {
		return nil, err
	}
	return &begun{observe: observed, seen: seen, at: start.at}, nil
}

// prepare has the work done and returns shortly before the start. Storage that hangs does not keep it: files
// that were not looked at by then are not known.
func (s *sharedStart) prepare(ctx context.Context, work preparer) (filesSeen, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.made = make(chan error, 1)
	looked := make(chan filesSeen, 1)
	go func() {
		err := work.makeDirectory()
		s.made <- err
		if err != nil {
			stop(err)
			return
		}
		looked <- work.lookAtFiles(ctx)
	}()
	go work.loadFio(ctx)
	if err := s.read(ctx); err != nil {
		return filesSeen{}, err
	}
	if err := s.until(ctx, s.at.Add(-quietTime)); err != nil {
		return filesSeen{}, err
	}
	select {
	case files := <-looked:
		files.volume = files.answered(s.log)
		return files, nil
	default:
		fmt.Fprintln(s.log, "the start is too near to look at the test files any longer")
		return filesSeen{}, nil
	}
}

// read waits until the start is in its file.
func (s *sharedStart) read(ctx context.Context) error {
	fmt.Fprintf(s.log, "waiting for the start in %s\n", s.file)
	if s.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.deadline,
			failf(digest.ExitInterrupted, "no start within %s: the operator did not see all clients running", s.deadline))
		defer cancel()
	}
	ticker := time.NewTicker(startPoll)
	defer ticker.Stop()
	for {
		text, err := os.ReadFile(s.file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return failf(digest.ExitFailed, "read the start: %v", err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return s.agree(string(text))
		}
		select {
		case <-ctx.Done():
			return outcome(ctx)
		case <-ticker.C:
		}
	}
}

// agree takes note of the start, and fails if it has passed.
func (s *sharedStart) agree(text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return failf(digest.ExitFailed, "the start in %s is %.64q: it must be a time such as 2026-11-21T14:03:05.250Z", s.file, text)
	}
	s.at = at
	s.margin = at.Sub(s.now())
	if s.margin <= 0 {
		return s.late("had passed by %s when this pod read it: the node is slow, or its clock differs", -s.margin)
	}
	fmt.Fprintf(s.log, "start at %s, in %s\n", at.UTC().Format(startFormat), s.margin.Round(time.Millisecond))
	return nil
}

// marginMilliseconds returns the margin, rounded up: 0 would stand for no start.
func (s *sharedStart) marginMilliseconds() int64 {
	return int64((s.margin + time.Millisecond - 1) / time.Millisecond)
}

// wait returns at the start. It fails if the runner is not ready by then.
func (s *sharedStart) wait(ctx context.Context) error {
	if err := s.until(ctx, s.at); err != nil {
		return err
	}
	if late := s.now().Sub(s.at); late > maxOversleep {
		return s.late("had passed by %s when this pod woke: its node stood still, or the clock was set", late)
	}
	select {
	case err := <-s.made:
		return err
	default:
		return failf(digest.ExitLate, "the directory for test files was not made by the start at %s: the storage is slow or does not answer", s.at.UTC().Format(startFormat))
	}
}

// until waits for a moment before or at the start by the wall clock, also where that is set meanwhile.
func (s *sharedStart) until(ctx context.Context, moment time.Time) error {
	for {
		left := moment.Sub(s.now())
		if left <= 0 {
			return nil
		}
		if left > maxAhead {
			return s.late("is %s away by this node's clock: it differs from the operator's, or was set", left)
		}
		select {
		case <-ctx.Done():
			return outcome(ctx)
		case <-time.After(min(left, clockSlice)):
		}
	}
}

// late returns the error of a runner that cannot start fio together with others.
func (s *sharedStart) late(format string, by time.Duration) error {
	return failf(digest.ExitLate, "the start at %s "+format, s.at.UTC().Format(startFormat), by.Round(time.Millisecond))
}

// outcome returns the failure that a context ended with, or that the run was ended.
func outcome(ctx context.Context) error {
	if f, ok := errors.AsType[*failure](context.Cause(ctx)); ok {
		return f
	}
	return errEndedWaiting
}

// loadFio has the kernel read fio and its libraries, which from a node's disk takes longer than all else of a start.
// What goes wrong shows when fio is started.
func (o Options) loadFio(ctx context.Context) {
	_ = exec.CommandContext(ctx, o.Fio, "--version").Run()
}
