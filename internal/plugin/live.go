package plugin

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/job"

	"github.com/storagebench/storagebench/internal/report"
)

const (
	// liveRates is the most figures that are kept of a run: a sparkline has no more.
	liveRates = 60
	// liveRetry is how long after the end of a log, or after an error, it is read again. A pod whose container has not begun has none.
	liveRetry = 5 * time.Second
	// liveLines is how many lines of what a run has printed before are read.
	liveLines = 100
	// longestLine is the most bytes of a line of a log that are looked at. fio's progress lines have a tenth of it.
	longestLine = 4096
)

// live has what fio says of the run that is being made, as its log tells it: I/Os per second, every ten seconds.
type live struct {
	// tail hands over each line of the run's log until that ends, or the context does.
	tail func(ctx context.Context, benchmark *v1alpha1.StorageBenchmark, each func(line string)) error

	// attempt is the attempt that is followed, stop ends that, and rates are what it has told.
	attempt string
	stop    context.CancelFunc
	rates   *recentRates
}

// newLive follows logs as the user may.
func newLive(c *cluster) *live { return &live{tail: c.tailLog, stop: func() {}, rates: &recentRates{}} }

// follow begins to read the log of the run that is being made, and ends to read that of one that is not. Without a run it only ends.
func (l *live) follow(ctx context.Context, benchmark *v1alpha1.StorageBenchmark, run *v1alpha1.Run) {
	attempt := ""
	if run != nil {
		attempt = fmt.Sprintf("%s %d", run.Name, run.Attempts)
	}
	if attempt == l.attempt {
		return
	}
	l.stop()
	l.attempt, l.rates = attempt, &recentRates{}
	if run == nil {
		return
	}
	ctx, l.stop = context.WithCancel(ctx)
	go l.read(ctx, benchmark, l.rates)
}

// read takes down the rates of a log until the context ends, or the user may not read it.
func (l *live) read(ctx context.Context, benchmark *v1alpha1.StorageBenchmark, rates *recentRates) {
	_ = wait.PollUntilContextCancel(ctx, liveRetry, true, func(ctx context.Context) (bool, error) {
		rates.forget() // what follows is the same log, once more
		err := l.tail(ctx, benchmark, func(line string) {
			if rate, ok := fiooutput.RateOfLine(line); ok {
				rates.add(rate)
			}
		})
		return apierrors.IsForbidden(err), nil
	})
}

// shown returns the rates as a sparkline and the last figure, "" if there are none.
func (l *live) shown(run *v1alpha1.Run, style report.Style) string {
	rates := l.rates.all()
	if len(rates) == 0 {
		return ""
	}
	last := fmt.Sprintf("%d IOPS", rates[len(rates)-1])
	if run.Clients > 1 {
		last += fmt.Sprintf(" of 1 of %d clients", run.Clients)
	}
	return strings.TrimSpace(style.Sparkline(rates, style.Width/sparklineShare) + " " + last)
}

// sparklineShare is the part of a terminal's width that a sparkline takes.
const sparklineShare = 5

// tailLog hands over the lines of the log of a pod that makes a run.
func (c *cluster) tailLog(ctx context.Context, benchmark *v1alpha1.StorageBenchmark, each func(line string)) error {
	pod, err := c.runPod(ctx, benchmark)
	if err != nil {
		return err
	}
	log, err := c.openLog(ctx, pod, &corev1.PodLogOptions{Container: job.MeasureContainer, Follow: true, TailLines: new(int64(liveLines))})
	if err != nil {
		return err
	}
	defer log.Close()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		each(lines.Text())
	}
	return lines.Err()
}

// recentRates are the last rates of a run.
type recentRates struct {
	mu    sync.Mutex
	rates []int64
}

func (r *recentRates) add(rate int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rates = append(r.rates, rate)
	r.rates = slices.Delete(r.rates, 0, max(0, len(r.rates)-liveRates))
}

func (r *recentRates) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rates = nil
}

func (r *recentRates) all() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.rates)
}
