package schedule

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/turns"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/schedule"
)

// pass is one pass over a schedule: what was read, the status as it becomes, and the API to act with.
type pass struct {
	*Reconciler

	schedule *v1alpha1.StorageBenchmarkSchedule
	before   *v1alpha1.StorageBenchmarkSchedule
	now      time.Time
	memory   *memory
	// benchmarks are the schedule's, the oldest first.
	benchmarks []v1alpha1.StorageBenchmark
	// missed is what users are told of starts that were missed, as soon as the status counts them.
	missed string
	// due is when the start was due that this pass was to make, and decided says that it is known what became of it.
	due     time.Time
	decided bool
	// startTook is how long the start took.
	startTook time.Duration
}

// scheduleOf returns the UID of the schedule that controls a StorageBenchmark.
func scheduleOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != schedule.Kind || owner.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	return []string{string(owner.UID)}
}

// stateOf says how far a StorageBenchmark is.
func stateOf(sb *v1alpha1.StorageBenchmark) schedule.State {
	switch {
	case !sb.Status.HasEnded():
		return schedule.Active
	case sb.Status.Condition(v1alpha1.ConditionSucceeded).Status == metav1.ConditionTrue:
		return schedule.Succeeded
	}
	return schedule.Failed
}

// facts returns what is known of the StorageBenchmarks.
func (p *pass) facts() []schedule.Benchmark {
	var facts []schedule.Benchmark
	for i := range p.benchmarks {
		sb := &p.benchmarks[i]
		fact := schedule.Benchmark{
			Name: sb.Name, UID: sb.UID, State: stateOf(sb), Created: sb.CreationTimestamp.Time,
			Kept:     p.memory.kept.Has(sb.UID),
			Marked:   sb.Annotations[v1alpha1.AnnotationHistoryKept] == string(sb.UID),
			Deleting: !sb.DeletionTimestamp.IsZero(),
		}
		if fact.State != schedule.Active {
			fact.Ended = p.endOf(sb)
		}
		facts = append(facts, fact)
	}
	return facts
}

// endOf returns when a StorageBenchmark ended. If it ended while the clock was ahead, that time is unknown, and it
// counts as one of the oldest, so that it does not stay the newest until that time comes.
func (p *pass) endOf(sb *v1alpha1.StorageBenchmark) time.Time {
	ended := ptr.Deref(sb.Status.CompletionTime, sb.CreationTimestamp).Time
	if schedule.IsAhead(ended, p.now) {
		ended = sb.CreationTimestamp.Time
	}
	if schedule.IsAhead(ended, p.now) {
		ended = time.Unix(0, 0)
	}
	return ended
}

// Reconciler makes StorageBenchmarks of schedules.
type Reconciler struct {
	// Client reads schedules and StorageBenchmarks from a cache, and writes.
	Client client.Client
	// Live reads from the API server what is not cached, or must not be stale.
	Live client.Reader
	// Events tells users what happened.
	Events events.EventRecorder
	// Failing is a metric of the schedules that cannot be written. nil: there is none.
	Failing *failing.Objects
	// Results serve what benchmarks of schedules have measured last.
	Results *resultmetrics.Store
	// Clock is the time.
	Clock clock.Clock
	// Version is the operator's, which points of histories have.
	Version string
	// Namespaces are those that the operator is confined to. None: it works in the whole cluster.
	Namespaces []string

	memories memories
	reading  turn
	// turns bounds how many passes go on over schedules of one namespace.
	turns turns.Turns
}

const (
	// concurrentSchedules is how many passes go on at the same time.
	concurrentSchedules = 4
	// passesOfANamespace is how many of them may be over schedules of one namespace. One is enough for hundreds of
	// schedules: most passes take milliseconds.
	passesOfANamespace = 1
	// failedAgain is how long after an error, at most, the next pass is made: users are told of one that goes on for
	// quietErrors.
	failedAgain = 20 * time.Second
	// retrySoon is how long a pass over an old version waits for the newer one.
	retrySoon = 100 * time.Millisecond
	// bySchedule is the index of StorageBenchmarks by the UID of their schedule.
	bySchedule = "schedule"
)

// errOutdated says that a pass has seen an old version, and is made again.
var errOutdated = errors.New("the schedule has changed meanwhile")

// historyLimit is how many points the history may have.
func (p *pass) historyLimit() int {
	const points = 90 // the CRD's default, where a CRD is older
	return int(ptr.Deref(p.schedule.Spec.HistoryLimit, points))
}

// historyLimits returns how many StorageBenchmarks are kept that have succeeded, and that have failed.
func (p *pass) historyLimits() (succeeded, failed int) {
	const manySucceeded, manyFailed = 3, 1 // the CRD's defaults, where a CRD is older
	spec := &p.schedule.Spec
	return int(ptr.Deref(spec.SuccessfulBenchmarksHistoryLimit, manySucceeded)),
		int(ptr.Deref(spec.FailedBenchmarksHistoryLimit, manyFailed))
}

func (p *pass) setCondition(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&p.schedule.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: shown(message),
		ObservedGeneration: p.schedule.Generation, LastTransitionTime: metav1.NewTime(p.now),
	})
}

// shown returns a message as a condition has it.
func shown(message string) string { return humanize.Fit(message, maxMessage) }
