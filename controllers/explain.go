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
	// externalProvisioning is the reason of Kubernetes' events about claims whose volume it has asked a provisioner
	// for.
	externalProvisioning = "ExternalProvisioning"
	// maxReason is the most bytes of a reason, as of those that the API server bounds.
	maxReason = 128
)

// warning is what the events about an object said, and until when they are not asked again.
type warning struct {
	about types.UID
	said  latest
	until time.Time
}

// lastWarning returns what the latest Warning event about an object said, or nothing. An event that only tells that a
// pod is new gives way to all others. A claim without a warning tells who is asked for its volume, in an event that is
// Normal.
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
	selector := fields.OneTermEqualSelector("involvedObject.uid", string(about))
	var ofNewPod, asked, other latest
	err := eachLive(ctx, p.Live, eventPatience, func() client.ObjectList { return &corev1.EventList{} }, func(event *corev1.Event) error {
		switch {
		case event.Reason == externalProvisioning:
			asked.add(event)
		case event.Type == corev1.EventTypeNormal:
		case attempt.IsOfNewPod(event.Message):
			ofNewPod.add(event)
		default:
			other.add(event)
		}
		return nil
	}, client.InNamespace(p.sb.Namespace), client.MatchingFieldsSelector{Selector: selector})
	if err != nil {
		return latest{}, fmt.Errorf("list events: %w", err)
	}
	return cmp.Or(other, ofNewPod, asked), nil
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
