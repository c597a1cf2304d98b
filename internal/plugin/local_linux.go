package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/local"
)

// measure measures a benchmark on this machine. It returns the benchmark as the file has it if anything was measured. The
// error says what went wrong, or that it was interrupted.
func (o *localOptions) measure(
	cmd *cobra.Command, benchmark *v1alpha1.StorageBenchmark,
) (*source, *v1alpha1.StorageBenchmark, error) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		return nil, nil, fmt.Errorf("fio is not installed: install package fio: %w", err)
	}
	shown := newLocalView(cmd)
	session, err := local.New(local.Config{
		Benchmark: benchmark, Directories: o.directories, InstanceType: o.instance, Fio: fio, Clock: clock.RealClock{},
		Changed: shown.update, Line: shown.line,
	})
	if err != nil {
		return nil, nil, err
	}
	for _, note := range session.Notes() {
		cmd.PrintErrln(note)
	}
	path := o.outputFile(session.Name(), time.Now())
	file, err := local.CreateFile(path)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := interruptible(cmd.Context(), shown.say)
	defer stop()
	closeView := shown.start()
	ended, err := session.Run(ctx, file)
	closeView()
	if err != nil && ended != nil { // the file cannot be written: what was measured is printed all the same
		makeHarmless(ended)
		file := &saved{path, []client.Object{ended}}
		return file.source(ended.Name), ended, errors.Join(judge(ended), err)
	}
	cmd.PrintErrf("results: %s\n", path)
	from, ended, err := o.saved(cmd, path)
	if err == nil {
		err = judgeLocal(ended)
	}
	return from, ended, err
}

// judgeLocal returns an error unless each run has a result. One that was interrupted has the exit code of that.
func judgeLocal(ended *v1alpha1.StorageBenchmark) error {
	err := judge(ended)
	if ended.Status.Condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonInterrupted {
		return errors.Join(err, errLeft)
	}
	return err
}

// sameSignal is how long after a signal another one counts as the same: some programs signal both this one and its
// process group.
const sameSignal = time.Second

// interruptible returns a context that ends with the first Ctrl-C, or when the terminal is closed. A later Ctrl-C ends
// the program at once.
func interruptible(parent context.Context, say func(string)) (context.Context, func()) {
	signal.Ignore(syscall.SIGPIPE) // a pipe that is gone, as of tee after Ctrl-C, must not keep test files from being removed
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	cancel := context.AfterFunc(ctx, func() {
		say("interrupted: fio is being ended, and test files are being removed; Ctrl-C once more leaves them")
		time.AfterFunc(sameSignal, stop)
	})
	return ctx, func() {
		cancel()
		stop()
	}
}

// localView shows how far a benchmark on this machine is.
type localView struct {
	mu   sync.Mutex
	view *view
}

func newLocalView(cmd *cobra.Command) *localView {
	v := newView(newScreen(cmd))
	v.live = &live{stop: func() {}, rates: &recentRates{}}
	return &localView{view: v}
}

// update shows a change.
func (l *localView) update(benchmark *v1alpha1.StorageBenchmark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.update(benchmark)
}

// say prints a line that stays.
func (l *localView) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.screen.println(text)
}

// line shows what fio says of a run that goes on.
func (l *localView) line(text string) {
	if strings.HasPrefix(text, "fio was started at ") {
		l.view.live.rates.forget()
	}
	if rate, ok := fiooutput.RateOfLine(text); ok {
		l.view.live.rates.add(rate)
	}
}

// start has the view show each second what time has changed, until what it returns is called.
func (l *localView) start() (stop func()) {
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				l.mu.Lock()
				l.view.refresh()
				l.mu.Unlock()
			}
		}
	})
	return func() {
		close(done)
		ticking.Wait()
		l.view.screen.close()
	}
}
