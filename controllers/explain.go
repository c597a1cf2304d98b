package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/legible"
)

// explain says why a pod does not run yet, in the words of whoever is asked for it. Where there is no pod,
// those who were asked for the Job's tell.
func (p *pass) explain(ctx context.Context, job types.UID, pod *corev1.Pod) (string, error) {
	about, otherwise := job, "waiting for the pod to be created"
	if pod != nil {
		if message := attempt.StartMessage(pod); message != "" {
			return message, nil
		}
		about, otherwise = pod.UID, "the pod is being started"
	}
	said, err := p.lastWarning(ctx, about)
	if pod != nil && pod.Spec.NodeName != "" && said.reason == failedScheduling {
		return otherwise, err // it has a node by now
	}
	return cmp.Or(attempt.ExplainWarning(said.text), otherwise), err
}

const (
	// failedScheduling is the reason of the scheduler's events about pods that find no node.
	failedScheduling = "FailedScheduling"
	// maxReason is the most bytes of a reason, as of those that the API server bounds.
	maxReason = 128
)

// explainClaim says why a claim is not bound yet. The driver's own words come first; a volume that is made
// only when its pod has been scheduled may wait for a pod that cannot be.
func (p *pass) explainClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod) (string, error) {
	said, err := p.lastWarning(ctx, claim.UID)
	return cmp.Or(said.text, attempt.StartMessage(pod), fmt.Sprintf("claim %s is not bound yet", claim.Name)), err
}

// warning is what the events about an object said, and until when they are not asked again.
type warning struct {
	about types.UID
	said  latest
	until time.Time
}

// lastWarning returns what the latest Warning event about an object said, or nothing. One that only tells that a pod is new gives way to any other.
// Events are asked for only while something waits, so they are not cached.
// A list is followed by a rest: in a namespace of many pods the API server reads many events for it.
func (p *pass) lastWarning(ctx context.Context, about types.UID) (latest, error) {
	if last := p.memory.warning; p.now.Time.Before(last.until) {
		if last.about != about {
			return latest{}, nil
		}
		return last.said, nil
	}
	asked := p.Clock.Now() // not when the pass began: what counts is how long the call takes
	said, err := p.askForWarning(ctx, about)
	now := p.Clock.Now()
	p.memory.warning = warning{about: about, said: said, until: now.Add(restFactor * now.Sub(asked))} // also of a call that failed
	if errors.Is(err, errBusy) {
		return latest{}, nil // the wait goes on without words about it
	}
	return said, err
}

// eventPatience is how long a pass waits for its turn to read events, which only say more of what goes on anyway.
const eventPatience = 2 * time.Second

func (p *pass) askForWarning(ctx context.Context, about types.UID) (latest, error) {
	selector := fields.AndSelectors(
		fields.OneTermEqualSelector("involvedObject.uid", string(about)),
		fields.OneTermEqualSelector("type", corev1.EventTypeWarning))
	var ofNewPod, other latest
	err := eachLive(ctx, p.Live, eventPatience, func() client.ObjectList { return &corev1.EventList{} }, func(event *corev1.Event) {
		if attempt.IsOfNewPod(event.Message) {
			ofNewPod.add(event)
		} else {
			other.add(event)
		}
	}, client.InNamespace(p.sb.Namespace), client.MatchingFieldsSelector{Selector: selector})
	if err != nil {
		return latest{}, fmt.Errorf("list events: %w", err)
	}
	return cmp.Or(other, ofNewPod), nil
}

// latest is what the latest of some events said, with its reason before it, and when.
type latest struct {
	reason, text string
	at           time.Time
}

func (l *latest) add(event *corev1.Event) {
	if at := eventTime(event); !at.Before(l.at) {
		*l = latest{reason: legible.Fit(event.Reason, maxReason), text: legible.Fit(event.Reason+": "+event.Message, maxConditionMessage), at: at}
	}
}

// eventTime returns when an event was last seen, whichever of the two event APIs it was written with.
func eventTime(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	default:
		return e.CreationTimestamp.Time
	}
}
