package world

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DeleteAll deletes objects. kind is what an error calls them by, before their names.
func DeleteAll[O client.Object](
	ctx context.Context, c client.Writer, kind string, objects []O, options ...client.DeleteOption,
) error {
	return errors.Join(InParallel(ctx, objects, func(object O) error {
		return DeleteObject(ctx, c, kind, object, options...)
	})...)
}

// DeleteObject deletes an object, unless that is under way.
func DeleteObject(
	ctx context.Context, c client.Writer, kind string, object client.Object, options ...client.DeleteOption,
) error {
	if !object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	options = append([]client.DeleteOption{client.Preconditions{UID: new(object.GetUID())}}, options...)
	return UnlessGone(c.Delete(ctx, object, options...), "delete "+kind+object.GetName())
}
