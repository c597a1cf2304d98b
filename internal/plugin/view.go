package plugin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"k8s.io/utils/clock"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/wording"
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
	// steps has which steps were printed, and pause for how long the current run has waited.
	steps steps
	pause pause
	// ended has the runs that were printed, and attempts how often runs had been started then.
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
	v.pause.note(benchmark.Status.RunningRun(), isWait(&benchmark.Status), v.clock.Now())
	v.printAttempts()
	v.printStep()
	v.printEnded()
	v.draw()
}

// refresh shows what time has changed.
func (v *view) refresh() {
	if v.benchmark != nil {
		v.printStep()
		v.draw()
	}
}

// stepIndent is as wide as the name of a step.
var stepIndent = strings.Repeat(" ", 15)

// printStep prints the step that the benchmark is at, and what it waits for, when that is news.
func (v *view) printStep() {
	status := &v.benchmark.Status
	reason := status.Condition(v1alpha1.ConditionSucceeded).Reason
	if v.steps.isNews(reason, waitOf(status), v.clock.Now()) {
		style := v.screen.style()
		message := style.Wrap(text.Snip(messageOf(status), room(reason), style.Ellipsis()), stepIndent)
		v.screen.println(strings.TrimSpace(fmt.Sprintf("%-14s %s", reason, message)))
	}
}

// showError shows an error that may pass.
func (v *view) showError(err error) {
	if v.lastError == nil || v.lastError.Error() != err.Error() {
		v.screen.println(v.screen.style().Wrap("the cluster does not answer, still trying: "+err.Error(), "  "))
	}
	v.lastError = err
}

// printAttempts prints why runs are made again.
func (v *view) printAttempts() {
	for i := range v.benchmark.Status.Runs {
		run := &v.benchmark.Status.Runs[i]
		if before := v.attempts[run.Name]; before > 0 && run.Attempts > before {
			line := fmt.Sprintf("attempt %d: %s", run.Attempts, oneLineOf(run.Message))
			v.screen.println(fmt.Sprintf("again  %s  %s", run.Name, v.screen.style().Wrap(line, strings.Repeat(" ", len("again  "+run.Name+"  ")))))
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
		v.screen.println(v.endedLine(run, width))
	}
}

const (
	// lineWidth is the most columns of the line of a run that has a result, unless its name is that long that fewer than
	// leastOutcome are left.
	lineWidth    = 80
	leastOutcome = 30
)

// endedLine is the line of a run that has ended, with its name in that width. Why a run failed is not cut.
func (v *view) endedLine(run *v1alpha1.Run, width int) string {
	line := fmt.Sprintf("%s %-*s  ", report.Mark(run, v.screen.style()), width, run.Name)
	if run.State != v1alpha1.RunSucceeded {
		return line + v.screen.style().Wrap(wording.Outcome(run), strings.Repeat(" ", text.StringWidthWithoutEscSequences(line)))
	}
	return line + wording.OutcomeWithin(run, max(lineWidth-text.StringWidthWithoutEscSequences(line), leastOutcome))
}

const (
	// barWidth is the width of the bar, and waitingBarWidth the one that leaves room for what is waited for.
	barWidth        = 20
	waitingBarWidth = 10
)

// draw shows how far the benchmark is. While it waits, the line is about what it waits for, and the rest of it stands still.
func (v *view) draw() {
	if v.hasEnded() {
		return
	}
	status := &v.benchmark.Status
	p, width := v.progress(), barWidth
	if isWait(status) {
		width = waitingBarWidth
	}
	parts := []string{report.Bar(p.Done, width), status.Progress}
	if p.LeftKnown && p.Left >= time.Second && !status.HasMeasured() {
		parts = append(parts, "about "+p.Left.Round(time.Second).String()+" left")
	}
	if v.live != nil && p.Current != nil {
		if shown := v.live.shown(p.Current, v.screen.style()); shown != "" {
			parts = append(parts, shown)
		}
	}
	v.screen.show(strings.Join(append(parts, stepOf(status, p.Current)), "  "))
}

// progress returns how far the benchmark is. The time that the current run has waited is none of its own.
func (v *view) progress() report.Progress {
	now := v.clock.Now()
	return report.ProgressOf(v.benchmark.Status.Runs, v.planned, now.Add(-v.pause.length(now)))
}

// stepOf names the step, and what it waits for or which run it is about, for a line that has little room.
func stepOf(status *v1alpha1.StorageBenchmarkStatus, current *v1alpha1.Run) string {
	reason, message := status.Condition(v1alpha1.ConditionSucceeded).Reason, messageOf(status)
	switch {
	case current != nil && waitOf(status) == "":
		return reason + " " + current.Name
	case message != "":
		return reason + ": " + ofRPC.ReplaceAllString(message, "")
	}
	return reason
}

// followLive has the log of the run that is being made read, where somebody sees it.
func (v *view) followLive(ctx context.Context) {
	if v.live != nil {
		v.live.follow(ctx, v.benchmark, v.benchmark.Status.RunningRun())
	}
}

// hasEnded reports whether the benchmark has ended with this spec.
func (v *view) hasEnded() bool {
	return v.benchmark != nil && v.benchmark.Status.HasEnded() && v.benchmark.Status.ObservedGeneration >= v.benchmark.Generation
}

// isUnseen reports whether no operator has looked at the benchmark yet.
func (v *view) isUnseen() bool {
	return v.benchmark != nil && v.benchmark.Status.ObservedGeneration <= 0
}

// oneLineOf puts a message of several lines into one.
func oneLineOf(message string) string {
	return humanize.Line(strings.Join(strings.Fields(message), " "))
}
