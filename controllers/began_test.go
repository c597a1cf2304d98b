package controllers

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/attempt"
)

// A pod is made at noon and runs a minute later. Whatever its node's clock says, its deadline counts from then.
func TestBeginningByTheOperatorsClock(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "pod", CreationTimestamp: metav1.NewTime(noon)}}
	began := noon.Add(time.Minute)
	for name, test := range map[string]struct {
		// said is what the node says of the beginning.
		said time.Time
		// isNew reports whether the operator was started when the pod ran already, half a minute after it began.
		isNew bool
		want  time.Time
	}{
		"a node with the right time":                        {began, false, began},
		"a node that is behind":                             {began.Add(-3 * time.Minute), false, began},
		"a node that is ahead":                              {began.Add(24 * time.Hour), false, began},
		"a new operator and a node with the right time":     {began, true, began},
		"a new operator and a node that is behind":          {began.Add(-3 * time.Minute), true, noon},
		"a new operator and a node that is ahead":           {began.Add(24 * time.Hour), true, began.Add(30 * time.Second)},
		"a new operator and a node that is a little behind": {began.Add(-10 * time.Second), true, began.Add(-10 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			memory, at := pass.Beginnings{}, began.Add(30*time.Second)
			see := func(state attempt.State, now time.Time) attempt.State {
				next := pass.Beginnings{}
				state = next.Note(memory, pod, state, now)
				memory = next
				return state
			}
			running := attempt.State{Phase: attempt.Measuring, Began: test.said}
			if !test.isNew {
				see(attempt.State{Phase: attempt.Starting}, noon)
				at = began
			}
			for _, later := range []time.Duration{0, time.Minute, time.Hour} {
				if got := see(running, at.Add(later)).Began; !got.Equal(test.want) {
					t.Errorf("%s after it was seen, it began at %s, want %s", later, got, test.want)
				}
			}
		})
	}
}
