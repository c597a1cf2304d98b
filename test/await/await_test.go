package await

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// world is what a wait looks at: so many looks find something amiss.
type world struct {
	amiss int
	looks int
	err   error
}

func (w *world) check(context.Context) error {
	w.looks++
	if w.looks <= w.amiss {
		return fmt.Errorf("look %d: %w", w.looks, w.err)
	}
	return nil
}

func TestUntil(t *testing.T) {
	const always = 1 << 30
	for name, test := range map[string]struct {
		wait  Wait
		amiss int
		err   error
		want  string
		looks int
		took  time.Duration
	}{
		"at once":                 {looks: 1},
		"after looks":             {amiss: 3, looks: 4, took: 3 * interval},
		"at an interval":          {wait: Wait{Interval: time.Second}, amiss: 3, looks: 4, took: 3 * time.Second},
		"never":                   {wait: Wait{Interval: 7 * time.Second}, amiss: always, want: "waited 5m0s: look 44: EOF", looks: 44, took: Patience},
		"never, and says of what": {wait: Wait{For: "the end", Interval: 40 * time.Second}, amiss: always, want: "waited 5m0s for the end: look 9: EOF", looks: 9, took: Patience},
		"another patience":        {wait: Wait{Patience: 90 * time.Second, Interval: time.Minute}, amiss: always, want: "waited 1m30s: look 3: EOF", looks: 3, took: 90 * time.Second},
		"never, and describes":    {wait: Wait{Interval: 7 * time.Second, Describe: func() string { return "pods a, b" }}, amiss: always, want: "waited 5m0s: look 44: EOF, with pods a, b", looks: 44, took: Patience},
		"at the last look":        {wait: Wait{Interval: 7 * time.Second}, amiss: 43, looks: 44, took: Patience},
		"what no patience mends":  {wait: Wait{For: "the end"}, amiss: always, err: Final(io.EOF), want: "waited 0s for the end: look 1: EOF", looks: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				seen := &world{amiss: test.amiss, err: test.err}
				if seen.err == nil {
					seen.err = io.EOF
				}
				err := test.wait.Until(t.Context(), seen.check)
				if got := text(err); got != test.want || (err != nil && !errors.Is(err, io.EOF)) {
					t.Errorf("error %q, want %q", got, test.want)
				}
				if took := time.Since(began); seen.looks != test.looks || took != test.took {
					t.Errorf("%d looks in %s, want %d in %s", seen.looks, took, test.looks, test.took)
				}
			})
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A change is looked at when it comes, also one that comes during a look.
func TestChangesAreLookedAt(t *testing.T) {
	for name, after := range map[string]time.Duration{"later": time.Second, "during the look": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, changed, looks := time.Now(), make(chan struct{}), 0
				w := Wait{Interval: time.Minute, Changed: func() <-chan struct{} { return changed }}
				w.Holds(t, func() error {
					looks++
					if looks > 1 {
						return nil
					}
					before := changed
					tell := func() {
						changed = make(chan struct{})
						close(before)
					}
					if after == 0 {
						tell()
					} else {
						time.AfterFunc(after, tell)
					}
					return io.EOF
				})
				if took := time.Since(began); took != after {
					t.Errorf("it took %s, want %s", took, after)
				}
			})
		})
	}
}

// What ends the context is told with what was amiss, and not what calls say that ended with it.
func TestUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Second, errors.New("over budget"))
		defer cancel()
		first := true
		err := Wait{For: "an answer"}.Until(ctx, func(ctx context.Context) error {
			if first {
				first = false
				return io.EOF
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if got, want := text(err), "waited 3s for an answer: over budget; before that: EOF"; got != want {
			t.Errorf("error %q, want %q", got, want)
		}
	})
}

func TestCondition(t *testing.T) {
	for name, test := range map[string]struct {
		done bool
		err  error
		want string
	}{
		"true":                       {done: true},
		"false":                      {want: "waited 5m0s: it is not so"},
		"error":                      {err: io.EOF, want: "waited 0s: EOF"},
		"an API server that is away": {err: syscall.ECONNREFUSED, want: "waited 5m0s: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := Wait{}.Until(t.Context(), Condition(func(context.Context) (bool, error) { return test.done, test.err }))
				if got := text(err); got != test.want {
					t.Errorf("error %q, want %q", got, test.want)
				}
			})
		})
	}
	if err := Final(nil); err != nil {
		t.Errorf("no error is made %v", err)
	}
}
