package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/volumes"
)

// Before clean-up or a suspension ends anything, the API server is asked what there is: the cache may be behind. That is a look. It takes several calls, and a list may wait for
// 100 ms in the API server itself, until its own cache is as new as etcd. So no pass waits for a look: a pass begins one and ends. When the look is over it starts the next pass,
// which goes one step further by what was found. If the benchmark goes another way meanwhile, the look is dropped, because what it found may be outdated. A pass still reads by
// itself what measuring has to end, PersistentVolumes and StorageClasses, and what it has just made.

// look is a look at what a benchmark has.
type look struct {
	// ended is closed when the look is over. Volumes, and few claims, may still be on their way.
	ended chan struct{}
	found *found
	err   error
	// took is how long it took to ask.
	took time.Duration
	// drop ends the look. Whoever takes what was found drops the look afterwards.
	drop context.CancelFunc
}

// found is what a look has found. The zero value has nothing, so that all is read from the API server.
type found struct {
	children *childLists
	// childrenErr is why the look could not list them.
	childrenErr error
	claims      *answer[[]corev1.PersistentVolumeClaim]
	// volumes are those that the status knows, by their names, except those whose reads have failed.
	volumes *answer[map[string]*corev1.PersistentVolume]
	// changed are the names of volumes that were changed since.
	changed sync.Map
	// strays are known if straysErr is nil.
	strays    strays
	straysErr error
	// soughtAll says that this look has searched for all strays, and has taken nothing over from an earlier search.
	soughtAll bool
}

// childLists are a benchmark's Jobs and pods.
type childLists struct {
	jobs []*batchv1.Job
	pods []*corev1.Pod
}

// looked says whether this pass has what a look has found. It takes that from a look that is over. If it returns false the pass has to end: the look goes on, or the
// benchmark waits in line for one.
func (p *pass) looked(ctx context.Context) bool {
	switch {
	case p.taken != nil:
		return true
	case p.memory.look == nil:
		p.wantLook(ctx)
		return p.memory.look == nil && p.goesOnWithoutLook()
	case !p.memory.look.isOver():
		p.awaitsLook = true
		return false
	}
	p.takeLook(p.memory.look)
	return true
}

// errOthersLook says why a benchmark could not look.
var errOthersLook = fmt.Errorf("what is left could not be looked for in %s: other benchmarks take long to look", passPatience)

// goesOnWithoutLook says whether the benchmark has waited in line for as long as a look may take. Then the pass goes on, and meets an error where it needs what a look
// finds. The benchmark keeps its place in line.
func (p *pass) goesOnWithoutLook() bool {
	if p.now.Sub(p.memory.lookSince) < passPatience {
		return false
	}
	p.taken, p.found = &look{drop: func() {}}, &found{childrenErr: errOthersLook, straysErr: errOthersLook}
	return true
}

// takeLook has the pass go on by what a look has found.
func (p *pass) takeLook(l *look) {
	p.taken, p.memory.look, p.memory.lookSince = l, nil, time.Time{}
	if l.err != nil { // nothing is known
		p.found = &found{childrenErr: l.err, straysErr: l.err}
		return
	}
	p.found, p.memory.strays = l.found, l.found.strays
}

// wantLook begins a look, or has the benchmark wait in line for one. The pass has to end.
func (p *pass) wantLook(ctx context.Context) {
	p.awaitsLook = true
	if p.memory.lookSince.IsZero() {
		p.memory.lookSince = p.now.Time
	}
	if p.looks.take(client.ObjectKeyFromObject(p.sb), p.lookLimit()) {
		p.memory.look = p.beginLook(ctx)
	}
}

// isOver says whether the look has ended.
func (l *look) isOver() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// onceLooked takes a step by what a look has found, and returns what is left. looking says that nothing is found yet.
func (p *pass) onceLooked(ctx context.Context, step func(context.Context) ([]cleanup.Leftover, error)) (left []cleanup.Leftover, looking bool, err error) {
	if !p.looked(ctx) {
		return nil, true, nil
	}
	left, err = step(ctx)
	return left, false, err
}

// quietLook is how long a benchmark may wait for a look before users are told that clean-up has begun.
const quietLook = 2 * time.Second

// looksLong says whether the look that the pass waits for takes long.
func (s *scope) looksLong() bool { return s.now.Sub(s.memory.lookSince) >= quietLook }

// awaitLook ends a pass that waits for a look. The look starts the next pass. If it takes longer than quietLook, a pass comes before that, to tell users.
func (s *writer) awaitLook() outcome {
	if s.looksLong() {
		return awaitFor(passPatience)
	}
	return awaitFor(quietLook)
}

// lookTook is how long the look took that this pass has taken, zero if it has taken none.
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
	p.wantLook(ctx)
}

// endLook drops the look that this pass has taken. It drops the one in memory as well, unless the pass waits for it.
func (p *pass) endLook() {
	if p.taken != nil {
		p.taken.drop()
		p.taken = nil
	}
	if !p.awaitsLook {
		p.memory.dropLook()
	}
}

// beginLook begins a look. When that ends, it starts the next pass. This pass goes on beside it until it has saved what it knows. So the look has a copy of the
// benchmark, and only reads what else they share.
func (p *pass) beginLook(ctx context.Context) *look {
	ctx, drop := context.WithTimeout(context.WithoutCancel(ctx), passPatience)
	l := &look{ended: make(chan struct{}), found: &found{}, drop: drop}
	beside := &pass{Reconciler: p.Reconciler, found: l.found, writer: &writer{&scope{
		now: p.now, memory: &memory{strays: p.knownStrays()}, namespaces: p.namespaces, Children: p.Children, sb: p.sb.DeepCopy(),
	}}}
	beside.Benchmark = beside.sb
	go func() {
		began := p.Clock.Now()
		l.err = beside.look(ctx)
		l.took = p.Clock.Since(began)
		close(l.ended)
		p.turns.Recall(client.ObjectKeyFromObject(beside.sb))
	}()
	return l
}

// knownStrays returns the strays that a look need not search for. A look at a suspended benchmark that has nothing searches for all at once. Else another look
// would have to, before it is said that nothing is left.
func (p *pass) knownStrays() strays {
	isSuspended := !p.sb.Status.HasMeasured() && p.sb.DeletionTimestamp.IsZero()
	if isSuspended && len(p.Jobs)+len(p.Pods)+len(p.Anchors) == 0 {
		return strays{}
	}
	return p.memory.strays
}

// look reads Jobs and pods, and then searches for strays. Meanwhile it reads claims and volumes. Claims that have to be listed come last: lists take turns to read pages, and
// the search has little time.
func (p *pass) look(ctx context.Context) (err error) {
	defer catch(ctx, &err)
	if !p.namespaces.AreSet() { // else it sees no volumes
		known := volumes.Provisioned(p.sb)
		p.found.volumes = ask(ctx, func() (map[string]*corev1.PersistentVolume, error) { return p.readVolumes(ctx, known), nil })
	}
	claims := func() ([]corev1.PersistentVolumeClaim, error) { return p.readClaims(ctx) }
	if len(p.ClaimTargets) <= fewClaims {
		p.found.claims = ask(ctx, claims)
	}
	p.lookForChildren(ctx)
	if p.found.claims == nil {
		p.found.claims = ask(ctx, claims)
		_, _ = p.found.claims.wait() // after an error, whoever wants claims reads them
	}
	return nil
}

// lookForChildren lists Jobs and pods, and searches for strays after that: what loses its labels later is in the lists.
func (p *pass) lookForChildren(ctx context.Context) {
	listed, err := p.readChildren(ctx)
	if err != nil && ctx.Err() == nil { // it may be the last try
		listed, err = p.readChildren(ctx)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("what is left was looked for in vain for %s, the longest that it may take: check whether the API server is slow: %w", passPatience, err)
	}
	if err != nil {
		p.found.childrenErr, p.found.straysErr, p.found.strays = err, err, p.memory.strays
		return
	}
	p.found.children = &listed
	before := p.memory.strays
	p.found.straysErr = p.seekStrays(ctx)
	p.found.strays = p.memory.strays
	p.found.soughtAll = p.found.straysErr == nil && !before.sought && before.gone.Len() == 0
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
