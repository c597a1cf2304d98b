package controllers

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A step of clean-up deletes several objects. It does not wait for each call, but for all at its end. The next pass looks whether what was deleted is gone.

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
