package controllers

import (
	"context"

	"k8s.io/client-go/util/workqueue"
)

// parallelCalls is how many calls to the API server a pass makes at the same time for the clients of a benchmark.
const parallelCalls = 16

// inParallel calls the function for each of the things, several at a time, and returns their errors in the order of
// the things. It is called for all of them, also when the context has ended.
func inParallel[T any](ctx context.Context, things []T, call func(T) error) []error {
	_, errs := gather(ctx, parallelCalls, things, func(thing T) (any, error) { return nil, call(thing) })
	return errs
}

// each returns what a function makes of each of the things.
func each[T, R any](things []T, of func(T) R) []R {
	results := make([]R, len(things))
	for i, thing := range things {
		results[i] = of(thing)
	}
	return results
}

// gather is inParallel with so many at a time, for a function that returns more than an error.
func gather[T, R any](ctx context.Context, atOnce int, things []T, call func(T) (R, error)) ([]R, []error) {
	results, errs := make([]R, len(things)), make([]error, len(things))
	workqueue.ParallelizeUntil(context.WithoutCancel(ctx), atOnce, len(things), func(i int) {
		defer catch(ctx, &errs[i]) // what is not caught where it happens ends the operator, for all
		results[i], errs[i] = call(things[i])
	})
	return results, errs
}
