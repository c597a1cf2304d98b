package pass

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/plan"
)

// CachePatience is how long the cache may take to hear of what the API server has. Users are told of a longer wait,
// which has a deadline. It is also how long a benchmark that is under way goes without a pass: no event comes from a
// watch that is silent.
const CachePatience = 30 * time.Second

// RetrySoon is how long a pass over an old version waits for the newer one.
const RetrySoon = 100 * time.Millisecond

// Pass is one pass over a benchmark: what was read, the status as it becomes, and what earlier passes have left. Its
// methods call nothing outside. Functions that do take a context, and act by the World.
type Pass struct {
	World *world.World
	// Now is when the pass began, and so the time of what it read. Code that measures how long a call took, or sets a
	// time ahead, asks the clock.
	Now metav1.Time
	// Memory is what earlier passes over the benchmark have left for this one.
	Memory *Memory
	// Plans has the plans of benchmarks that are under way.
	Plans *PlanCache
	// Namespaces are those that the operator is confined to, none if it works in the whole cluster.
	Namespaces owned.Namespaces

	SB     *v1alpha1.StorageBenchmark
	Before *v1alpha1.StorageBenchmark

	Runs []plan.Run
	// Children are as the cache has them, but for claims that were read since. Their Benchmark is sb.
	Children children.Children
	// Kept are volumes that were not made for the benchmark, to which claims of it were bound.
	Kept cleanup.Kept
	// SearchEnded reports whether this pass has found the answer of a search.
	SearchEnded bool
	// AwaitsEnd reports whether this pass waits for pods to end.
	AwaitsEnd bool
	// Owned are the Jobs and pods that the API server has. nil: this pass has not read them, or has made another one
	// since.
	Owned *Owned
	// SkipsCache reports whether the benchmark was read from the API server because the cache has not heard of the last
	// write.
	SkipsCache bool
	// AsksPods reports whether the pods of a run are read from the API server, and not from the cache.
	AsksPods bool
	// Unheard reports whether this pass waits for the cache to hear of an object that the API server has.
	Unheard bool
	// Released is the benchmark as this pass has let it go, nil if it has not.
	Released *v1alpha1.StorageBenchmark
	// Rests reports whether the next pass has to wait because this one took long.
	Rests bool
}

// Outcome says how a pass goes on after a phase.
type Outcome struct {
	Stop bool
	// Saves says that the phase has found out something that has to be saved before anything is done about it.
	Saves bool
	After time.Duration // when to make another pass if nothing changes before; 0: not at all
	// Rests is how much longer than after the next pass may come, because this one took long. 0: not at all.
	Rests time.Duration
}

// GoOn has the next phase follow.
func GoOn() Outcome { return Outcome{} }

// SaveFirst ends the pass, so that what it has found out is saved. That starts the next one.
func SaveFirst() Outcome { return Outcome{Stop: true, Saves: true} }

// AwaitChange ends the pass; a change of the benchmark or of a child starts the next one.
func AwaitChange() Outcome { return Outcome{Stop: true} }

// AwaitFor ends the pass, and starts the next one after a time at the latest.
func AwaitFor(after time.Duration) Outcome {
	return Outcome{Stop: true, After: max(after, time.Millisecond)}
}

// AwaitGone ends the pass while something is left that was deleted. The next one comes soon, or after a rest where this
// one took long, and by the time that remains.
func AwaitGone(left []cleanup.Leftover, remaining time.Duration) Outcome {
	return AwaitFor(min(remaining, PollFor(left))).Resting(remaining)
}

// Resting has the next pass come after a rest where this one took long, and by the time that remains.
func (o Outcome) Resting(remaining time.Duration) Outcome {
	o.Rests = max(0, min(remaining, MaxRest)-o.After)
	return o
}

const (
	// RestFactor is how many times as long as it took to read what is not cached it is not read again: what others have
	// made in a namespace may make it take long, for them and for everybody else.
	RestFactor = 20
	// MaxRest is the longest such rest of a pass.
	MaxRest = time.Minute
)

// Next returns when to make another pass after one that took a time; 0: not at all.
func (o Outcome) Next(took time.Duration) time.Duration {
	if o.Rests == 0 {
		return o.After
	}
	return min(max(o.After, RestFactor*took), o.After+o.Rests)
}

// AwaitCache ends a pass until the cache hears of an object that the API server has.
func (s *Pass) AwaitCache(object client.Object) (Outcome, error) {
	s.Unheard = true
	if s.Memory.UnheardSince.IsZero() {
		s.Memory.UnheardSince = s.Now.Time
	}
	if waited := s.Now.Sub(s.Memory.UnheardSince); waited >= CachePatience {
		return Outcome{}, fmt.Errorf(
			"the operator's cache has not heard of %s for %s, though the API server has it: a watch is silent",
			object.GetName(), waited.Round(time.Second))
	}
	return AwaitFor(RetrySoon), nil
}

// PollChildren is how often it is looked whether something that was deleted is gone. Volumes are not
// watched: a cluster has many, and a benchmark waits for few and not for long.
const PollChildren = 250 * time.Millisecond

// PollFor is how often it is looked whether what is left is gone: the more there is, the more calls a look takes.
func PollFor(left []cleanup.Leftover) time.Duration {
	return PollChildren + time.Duration(5*len(left))*time.Millisecond
}

// Owned are the Jobs and pods of a benchmark.
type Owned struct {
	Jobs []*batchv1.Job
	Pods []*corev1.Pod
}
