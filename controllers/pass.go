package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// cachePatience is how long the cache may take to hear of what the API server has. Users are told of a longer wait, which has a
// deadline. It is also how long a benchmark that is under way goes without a pass: no event comes from a watch that is
// silent.
const cachePatience = 30 * time.Second

// retrySoon is how long a pass over an old version waits for the newer one.
const retrySoon = 100 * time.Millisecond

// pass is one pass over a benchmark: what it knows, and what it acts with. Its methods read and write the API. They carry out what
// is decided in packages that cannot.
type pass struct {
	*Reconciler
	*writer
	// owned are the Jobs and pods that the API server has. nil: this pass has not read them, or has made another one since.
	owned *owned
	// skipsCache reports whether the benchmark was read from the API server because the cache has not heard of the last write.
	skipsCache bool
	// asksPods reports whether the pods of a run are read from the API server, and not from the cache.
	asksPods bool
	// unheard reports whether this pass waits for the cache to hear of an object that the API server has.
	unheard bool
	// rests reports whether the next pass has to wait because this one took long.
	rests bool
}

// newPass begins a pass over a benchmark.
func (r *Reconciler) newPass(sb *v1alpha1.StorageBenchmark, remembered *memory) *pass {
	return &pass{Reconciler: r, writer: &writer{&scope{
		now:        metav1.NewTime(r.Clock.Now()),
		memory:     remembered,
		plans:      &r.plans,
		namespaces: r.Namespaces,
		Children:   children.Of(sb, remembered.isUnmade),
		sb:         sb,
		before:     sb.DeepCopy(),
	}}}
}

// outcome says how a pass goes on after a phase.
type outcome struct {
	stop bool
	// saves says that the phase has found out something that has to be saved before anything is done about it.
	saves bool
	after time.Duration // when to make another pass if nothing changes before; 0: not at all
	// rests is how much longer than after the next pass may come, because this one took long. 0: not at all.
	rests time.Duration
}

// goOn has the next phase follow.
func goOn() outcome { return outcome{} }

// saveFirst ends the pass, so that what it has found out is saved. That starts the next one.
func saveFirst() outcome { return outcome{stop: true, saves: true} }

// awaitChange ends the pass; a change of the benchmark or of a child starts the next one.
func awaitChange() outcome { return outcome{stop: true} }

// awaitFor ends the pass, and starts the next one after a time at the latest.
func awaitFor(after time.Duration) outcome {
	return outcome{stop: true, after: max(after, time.Millisecond)}
}

// awaitGone ends the pass while something is left that was deleted. The next one comes soon, or after a rest where this one took long,
// and by the time that remains.
func awaitGone(left []cleanup.Leftover, remaining time.Duration) outcome {
	return awaitFor(min(remaining, pollFor(left))).resting(remaining)
}

// resting has the next pass come after a rest where this one took long, and by the time that remains.
func (o outcome) resting(remaining time.Duration) outcome {
	o.rests = max(0, min(remaining, maxRest)-o.after)
	return o
}

const (
	// restFactor is how many times as long as it took to read what is not cached it is not read again: what others have made in a namespace may
	// make it take long, for them and for everybody else.
	restFactor = 20
	// maxRest is the longest such rest of a pass.
	maxRest = time.Minute
)

// next returns when to make another pass after one that took a time; 0: not at all.
func (o outcome) next(took time.Duration) time.Duration {
	if o.rests == 0 {
		return o.after
	}
	return min(max(o.after, restFactor*took), o.after+o.rests)
}

// saved is proof that all that a pass has found out is saved. Who ends or tells pods needs one: these may not tell a second time what the
// pass has found out, and a pass over an old version has found out what is not so.
type saved struct{}

// allSaved returns the proof, if it is true.
func (s *scope) allSaved() (saved, bool) { //nolint:unparam // The proof is its type.
	return saved{}, !s.changed()
}

type phase func(context.Context, *pass) (outcome, error)

// The phases of a benchmark, in order. Each finds out by itself, from the status and the children, whether
// it has something to do, so that a pass can end anywhere and the next one goes on from there.
var (
	phases = []phase{
		expire, admit, observe, tie, suspend, relabel, validate, nudge, noteFiles, awaitDrivers, provision, anchor,
		measure, conclude, cleanUp, sweep, finish,
	}
	deletionPhases = []phase{observe, tie, nudge, noteFiles, abandon, cleanUp, sweep, release}
)

// advance has the phases follow each other, until one ends the pass.
func (p *pass) advance(ctx context.Context) (ctrl.Result, error) {
	if !p.missesNothing() {
		p.memory.gone = nil // it may make them
	}
	list := phases
	if !p.sb.DeletionTimestamp.IsZero() {
		list = deletionPhases
	}
	for _, phase := range list {
		out, err := phase(ctx, p)
		if err != nil {
			return ctrl.Result{}, err
		}
		if out.saves && !p.changed() {
			return ctrl.Result{}, errors.New("a phase waits for a write of the status, and there is nothing to write")
		}
		if out.stop {
			p.rests = out.rests > 0
			return ctrl.Result{RequeueAfter: out.next(p.Clock.Since(p.now.Time))}, nil
		}
	}
	return ctrl.Result{}, nil
}

// awaitCache ends a pass until the cache hears of an object that the API server has.
func (p *pass) awaitCache(object client.Object) (outcome, error) {
	p.unheard = true
	if p.memory.unheardSince.IsZero() {
		p.memory.unheardSince = p.now.Time
	}
	if waited := p.now.Sub(p.memory.unheardSince); waited >= cachePatience {
		return outcome{}, fmt.Errorf("the operator's cache has not heard of %s for %s, though the API server has it: a watch is silent",
			object.GetName(), waited.Round(time.Second))
	}
	return awaitFor(retrySoon), nil
}

// isFresh says whether this pass has read the newest version of the benchmark. It asks for its metadata alone: a status may be large.
func (p *pass) isFresh(ctx context.Context) (bool, error) {
	current := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"}}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.sb), current); err != nil {
		return false, unlessGone(err, "get benchmark")
	}
	return current.ResourceVersion == p.sb.ResourceVersion, nil
}

// ifFresh acts if this pass has read the newest version of the benchmark. Otherwise it has the next one come soon.
func (p *pass) ifFresh(ctx context.Context, act func() (outcome, error)) (outcome, error) {
	if fresh, err := p.isFresh(ctx); err != nil || !fresh {
		return awaitFor(retrySoon), err
	}
	return act()
}
