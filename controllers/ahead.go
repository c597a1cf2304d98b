package controllers

import (
	"context"
	"errors"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/volumes"
)

// A step of clean-up looks at Jobs, pods, claims and volumes as the API server has them, and deletes some of each. Calls one after the other would take the time of
// all of them. So it asks for claims and volumes while it looks at Jobs and pods, and goes on while it deletes. The next pass looks whether what was deleted is gone.

// answers are what the API server was asked for in a step. The zero value has none: then it is asked when something is wanted.
type answers struct {
	children *childLists
	claims   *answer[[]corev1.PersistentVolumeClaim]
	// volumes are those that the status knows, by their names, except those whose reads have failed.
	volumes *answer[map[string]*corev1.PersistentVolume]
	// changed are the names of volumes that were changed since.
	changed sync.Map
}

// childLists are a benchmark's Jobs and pods.
type childLists struct {
	jobs []*batchv1.Job
	pods []*corev1.Pod
}

// answer is what will come of a call.
type answer[T any] struct {
	came  chan struct{}
	value T
	err   error
}

// ask makes a call while other things are done.
func ask[T any](ctx context.Context, call func() (T, error)) *answer[T] {
	a := &answer[T]{came: make(chan struct{})}
	go func() {
		defer close(a.came)
		defer catch(ctx, &a.err)
		a.value, a.err = call()
	}()
	return a
}

// wait returns what has come of the call, nothing if there was none.
func (a *answer[T]) wait() (value T, err error) {
	if a == nil {
		return value, nil
	}
	<-a.came
	return a.value, a.err
}

// askAhead asks for the claims and volumes that a step of clean-up looks at, and for Jobs, pods, and what has lost labels, which it waits for. Claims that have to be listed
// are not asked for: the list would take turns with the search for what has lost labels, which has little time.
func (p *pass) askAhead(ctx context.Context) {
	p.asked.children = nil
	if !p.namespaces.AreSet() { // else it sees no volumes
		known := volumes.Provisioned(p.sb)
		p.asked.volumes = ask(ctx, func() (map[string]*corev1.PersistentVolume, error) { return p.readVolumes(ctx, known), nil })
	}
	if len(p.ClaimTargets) <= fewClaims {
		p.asked.claims = ask(ctx, func() ([]corev1.PersistentVolumeClaim, error) { return p.readClaims(ctx) })
	}
	// What fails is asked for once more by whoever wants it.
	if listed, err := p.readChildren(ctx); err == nil {
		p.asked.children = &listed
		_ = p.seekStrays(ctx) // after the lists: what loses its labels later is in these
	}
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
func (a *answers) drop() {
	_, _ = a.claims.wait()
	_, _ = a.volumes.wait()
	a.claims, a.volumes = nil, nil
	a.changed.Clear()
}

// volume returns a volume that was asked for and has not been changed since. It is nil if the volume has to be read.
func (a *answers) volume(name string) *corev1.PersistentVolume {
	if _, changed := a.changed.Load(name); changed {
		return nil
	}
	all, _ := a.volumes.wait()
	return all[name]
}

// deletion is an object that is to be deleted.
type deletion struct {
	// kind is what an error calls it by, before its name.
	kind    string
	object  client.Object
	options []client.DeleteOption
}

// deletions are those that are under way in a step, in the order in which they began.
type deletions []*answer[any]

// wait waits for all of them, and returns their errors.
func (d deletions) wait() error {
	var errs []error
	for _, one := range d {
		_, err := one.wait()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// deleteAll deletes objects. In a step of clean-up, which waits for them at its end, it returns at once.
func (p *pass) deleteAll(ctx context.Context, all []deletion) error {
	calls := func() (any, error) {
		return nil, errors.Join(inParallel(ctx, all, func(d deletion) error { return p.deleteObject(ctx, d) })...)
	}
	if p.deletions == nil {
		_, err := calls()
		return err
	}
	*p.deletions = append(*p.deletions, ask(ctx, calls))
	return nil
}

// deleteObject deletes an object, unless that is under way.
func (p *pass) deleteObject(ctx context.Context, d deletion) error {
	if !d.object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	err := p.Client.Delete(ctx, d.object, append(d.options, client.Preconditions{UID: new(d.object.GetUID())})...)
	return unlessGone(err, "delete "+d.kind+d.object.GetName())
}
