package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/steady"
)

// rateWatch takes note of the rates that fio's progress line has, once a second. Its logs come only when a job ends.
type rateWatch struct {
	until *steady.Until
	// most is for how long fio does I/O: what it does when that is over, as to sync its files, is no part of it. 0 if it is not known.
	most time.Duration
	// ends says that fio is ended when the rate is steady.
	ends bool

	mu      sync.Mutex
	samples []steady.Sample
	begun   time.Time // when the first was seen
	end     func()
	// found are the rounds that were steady when fio was ended for it: what it does after that is no part of them.
	found []int64
}

// maxSamples is how many rates are kept of each second of a window.
const maxSamples = 4

// begin says how fio is ended.
func (w *rateWatch) begin(end func()) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = end
}

// note takes note of a progress line. Until there is a rate fio has not begun; after that a line without one is a second in which nothing was done.
func (w *rateWatch) note(now time.Time, line string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found != nil {
		return
	}
	rateOf := fiooutput.RateOfLine
	if w.until.Metric == steady.Bandwidth {
		rateOf = fiooutput.BandwidthOfLine
	}
	rate, known := rateOf(line)
	if !known && len(w.samples) == 0 {
		return
	}
	if w.most > 0 && len(w.samples) > 0 && now.Sub(w.begun) > w.most-time.Second { // the first line comes up to a second after the start
		return
	}
	if len(w.samples) == 0 {
		w.begun = now
	}
	w.samples = append(w.samples, steady.Sample{At: now, Rate: float64(rate)})
	if most := int(w.until.WindowSeconds+1) * maxSamples; len(w.samples) > 2*most {
		w.samples = append(w.samples[:0], w.samples[len(w.samples)-most:]...)
	}
	if !w.ends || w.end == nil {
		return
	}
	// In whole numbers, as they are reported: what ended fio is steady for who judges the report as well.
	if rounds := whole(steady.WindowRounds(w.samples, w.until.Window())); rounds != nil && steady.JudgeRounds(rounds).Within(w.until) {
		w.found = rounds
		w.end()
	}
}

// hasEnded says whether fio was ended because its rate is steady.
func (w *rateWatch) hasEnded() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found != nil
}

// rounds returns the rates of the parts of the window that was steady, or of the last one, nil if too few lines were seen. fio prints the first line with a rate,
// and the last one, up to a second after the start and before the end of what it does.
func (w *rateWatch) rounds() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found != nil {
		return w.found
	}
	if len(w.samples) < 2 {
		return nil
	}
	const enough = 0.6
	seen := w.samples[len(w.samples)-1].At.Sub(w.samples[0].At)
	window := min(seen, w.until.Window())
	if window.Seconds() < enough*w.until.Window().Seconds() {
		return nil
	}
	return whole(steady.WindowRounds(w.samples, window))
}

// whole returns rates in whole numbers, nil of none.
func whole(rates []float64) []int64 {
	var all []int64
	for _, rate := range rates {
		all = append(all, int64(math.Round(rate)))
	}
	return all
}

// measureWhenSteady measures when what runs before is steady, or its time is over. Where that is judged, what is measured counts if it is steady itself. Otherwise
// it goes on, as long as there is time.
func (o Options) measureWhenSteady(ctx context.Context, over *seriesLogs, begun *begun) (*digest.Report, error) {
	if o.Until == nil {
		call, err := o.prepareFio()
		if err != nil {
			return nil, err
		}
		return o.measureOnce(ctx, call, begun.seen)
	}
	first := time.Now()
	last := first.Add(o.Until.Most()) // the latest instant at which what is measured begins
	for round := int64(0); ; round++ {
		warm, err := o.warmUp(ctx, time.Until(last), round)
		if err != nil {
			return nil, err
		}
		over.keepEarlier()
		if err := begun.waitTogether(ctx, o.Until); err != nil {
			return nil, err
		}
		after := time.Since(first)
		report, err := o.measureSteady(ctx, begun.observe(), round)
		if err != nil {
			return nil, err
		}
		if !o.Until.Judged {
			report.Steady.Rounds = warm
		}
		report.Steady.AfterMilliseconds = (after + steady.PauseSeconds*time.Second).Milliseconds()
		if isEnough(o.Until, report.Steady) || time.Until(last) <= 0 || !begun.at.IsZero() {
			over.resultFrom(report)
			return report, nil
		}
		fmt.Fprintln(o.Log, "what was measured is not steady: it goes on")
		over.keepEarlier()
	}
}

// isEnough says whether what was measured is the result.
func isEnough(u *steady.Until, s *digest.Steady) bool {
	return !u.Judged || steady.JudgeRounds(s.Rounds).Within(u)
}

// warmUp runs the same for so long, or until it is steady, and returns the rates of its last window. Clients that measure together all run for so long: none
// knows of the others.
func (o Options) warmUp(ctx context.Context, most time.Duration, round int64) (rounds []int64, err error) {
	seconds := int64(math.Round(most.Seconds()))
	if seconds < 1 {
		return nil, nil
	}
	file, err := fio.Parse(o.JobFile)
	if err != nil {
		return nil, err
	}
	warm := file.WarmUp(seconds, round)
	if o.StartFile != "" {
		// How long a sync takes differs from client to client, and they begin to measure together.
		warm = warm.WithoutSyncAtEnd()
	}
	o.JobFile = warm.String()
	fmt.Fprintf(o.Log, "fio runs until its rate is steady, for %d s at most, then it measures\n", seconds)
	call, err := o.prepareFio()
	if err != nil {
		return nil, err
	}
	call.quiet = true
	call.rate = &rateWatch{until: o.Until, most: time.Duration(seconds) * time.Second, ends: o.StartFile == ""}
	_, err = o.runFio(ctx, call)
	switch {
	case errors.Is(err, errSteady):
		fmt.Fprintln(o.Log, "the rate is steady")
	case err == nil:
		fmt.Fprintln(o.Log, "the time is over in which the rate was to become steady")
	default:
		return nil, err
	}
	return call.rate.rounds(), nil
}

// measureSteady measures, and takes note of how steady that is.
func (o Options) measureSteady(ctx context.Context, seen func() digest.Environment, round int64) (*digest.Report, error) {
	file, err := fio.Parse(o.JobFile)
	if err != nil {
		return nil, err
	}
	o.JobFile = file.Warm(round).String()
	call, err := o.prepareFio()
	if err != nil {
		return nil, err
	}
	call.rate = &rateWatch{until: o.Until}
	if o.Until.Judged {
		call.rate.most = o.Until.Window() + steady.PauseSeconds*time.Second
	}
	report, err := o.measureOnce(ctx, call, seen)
	if err != nil {
		return nil, err
	}
	report.Steady = &digest.Steady{Rounds: call.rate.rounds()}
	return report, nil
}

// waitTogether waits for the instant at which clients that share a start begin to measure: each has ended by then what it ran before.
func (b *begun) waitTogether(ctx context.Context, u *steady.Until) error {
	if b.at.IsZero() {
		return nil
	}
	timer := time.NewTimer(time.Until(b.at.Add(u.Most() + steady.TogetherPauseSeconds*time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errInterrupted
	case <-timer.C:
		return nil
	}
}
