package world

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

// ParallelCalls is how many calls to the API server a pass makes at the same time for the clients of a benchmark.
const ParallelCalls = 16

// InParallel calls the function for each of the things, several at a time, and returns their errors in the order of
// the things. It is called for all of them, also when the context has ended.
func InParallel[T any](ctx context.Context, things []T, call func(T) error) []error {
	_, errs := Gather(ctx, ParallelCalls, things, func(thing T) (any, error) { return nil, call(thing) })
	return errs
}

// Each returns what a function makes of each of the things.
func Each[T, R any](things []T, of func(T) R) []R {
	results := make([]R, len(things))
	for i, thing := range things {
		results[i] = of(thing)
	}
	return results
}

// Gather is inParallel with so many at a time, for a function that returns more than an error.
func Gather[T, R any](ctx context.Context, atOnce int, things []T, call func(T) (R, error)) ([]R, []error) {
	results, errs := make([]R, len(things)), make([]error, len(things))
	workqueue.ParallelizeUntil(context.WithoutCancel(ctx), atOnce, len(things), func(i int) {
		defer Catch(ctx, &errs[i]) // what is not caught where it happens ends the operator, for all
		results[i], errs[i] = call(things[i])
	})
	return results, errs
}

// ErrFault is a fault in the operator itself. It is an error like others: it has a deadline, and users are told.
var ErrFault = errors.New("fault in the operator, please report it with its log")

// Catch makes an error of a panic. Defer it in the goroutine that may panic.
func Catch(ctx context.Context, err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("%w: %v", ErrFault, fault)
		ctrl.LoggerFrom(ctx).Error(*err, "A pass ended in a fault", "stack", string(debug.Stack()))
	}
}
