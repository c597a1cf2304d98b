package controllers

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/volumes"
)

// A step of clean-up looks at Jobs, pods, claims and volumes as the API server has them, and deletes some of each. Calls one after the other would take the time of
// all of them. So it asks for what it looks at before it begins, at the same time, and makes its deletions at its end. The next pass looks whether what was
// deleted is gone.

// answers are what the API server has answered. The zero value has none: then it is asked when something is wanted.
type answers struct {
	children *answer[childLists]
	claims   *answer[[]corev1.PersistentVolumeClaim]
	// volumes are those that the status knows, by their names.
	volumes map[string]*answer[*corev1.PersistentVolume]
}

// answer is what the API server has answered once.
type answer[T any] struct {
	value T
	err   error
}

// answered keeps what was answered.
func answered[T any](value T, err error) *answer[T] { return &answer[T]{value, err} }

// childLists are a benchmark's Jobs and pods.
type childLists struct {
	jobs []*batchv1.Job
	pods []*corev1.Pod
}

// askAhead asks for what a step of clean-up looks at. What fails is told to whoever wants it.
func (p *pass) askAhead(ctx context.Context) {
	p.asked = answers{}
	inParallel(ctx, []func() error{
		func() error {
			p.asked.children = answered(p.readChildren(ctx))
			return p.seekStrays(ctx) // after the lists: what loses its labels later is in these
		},
		func() error {
			p.asked.claims = answered(p.liveClaims(ctx))
			return nil
		},
		func() error {
			p.asked.volumes = p.readVolumes(ctx)
			return nil
		},
	}, func(ask func() error) error { return ask() })
}

// readVolumes returns the volumes that the status knows to be made for the benchmark, by their names. A namespaced operator sees none.
func (p *pass) readVolumes(ctx context.Context) map[string]*answer[*corev1.PersistentVolume] {
	if p.namespaces.AreSet() {
		return nil
	}
	known := volumes.Provisioned(p.sb)
	read, errs := gather(ctx, parallelCalls, known, func(volume v1alpha1.VolumeStatus) (*corev1.PersistentVolume, error) {
		return p.readVolume(ctx, volume.Name, "get volume "+volume.Name)
	})
	all := make(map[string]*answer[*corev1.PersistentVolume], len(known))
	for i, volume := range known {
		all[volume.Name] = answered(read[i], errs[i])
	}
	return all
}

// deletion is an object that is to be deleted.
type deletion struct {
	// kind is what an error calls it by, before its name.
	kind    string
	object  client.Object
	options []client.DeleteOption
}

// deleteAll deletes objects, at the end of the step of clean-up if one is under way.
func (p *pass) deleteAll(ctx context.Context, all []deletion) error {
	if p.deletions != nil {
		*p.deletions = append(*p.deletions, all...)
		return nil
	}
	return errors.Join(inParallel(ctx, all, func(d deletion) error { return p.deleteObject(ctx, d) })...)
}

// deleteObject deletes an object, unless that is under way.
func (p *pass) deleteObject(ctx context.Context, d deletion) error {
	if !d.object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	err := p.Client.Delete(ctx, d.object, append(d.options, client.Preconditions{UID: new(d.object.GetUID())})...)
	return unlessGone(err, "delete "+d.kind+d.object.GetName())
}
