package watches

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
)

// cluster is a cluster at a version, and an informer that has reached one.
type cluster struct {
	reached, current string
	err              error
}

func (c *cluster) HasSynced() bool                 { return c.reached != "" }
func (c *cluster) LastSyncResourceVersion() string { return c.reached }

func (c *cluster) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: c.current}}, c.err
}

func TestCheck(t *testing.T) {
	type step struct {
		after            time.Duration
		reached, current string
		err              error
		broken           string
	}
	const minute = time.Minute
	for name, steps := range map[string][]step{
		"an informer that follows":    {{0, "10", "11", nil, ""}, {minute, "11", "20", nil, ""}, {Patience, "20", "30", nil, ""}, {Patience, "30", "30", nil, ""}},
		"one that is late":            {{0, "10", "20", nil, ""}, {Patience - minute, "10", "30", nil, ""}, {minute - 1, "20", "40", nil, ""}, {minute, "30", "50", nil, ""}},
		"nothing changes":             {{0, "10", "10", nil, ""}, {time.Hour, "10", "10", nil, ""}},
		"one that hears nothing":      {{0, "10", "20", nil, ""}, {Patience, "10", "30", nil, "has delivered nothing for 5m0s"}, {minute, "10", "30", nil, "for 6m0s"}},
		"one that hears again":        {{0, "10", "20", nil, ""}, {Patience, "10", "30", nil, "has delivered nothing"}, {minute, "30", "30", nil, ""}},
		"an etcd that was restored":   {{0, "10", "20", nil, ""}, {minute, "30", "15", nil, "restored to an earlier state"}},
		"one that has not synced":     {{0, "", "20", nil, ""}, {time.Hour, "", "30", nil, ""}},
		"an API server that is away":  {{0, "10", "20", nil, ""}, {Patience, "10", "", errors.New("refused"), ""}},
		"versions that are no number": {{0, "a", "b", nil, ""}, {time.Hour, "a", "c", nil, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
			check, c := &Check{Clock: clock}, &cluster{}
			check.Add("pods", c, c)
			for i, step := range steps {
				clock.Step(step.after)
				c.reached, c.current, c.err = step.reached, step.current, step.err
				check.Compare(t.Context())
				err := check.Live(nil)
				if (err == nil) != (step.broken == "") || err != nil && !strings.Contains(err.Error(), step.broken) {
					t.Errorf("step %d: the error is %v, want %q", i, err, step.broken)
				}
			}
		})
	}
}
