package plugin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"k8s.io/utils/clock"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/report"
)

// view shows a benchmark that goes on: a line for each step and each run that has ended, and below them how far it is.
type view struct {
	screen *screen
	clock  clock.PassiveClock
	// live tells how fast the run is that is being made, nil where nobody sees it.
	live *live

	benchmark *v1alpha1.StorageBenchmark
	planned   map[string]time.Duration
	lastError error
	// step is the reason that was printed last, ended the runs that were, and attempts how often runs had been started then.
	step     string
	ended    map[string]bool
	attempts map[string]int32
}

func newView(s *screen) *view {
	return &view{screen: s, clock: clock.RealClock{}, ended: map[string]bool{}, attempts: map[string]int32{}}
}

// update prints what is new.
func (v *view) update(benchmark *v1alpha1.StorageBenchmark) {
	if v.planned == nil || len(benchmark.Status.Targets) != len(v.benchmark.Status.Targets) {
		// What is known of the volumes then tells how long it takes to lay out files.
		v.planned = plannedTimes(benchmark)
	}
	v.benchmark, v.lastError = benchmark, nil
	v.printAttempts()
	v.printStep()
	v.printEnded()
	v.draw()
}

// showError shows an error that may pass.
func (v *view) showError(err error) {
	if v.lastError == nil || v.lastError.Error() != err.Error() {
		v.screen.println("the cluster does not answer, still trying: " + err.Error())
	}
	v.lastError = err
}

// maxStep is the most characters that are printed of what a step waits for: clean-up names all that is left.
const maxStep = 120

// printStep prints the step that the benchmark is at when it is another. Preparing and Measuring take turns with each
// run, so they are printed once; the lines of the runs tell how it goes on.
func (v *view) printStep() {
	c := v.benchmark.Status.Condition(v1alpha1.ConditionSucceeded)
	if c.Reason == v.step || c.Reason == "" {
		return
	}
	if isOfRuns(c.Reason) && isOfRuns(v.step) && v.step != "" {
		return
	}
	v.step = c.Reason
	message := text.Snip(oneLineOf(c.Message), maxStep, v.screen.style().Ellipsis())
	v.screen.println(strings.TrimSpace(fmt.Sprintf("%-14s %s", c.Reason, message)))
}

func isOfRuns(reason string) bool {
	return reason == v1alpha1.ReasonPreparing || reason == v1alpha1.ReasonMeasuring
}

// printAttempts prints why runs are made again.
func (v *view) printAttempts() {
	for i := range v.benchmark.Status.Runs {
		run := &v.benchmark.Status.Runs[i]
		if before := v.attempts[run.Name]; before > 0 && run.Attempts > before {
			v.screen.println(fmt.Sprintf("again  %s  attempt %d: %s", run.Name, run.Attempts, oneLineOf(run.Message)))
		}
		v.attempts[run.Name] = run.Attempts
	}
}

// printEnded prints the runs that have ended.
func (v *view) printEnded() {
	runs := v.benchmark.Status.Runs
	width := 0
	for i := range runs {
		width = max(width, len(runs[i].Name))
	}
	for i := range runs {
		run := &runs[i]
		if run.CompletionTime == nil || v.ended[run.Name] {
			continue
		}
		v.ended[run.Name] = true
		v.screen.println(fmt.Sprintf("%s %-*s  %s", report.Mark(run, v.screen.style()), width, run.Name, report.Outcome(run)))
	}
}

// draw shows how far the benchmark is.
func (v *view) draw() {
	if v.benchmark == nil || v.hasEnded() {
		return
	}
	status := &v.benchmark.Status
	p := report.ProgressOf(status.Runs, v.planned, v.clock.Now())
	parts := []string{report.Bar(p.Done, 20), status.Progress}
	if p.LeftKnown && !status.HasMeasured() {
		parts = append(parts, "about "+p.Left.Round(time.Second).String()+" left")
	}
	if v.live != nil && p.Current != nil {
		if shown := v.live.shown(p.Current, v.screen.style()); shown != "" {
			parts = append(parts, shown)
		}
	}
	c := v.benchmark.Status.Condition(v1alpha1.ConditionSucceeded)
	step := c.Reason
	if p.Current != nil {
		step += " " + p.Current.Name
	} else if c.Message != "" {
		step += ": " + oneLineOf(c.Message)
	}
	if retrying := status.Condition(v1alpha1.ConditionRetrying); retrying.Status != "" {
		step += " (retrying: " + oneLineOf(retrying.Message) + ")"
	}
	v.screen.show(strings.Join(append(parts, step), "  "))
}

// followLive has the log of the run that is being made read, where somebody sees it.
func (v *view) followLive(ctx context.Context) {
	if v.live != nil {
		v.live.follow(ctx, v.benchmark, report.ProgressOf(v.benchmark.Status.Runs, v.planned, v.clock.Now()).Current)
	}
}

// hasEnded says whether the benchmark has ended, as far as this spec goes.
func (v *view) hasEnded() bool {
	return v.benchmark != nil && v.benchmark.Status.HasEnded() && v.benchmark.Status.ObservedGeneration >= v.benchmark.Generation
}

// isUnseen says whether no operator has looked at the benchmark yet.
func (v *view) isUnseen() bool {
	return v.benchmark != nil && v.benchmark.Status.ObservedGeneration <= 0
}

// oneLineOf puts a message of several lines into one.
func oneLineOf(message string) string {
	return legible.Line(strings.Join(strings.Fields(message), " "))
}
