// Package await is how tests wait: it looks again and again until nothing is amiss, for as long as all tests are patient, and says
// what was waited for, for how long, and what was still amiss.
package await

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// Patience is how long a test waits for what has to happen, on a machine that may have much else to do.
	Patience = 5 * time.Minute
	// interval is the time between two looks.
	interval = 50 * time.Millisecond
)

// Wait says how something is waited for. The zero value serves most tests.
type Wait struct {
	// For is what is waited for, as in "waited 5m0s for the API server to answer: ...". It may be left out where the check's error tells.
	For string
	// Patience ends the wait. A test that has one of its own says why.
	Patience time.Duration
	// Interval is the time between two looks.
	Interval time.Duration
	// Changed returns what is closed by the next change, after which it is looked at once.
	Changed func() <-chan struct{}
	// Describe says how things are where the wait was in vain.
	Describe func() string
}

// Holds waits until a check has nothing to say against what it sees, and ends the test if that takes too long.
func Holds(t testing.TB, check func() error) {
	t.Helper()
	Wait{}.Holds(t, check)
}

// Holds waits until the check has nothing to say against what it sees, and ends the test if that takes too long.
func (w Wait) Holds(t testing.TB, check func() error) {
	t.Helper()
	if err := w.Until(t.Context(), func(context.Context) error { return check() }); err != nil {
		t.Fatal(err)
	}
}

// Until waits until the check has nothing to say against what it sees. A check that has called Final is not asked again.
func (w Wait) Until(ctx context.Context, check func(context.Context) error) error {
	began := time.Now()
	var amiss error
	// Each look waits by itself for a reason for the next one, so the poll need not.
	err := wait.PollUntilContextTimeout(ctx, 0, cmp.Or(w.Patience, Patience), true, func(ctx context.Context) (bool, error) {
		changed := w.changed() // before the look, so that no change after it is missed
		err := check(ctx)
		if err == nil {
			return true, nil
		}
		if amiss == nil || ctx.Err() == nil { // that a call ended with the wait tells nothing
			amiss = err
		}
		if end, ok := errors.AsType[finalError](err); ok {
			return false, end
		}
		select {
		case <-changed:
		case <-time.After(cmp.Or(w.Interval, interval)):
		case <-ctx.Done():
		}
		return false, nil
	})
	if err == nil {
		return nil
	}
	if _, ended := errors.AsType[finalError](err); ended {
		return w.inVain(time.Since(began), amiss)
	}
	if ctx.Err() != nil {
		return w.inVain(time.Since(began), fmt.Errorf("%w; before that: %w", context.Cause(ctx), amiss))
	}
	// Nobody has looked while the machine stood still.
	if amiss = check(ctx); amiss == nil {
		return nil
	}
	return w.inVain(time.Since(began), amiss)
}

// inVain is the error of a wait.
func (w Wait) inVain(took time.Duration, amiss error) error {
	what, description := "", ""
	if w.For != "" {
		what = " for " + w.For
	}
	if w.Describe != nil {
		description = ", with " + w.Describe()
	}
	return fmt.Errorf("waited %s%s: %w%s", took.Round(time.Second), what, amiss, description)
}

// changed returns what is closed by the next change, or nil, which never is.
func (w Wait) changed() <-chan struct{} {
	if w.Changed == nil {
		return nil
	}
	return w.Changed()
}

// finalError is one that no patience mends.
type finalError struct{ error }

// Unwrap returns what the check has said.
func (f finalError) Unwrap() error { return f.error }

// Final makes an error end the wait at once. Of no error it makes none.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

var errNotYet = errors.New("it is not so")

// Condition makes a check of a condition as apimachinery has them: one that is false is asked again, as is one with a transient error. Another error
// ends the wait.
func Condition(done wait.ConditionWithContextFunc) func(context.Context) error {
	return func(ctx context.Context) error {
		ok, err := done(ctx)
		if IsTransient(err) {
			return err
		}
		if err != nil {
			return Final(err)
		}
		if !ok {
			return errNotYet
		}
		return nil
	}
}
