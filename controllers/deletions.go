package controllers

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A step of clean-up deletes several objects. It does not wait for each call, but for all at its end. The next pass looks whether what was deleted is gone.

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

// deleteAll deletes objects. In a step of clean-up, which waits for them at its end, it returns at once. kind is what an error calls them by, before their names.
func deleteAll[O client.Object](ctx context.Context, p *pass, kind string, objects []O, options ...client.DeleteOption) error {
	calls := func() (any, error) {
		return nil, errors.Join(inParallel(ctx, objects, func(object O) error { return p.deleteObject(ctx, kind, object, options...) })...)
	}
	if p.deletions == nil {
		_, err := calls()
		return err
	}
	*p.deletions = append(*p.deletions, ask(ctx, calls))
	return nil
}

// deleteObject deletes an object, unless that is under way.
func (p *pass) deleteObject(ctx context.Context, kind string, object client.Object, options ...client.DeleteOption) error {
	if !object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	err := p.Client.Delete(ctx, object, append([]client.DeleteOption{client.Preconditions{UID: new(object.GetUID())}}, options...)...)
	return unlessGone(err, "delete "+kind+object.GetName())
}
