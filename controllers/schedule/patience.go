package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/failing"
)

// The API server waits for a webhook for 30 s at most. So each of these is longer: a webhook that may be ignored when
// it does not answer holds a call up, and does not fail it.
const (
	// passPatience is how long a pass may take, without the write of the status. Few workers make passes.
	passPatience = 70 * time.Second
	// startPatience is how much of it a start may take, so that there is time left for the history.
	startPatience = 35 * time.Second
	// savePatience is how long the write of the status may take.
	savePatience = 35 * time.Second
	// wholePatience is how long a call of Reconcile may take, with what it reads first.
	wholePatience = passPatience + savePatience + 15*time.Second
)

// longError is the reason for which a step was ended that took too long.
type longError struct {
	what     string
	patience time.Duration
}

// Error implements error.
func (e longError) Error() string {
	return fmt.Sprintf("%s was ended after %s, the longest that it may take: "+
		"check whether the API server or an admission webhook is slow", e.what, e.patience)
}

// within bounds the time of a step.
func within(ctx context.Context, patience time.Duration, what string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, patience, longError{what, patience})
}

// explained returns an error with the reason for which its context had ended, if it had.
func explained(ctx context.Context, err error) error {
	var long longError
	if err == nil || !errors.As(context.Cause(ctx), &long) {
		return err
	}
	return fmt.Errorf("%w: %w", long, err)
}

// startInTime makes the StorageBenchmark of a start that is due, unless that takes too long.
func startInTime(ctx context.Context, p *pass) (time.Duration, error) {
	ctx, cancel := within(ctx, startPatience, "the start")
	defer cancel()
	began := time.Now() // what it costs the machine, whatever the clock says
	after, err := start(ctx, p)
	p.startTook = time.Since(began)
	return after, explained(ctx, err)
}

// saveInTime writes the status, unless that takes too long.
func saveInTime(ctx context.Context, p *pass) error {
	ctx, cancel := within(ctx, savePatience, "the write of the status")
	defer cancel()
	return explained(ctx, save(ctx, p))
}

const (
	// quick is how long a pass may take, and fail, without any consequence beside the usual wait.
	quick = 5 * time.Second
	// restFactor is how many times as long as a slower one took nothing is tried again, but for a change of the schedule
	// or of its StorageBenchmarks, and maxRest how long at most.
	restFactor = 10
	maxRest    = 10 * time.Minute
)

// retries decide when a pass that failed is made again: later the longer it took, as where a webhook does not answer.
type retries struct {
	workqueue.TypedRateLimiter[reconcile.Request]
	rest func(types.NamespacedName) time.Duration
}

// When implements TypedRateLimiter.
func (r retries) When(request reconcile.Request) time.Duration {
	return max(r.TypedRateLimiter.When(request), r.rest(request.NamespacedName))
}

// noteEnd notes how a pass ended that took a time. A start that is due does not wait until something else that failed
// is tried again.
func noteEnd(p *pass, took time.Duration, err error) {
	name := client.ObjectKeyFromObject(p.schedule)
	p.memory.rest = 0
	if err == nil && p.schedule.Status.Condition(v1alpha1.ConditionHistoryKept).Status != metav1.ConditionFalse {
		p.Failing.Succeeded(failing.Schedule, name)
		return
	}
	p.Failing.Failed(failing.Schedule, name)
	if p.memory.rest = restAfter(took); p.memory.failed.err != nil {
		return
	}
	if next := p.schedule.Status.NextScheduleTime; next != nil && next.After(p.now) {
		p.memory.rest = min(p.memory.rest, next.Sub(p.now))
	}
}

// restAfter returns how long to wait at least after something that failed and took a time.
func restAfter(took time.Duration) time.Duration {
	if took <= quick {
		return 0
	}
	return min(restFactor*took, maxRest)
}
