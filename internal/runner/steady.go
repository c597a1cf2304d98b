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
	// ends says that fio is ended when the rate is steady.
	ends bool

	mu      sync.Mutex
	samples []steady.Sample
	end     func()
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
	rateOf := fiooutput.RateOfLine
	if w.until.Metric == steady.Bandwidth {
		rateOf = fiooutput.BandwidthOfLine
	}
	rate, known := rateOf(line)
	if !known && len(w.samples) == 0 {
		return
	}
	w.samples = append(w.samples, steady.Sample{At: now, Rate: float64(rate)})
	if most := int(w.until.WindowSeconds+1) * maxSamples; len(w.samples) > 2*most {
		w.samples = append(w.samples[:0], w.samples[len(w.samples)-most:]...)
	}
	if rounds := steady.WindowRounds(w.samples, w.until.Window()); w.ends && w.end != nil && rounds != nil && steady.Judge(rounds).Within(w.until) {
		w.end()
		w.end = nil
	}
}

// rounds returns the rates of the parts of what was measured, nil if too few lines were seen. fio prints the first line with a rate, and the last
// one, up to a second after the start and before the end of what it measures.
func (w *rateWatch) rounds() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.samples) < 2 {
		return nil
	}
	const whole = 0.6
	seen := w.samples[len(w.samples)-1].At.Sub(w.samples[0].At)
	window := min(seen, w.until.Window())
	if window.Seconds() < whole*w.until.Window().Seconds() {
		return nil
	}
	var rounds []int64
	for _, rate := range steady.WindowRounds(w.samples, window) {
		rounds = append(rounds, int64(math.Round(rate)))
	}
	return rounds
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
	o.JobFile = file.WarmUp(seconds, round).String()
	fmt.Fprintf(o.Log, "fio runs until its rate is steady, for %d s at most, then it measures\n", seconds)
	call, err := o.prepareFio()
	if err != nil {
		return nil, err
	}
	call.quiet = true
	call.rate = &rateWatch{until: o.Until, ends: o.StartFile == ""}
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
