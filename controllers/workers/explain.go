package workers

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

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Explain says why a pod does not run yet, in the words of the pod's status, or else of the latest warning about it.
// Where there is no pod, it has the words of the latest warning about the Job.
func Explain(ctx context.Context, p *pass.Pass, job types.UID, pod *corev1.Pod) (string, error) {
	about, otherwise := job, "waiting for the pod to be created"
	if pod != nil {
		if message := attempt.StartMessage(pod); message != "" {
			return message, nil
		}
		about, otherwise = pod.UID, "the pod is being started"
	}
	said, err := LastWarning(ctx, p, about)
	if pod != nil && pod.Spec.NodeName != "" && said.Reason == failedScheduling {
		return otherwise, err // it has a node by now
	}
	return cmp.Or(attempt.ExplainWarning(said.Text), otherwise), err
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

// LastWarning returns what the latest Warning event about an object said, or nothing. An event that only tells that a
// pod is new gives way to all others. A claim without a warning tells who is asked for its volume, in an event that is
// Normal.
// Events are asked for only while something waits, so they are not cached.
// A list is followed by a rest: in a namespace of many pods the API server reads many events for it.
func LastWarning(ctx context.Context, p *pass.Pass, about types.UID) (pass.Latest, error) {
	if last := p.Memory.Warning; p.Now.Time.Before(last.Until) {
		if last.About != about {
			return pass.Latest{}, nil
		}
		return last.Said, nil
	}
	asked := p.World.Clock.Now() // not when the pass began: what counts is how long the call takes
	said, err := askForWarning(ctx, p, about)
	now := p.World.Clock.Now()
	// The pause until the next call also follows a call that failed.
	p.Memory.Warning = pass.Warning{About: about, Said: said, Until: now.Add(pass.RestFactor * now.Sub(asked))}
	if errors.Is(err, world.ErrBusy) {
		return pass.Latest{}, nil // the wait goes on without words about it
	}
	return said, err
}

// EventPatience is how long a pass waits for its turn to read events, which only say more of what goes on anyway.
const EventPatience = 2 * time.Second

func askForWarning(ctx context.Context, p *pass.Pass, about types.UID) (pass.Latest, error) {
	selector := fields.OneTermEqualSelector("involvedObject.uid", string(about))
	var ofNewPod, asked, other pass.Latest
	empty := func() client.ObjectList { return &corev1.EventList{} }
	err := world.EachLive(ctx, p.World.Live, EventPatience, empty, func(event *corev1.Event) error {
		switch {
		case event.Reason == externalProvisioning:
			keepLatest(&asked, event)
		case event.Type == corev1.EventTypeNormal:
		case attempt.IsOfNewPod(event.Message):
			keepLatest(&ofNewPod, event)
		default:
			keepLatest(&other, event)
		}
		return nil
	}, client.InNamespace(p.SB.Namespace), client.MatchingFieldsSelector{Selector: selector})
	if err != nil {
		return pass.Latest{}, fmt.Errorf("list events: %w", err)
	}
	return cmp.Or(other, ofNewPod, asked), nil
}

// keepLatest replaces what an event says by what a later one says.
func keepLatest(l *pass.Latest, event *corev1.Event) {
	if at := EventTime(event); !at.Before(l.At) {
		*l = pass.Latest{
			Reason: humanize.Fit(event.Reason, maxReason),
			Text:   humanize.Fit(event.Reason+": "+event.Message, world.MaxConditionMessage),
			At:     at,
		}
	}
}

// EventTime returns when an event was last seen, whichever of the two event APIs it was written with.
func EventTime(e *corev1.Event) time.Time {
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
