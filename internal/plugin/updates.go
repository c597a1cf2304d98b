package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// update is a new state of a benchmark, or what keeps it from being known.
type update struct {
	benchmark *v1alpha1.StorageBenchmark
	err       error
}

// errGone is the update of a benchmark that does not exist, or no longer.
var errGone = errors.New("it does not exist, or was deleted")

// retryAfter is how long after the end of a watch, or after an error, the benchmark is read again.
const retryAfter = time.Second

// updates tells of a benchmark until the context ends: first of its state, then of each change. Errors do not end it.
func updates(ctx context.Context, c *cluster, key client.ObjectKey) <-chan update {
	all := make(chan update)
	send := func(u update) {
		select {
		case all <- u:
		case <-ctx.Done():
		}
	}
	go func() {
		defer close(all)
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if err := readAndWatch(ctx, c, key, send); err != nil {
				send(update{err: err})
			}
		}, retryAfter)
	}()
	return all
}

// readAndWatch tells of a benchmark until the watch ends, as it does every few minutes.
func readAndWatch(ctx context.Context, c *cluster, key client.ObjectKey, send func(update)) error {
	only := &client.ListOptions{Namespace: key.Namespace, FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, key.Name)}
	var found v1alpha1.StorageBenchmarkList
	if err := c.List(ctx, &found, only); err != nil {
		return explainMissing(err)
	}
	if len(found.Items) == 0 {
		return errGone
	}
	send(update{benchmark: &found.Items[0]})
	only.Raw = &metav1.ListOptions{ResourceVersion: found.ResourceVersion}
	changes, err := c.Watch(ctx, &v1alpha1.StorageBenchmarkList{}, only)
	if err != nil {
		return err
	}
	defer changes.Stop()
	for event := range changes.ResultChan() {
		switch event.Type {
		case watch.Added, watch.Modified:
			if benchmark, ok := event.Object.(*v1alpha1.StorageBenchmark); ok {
				send(update{benchmark: benchmark})
			}
		case watch.Deleted:
			return errGone
		case watch.Error:
			return fmt.Errorf("watch: %w", apierrors.FromObject(event.Object))
		case watch.Bookmark:
		}
	}
	return nil
}

// isFinal says whether an error will not go away.
func isFinal(err error) bool {
	return errors.Is(err, errGone) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
}

// removalMargin is how much longer than the benchmark's own deadline for clean-up it may take until it is gone.
const removalMargin = 2 * time.Minute

// untilGone waits until a benchmark that is being deleted does not exist any more. Another one of its name may exist.
func untilGone(ctx context.Context, c *cluster, one found) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var late <-chan time.Time
	for all := updates(ctx, c, one.ObjectKey); ; {
		select {
		case u, open := <-all:
			switch {
			case !open:
				return ctx.Err()
			case errors.Is(u.err, errGone), u.benchmark != nil && u.benchmark.UID != one.uid:
				return nil
			case isFinal(u.err):
				return u.err
			case u.benchmark != nil && late == nil:
				deadline := u.benchmark.Spec.Deadlines.CleanUpSeconds
				late = time.After(removalMargin + time.Duration(ptr.Deref(deadline, 600))*time.Second)
			}
		case <-late:
			return errors.New("it is still there; kubectl describe sb says what its deletion waits for")
		}
	}
}
