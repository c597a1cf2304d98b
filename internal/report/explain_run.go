package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// run explains one run, whether it has a result or not.
func (e *explanation) run(run *v1alpha1.Run) {
	e.title(run.Name)
	switch run.State {
	case v1alpha1.RunSucceeded:
		e.succeeded(run)
	case v1alpha1.RunFailed:
		e.failed(run)
	case v1alpha1.RunRunning:
		e.say("Measured", e.running()+attempts(run)+".")
	default:
		e.say("Measured", "It has not begun"+attempts(run)+".")
	}
	e.abandoned(run)
}

// running tells of a run that has no end. A benchmark that fails while a run is under way leaves the run as it is.
func (e *explanation) running() string {
	if e.sb.Status.HasEnded() {
		return "It was running when the benchmark ended"
	}
	return "It is running"
}

// attempts says how often a run was started, if more than once.
func attempts(run *v1alpha1.Run) string {
	if run.Attempts < 2 {
		return ""
	}
	return fmt.Sprintf(", in attempt %d", run.Attempts)
}

// succeeded explains the results of a run.
func (e *explanation) succeeded(run *v1alpha1.Run) {
	for _, s := range e.subjects(run) {
		e.say("Measured", e.measured(&s))
		result := s.outcomes[0].Result
		for _, io := range result.Directions() {
			e.say("Result", figuresInWords(io))
		}
		e.say("", figuresInWords(result.Of(v1alpha1.OperationSync)))
		e.say("", latencyTargetInWords(result.LatencyTargetIODepth))
		e.say("Result", figuresInWords(result.Of(v1alpha1.OperationMetadata)))
		if result.CPU != nil {
			e.say("", fmt.Sprintf("Each of fio's jobs took %d %% of a CPU.", result.CPU.UserPercent+result.CPU.SystemPercent))
		}
		e.say("Steady", steadyStateInWords(s.workload, result.SteadyState))
		e.say("Over time", wording.OverTime(result))
		e.bound(cases.Bounds(s.outcomes))
	}
	e.say("Storage", wording.Counters(run), wording.Exceeded(run), volumeInWords(run))
	e.say("Node", nodeLoadInWords(run))
	e.say("How sure", repetition(run, e.sb))
	e.warnings(run.Warnings)
	told := map[string]bool{}
	for _, s := range e.subjects(run) {
		for _, bound := range cases.Bounds(s.outcomes) {
			if bound != nil && !told[bound.Reason] {
				told[bound.Reason] = true
				e.next([]*v1alpha1.LimitedBy{bound}, run.Workload, s.outcomes[0].Result.Of(v1alpha1.OperationMetadata) != nil)
			}
		}
	}
}

// subjects are the results of a run: one, or one for each section.
func (e *explanation) subjects(run *v1alpha1.Run) []subject {
	about := subject{workload: cases.Workload(&e.sb.Spec, run.Workload), parameters: run.Parameters, target: run.Target, clients: run.Clients}
	var all []subject
	for measured := range run.Measured() {
		about.section, about.outcomes = measured.Name, []cases.Outcome{{Run: run, Result: &measured.Result, LimitedBy: measured.LimitedBy}}
		all = append(all, about)
	}
	return all
}

// latencyTargetInWords says what fio's latency_target found, "" if the job has none.
func latencyTargetInWords(depth int32) string {
	if depth == 0 {
		return ""
	}
	return fmt.Sprintf("By its option latency_target, fio had an iodepth of %d at last.", depth)
}

// figuresInWords tells what came out of one operation, "" if there was none.
func figuresInWords(f *v1alpha1.Figures) string {
	if f == nil {
		return ""
	}
	var words string
	rate := " IOPS"
	switch f.Name {
	case v1alpha1.OperationSync:
		words = fmt.Sprintf("%d syncs (fsync, fdatasync) took %s each on average", f.Count, wording.Latency(f.Mean()))
	case v1alpha1.OperationMetadata:
		words = fmt.Sprintf("%s operations on files a second; %d took %s each on average", wording.IOPS(f.MilliIOPS), f.Count, wording.Latency(f.Mean()))
		rate = " a second"
	default:
		words = fmt.Sprintf("%s %ss and %s a second", wording.IOPS(f.MilliIOPS), f.Name, perSecond(f.BytesPerSecond))
	}
	if l := f.CompletionLatency; l != nil {
		words += percentilesInWords(l.P50Nanoseconds, l.P99Nanoseconds) + ", the slowest " + wording.Latency(l.MaxNanoseconds) + coarseness(l)
	}
	if c := f.PerClient; c != nil {
		words += fmt.Sprintf("; the slowest client had %s%s and the fastest %s", wording.IOPS(c.MinMilliIOPS), rate, wording.IOPS(c.MaxMilliIOPS))
	}
	return words + "."
}

// percentilesInWords tells what half of the operations took, and 99 of 100.
func percentilesInWords(p50, p99 int64) string {
	return fmt.Sprintf("; half of them took %s, 99 of 100 %s", wording.AtMost(p50), wording.AtMost(p99))
}

// coarseness says of percentiles that they are less exact than fio's, "" of those that are as exact.
func coarseness(d *v1alpha1.LatencyDistribution) string {
	if d.BucketPercent == 0 {
		return ""
	}
	return fmt.Sprintf(" (from a histogram that had to be made coarser: these percentiles may be off by %d %%)", (d.BucketPercent+1)/2)
}

// repetition says what one run of several is worth.
func repetition(run *v1alpha1.Run, sb *v1alpha1.StorageBenchmark) string {
	if run.Search != nil {
		return searchStep(run)
	}
	var all int
	for i := range sb.Status.Runs {
		other := &sb.Status.Runs[i]
		if other.State == v1alpha1.RunSucceeded && other.Target == run.Target && other.Workload == run.Workload && wording.Parameters(other.Parameters) == wording.Parameters(run.Parameters) {
			all++
		}
	}
	if all < 2 {
		return "One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval."
	}
	return fmt.Sprintf("This is one of %d runs of the same: kubectl storagebench explain-result %s judges them together.", all, sb.Name)
}

// failed explains why there is no result, and what to do.
func (e *explanation) failed(run *v1alpha1.Run) {
	message := humanize.Line(run.Message)
	if message == "" {
		message = "no reason is known"
	}
	e.say("Failed", e.style.paint(text.FgRed, "No result")+attempts(run)+": "+strings.TrimSuffix(message, ".")+".")
	if run.LogConfigMap != "" {
		e.command("Log", fmt.Sprintf("kubectl storagebench logs %s %s -n %s", e.sb.Name, run.Name, e.sb.Namespace))
	}
	next := afterFailure[v1alpha1.ReasonRunFailed]
	if succeeded := e.sb.Status.Condition(v1alpha1.ConditionSucceeded); succeeded.Status == metav1.ConditionFalse {
		next = cmp.Or(afterFailure[succeeded.Reason], next)
	}
	e.say("Next", next)
}

// abandoned tells of attempts of a run that were ended without a result.
func (e *explanation) abandoned(run *v1alpha1.Run) {
	for i := range e.sb.Status.AbandonedAttempts {
		if a := &e.sb.Status.AbandonedAttempts[i]; a.Run == run.Name {
			e.say("But", e.style.warning("Abandoned")+": "+wording.Attempt(a)+". What it had measured is not part of the result.")
		}
	}
}

// outcome says why a benchmark failed, or how far one is that goes on.
func (e *explanation) outcome() {
	succeeded := e.sb.Status.Condition(v1alpha1.ConditionSucceeded)
	switch succeeded.Status {
	case "":
		if len(e.parts) == 0 {
			e.title(e.sb.Name + " has not begun")
		}
	case metav1.ConditionFalse:
		e.title(e.sb.Name + " failed: " + succeeded.Reason)
		e.say("Why", humanize.Line(succeeded.Message))
		e.say("Next", afterFailure[succeeded.Reason])
	case metav1.ConditionUnknown:
		e.title(fmt.Sprintf("%s goes on: %s, %d of %d runs have ended", e.sb.Name, succeeded.Reason, e.sb.Status.FinishedRuns, e.sb.Status.PlannedRuns))
		e.say("Now", humanize.Line(succeeded.Message))
	case metav1.ConditionTrue: // what was measured says it
	}
}

// searchStep says what a run is to its search.
func searchStep(run *v1alpha1.Run) string {
	at := fmt.Sprintf("This is step %d of a search for the highest load within a latency budget, with %s %d", run.Search.Step, run.Search.Vary, run.Search.Value)
	switch run.Search.Verdict {
	case v1alpha1.SearchAnswer:
		return at + ", which is the answer: this run stands for the search."
	case v1alpha1.SearchWithin:
		return at + ", which kept the budget."
	case v1alpha1.SearchBeyond:
		return at + ", which did not keep the budget."
	default:
		return at + "."
	}
}
