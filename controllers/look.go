package controllers

import (
	"context"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/volumes"
)

// Before anything is ended or removed, it is looked what there is, as the API server has it: the cache may be behind. Such a look takes several calls, and a list may wait
// for 100 ms in the API server itself, until its own cache is as new as etcd. No worker waits for that. A pass that needs a look begins it and ends. The look has the next
// pass made when it ends, which takes a step by what was found. A look that the next pass does not need, because the benchmark goes another way, is dropped: what it
// found may not be so any more.

// looksAtOnce is how many looks go on, or have found what no pass has taken yet: all of it is in memory.
const looksAtOnce = concurrentBenchmarks

// look is a look at what a benchmark has.
type look struct {
	// ended is closed when Jobs and pods were listed, and what has lost labels was sought.
	ended chan struct{}
	began time.Time
	found *found
	err   error
	// took is how long it took to ask.
	took time.Duration
	// drop ends the look, and gives way to others. Whoever takes what was found drops the look afterwards.
	drop context.CancelFunc
}

// found is what a look has found. The zero value is nothing: then the API server is asked when something is wanted.
type found struct {
	children *childLists
	claims   *answer[[]corev1.PersistentVolumeClaim]
	// volumes are those that the status knows, by their names, except those whose reads have failed.
	volumes *answer[map[string]*corev1.PersistentVolume]
	// changed are the names of volumes that were changed since.
	changed sync.Map
	// strays are what has lost labels. They are known if straysErr is nil.
	strays    strays
	straysErr error
	// soughtAll says that all that may have lost labels was sought by this very look.
	soughtAll bool
}

// childLists are a benchmark's Jobs and pods.
type childLists struct {
	jobs []*batchv1.Job
	pods []*corev1.Pod
}

// looks bounds how many looks go on at the same time.
type looks struct {
	once  sync.Once
	slots chan struct{}
}

// acquire waits until one more may go on, or until the context ends.
func (l *looks) acquire(ctx context.Context) error {
	l.once.Do(func() { l.slots = make(chan struct{}, looksAtOnce) })
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("others looked for too long what their benchmarks have: %w", ctx.Err())
	}
}

// release gives way to another one.
func (l *looks) release() { <-l.slots }

// looked says whether it is known what the benchmark has. If not, a look goes on, and the pass has to end.
func (p *pass) looked(ctx context.Context) (bool, error) {
	if p.taken != nil {
		return true, nil
	}
	if p.memory.look == nil {
		p.memory.look = p.beginLook(ctx)
	}
	select {
	case <-p.memory.look.ended:
	default:
		p.awaitsLook = true
		return false, nil
	}
	p.taken, p.memory.look = p.memory.look, nil
	p.found, p.memory.strays = p.taken.found, p.taken.found.strays
	return true, p.taken.err
}

// onceLooked takes a step that ends what the benchmark has, by what is known of it, and returns what is left. It says so if a look goes on, without which no step can be taken.
func (p *pass) onceLooked(ctx context.Context, step func(context.Context) ([]cleanup.Leftover, error)) (left []cleanup.Leftover, looking bool, err error) {
	if there, err := p.looked(ctx); err != nil || !there {
		return nil, err == nil, err
	}
	left, err = step(ctx)
	return left, false, err
}

// quietLook is how long a look may take before users are told of it. Most are over by then.
const quietLook = 2 * time.Second

// looksLong says whether the look that the pass waits for takes long.
func (s *scope) looksLong() bool { return s.now.Sub(s.memory.look.began) >= quietLook }

// awaitLook ends the pass, which waits for a look. The look has the next one made when it ends. One that takes long is told of before.
func (s *scope) awaitLook() outcome {
	if s.looksLong() {
		return awaitFor(passPatience)
	}
	return awaitFor(quietLook)
}

// lookTook is how long the look has taken that this pass has taken, zero if it has taken none.
func (p *pass) lookTook() time.Duration {
	if p.taken == nil {
		return 0
	}
	return p.taken.took
}

// lookAgain forgets what the last look has found, and begins another one, which the pass waits for.
func (p *pass) lookAgain(ctx context.Context) {
	p.endLook()
	p.found, p.memory.strays = &found{}, strays{}
	p.memory.look, p.awaitsLook = p.beginLook(ctx), true
}

// endLook drops looks, but one that the pass waits for.
func (p *pass) endLook() {
	if p.taken != nil {
		p.taken.drop()
		p.taken = nil
	}
	if !p.awaitsLook {
		p.memory.dropLook()
	}
}

// beginLook begins a look, which has the next pass made when it ends. It shares nothing with this pass, which goes on until it has saved what it knows.
func (p *pass) beginLook(ctx context.Context) *look {
	ctx, drop := context.WithTimeout(context.WithoutCancel(ctx), passPatience)
	l := &look{ended: make(chan struct{}), began: p.Clock.Now(), found: &found{}, drop: drop}
	beside := &pass{Reconciler: p.Reconciler, found: l.found, scope: &scope{
		now: p.now, memory: &memory{strays: p.memory.strays}, namespaces: p.namespaces, Children: p.Children, sb: p.sb.DeepCopy(),
	}}
	beside.Benchmark = beside.sb
	go func() {
		if l.err = p.looks.acquire(ctx); l.err == nil {
			defer p.looks.release()
			began := p.Clock.Now()
			l.err = beside.look(ctx)
			l.took = p.Clock.Since(began)
		}
		close(l.ended)
		p.turns.recall(types.NamespacedName{Namespace: beside.sb.Namespace, Name: beside.sb.Name})
		<-ctx.Done()
	}()
	return l
}

// look asks for claims and volumes, and for Jobs, pods, and what has lost labels, which it waits for. Claims that have to be listed are not asked for: the list would take
// turns with the search for what has lost labels, which has little time.
func (p *pass) look(ctx context.Context) (err error) {
	defer catch(ctx, &err)
	if !p.namespaces.AreSet() { // else it sees no volumes
		known := volumes.Provisioned(p.sb)
		p.found.volumes = ask(ctx, func() (map[string]*corev1.PersistentVolume, error) { return p.readVolumes(ctx, known), nil })
	}
	if len(p.ClaimTargets) <= fewClaims {
		p.found.claims = ask(ctx, func() ([]corev1.PersistentVolumeClaim, error) { return p.readClaims(ctx) })
	}
	// What fails is asked for once more by whoever wants it.
	if listed, err := p.readChildren(ctx); err == nil {
		p.found.children = &listed
	}
	began := p.memory.strays
	p.found.straysErr = p.seekStrays(ctx) // after the lists: what loses its labels later is in these
	p.found.strays = p.memory.strays
	p.found.soughtAll = p.found.straysErr == nil && !began.sought && began.gone.Len() == 0
	return nil
}

// readVolumes returns volumes by their names, except those whose reads fail.
func (p *pass) readVolumes(ctx context.Context, known []v1alpha1.VolumeStatus) map[string]*corev1.PersistentVolume {
	read, errs := gather(ctx, parallelCalls, known, func(volume v1alpha1.VolumeStatus) (*corev1.PersistentVolume, error) {
		pv, err := p.readVolume(ctx, volume.Name, "get volume "+volume.Name)
		pv.ManagedFields = nil // they are not used, and there may be thousands of volumes
		return pv, err
	})
	all := make(map[string]*corev1.PersistentVolume, len(known))
	for i, volume := range known {
		if errs[i] == nil {
			all[volume.Name] = read[i]
		}
	}
	return all
}

// drop waits for the calls for claims and volumes, and forgets what they returned.
func (f *found) drop() {
	_, _ = f.claims.wait()
	_, _ = f.volumes.wait()
	f.claims, f.volumes = nil, nil
	f.changed.Clear()
}

// volume returns a volume that was asked for and has not been changed since. It is nil if the volume has to be read.
func (f *found) volume(name string) *corev1.PersistentVolume {
	if _, changed := f.changed.Load(name); changed {
		return nil
	}
	all, _ := f.volumes.wait()
	return all[name]
}
