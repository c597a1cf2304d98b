package controllers

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// explain says why the pod of an attempt does not run yet, in the words of whoever is asked for it.
func (s *scope) explain(ctx context.Context, j *batchv1.Job, pod *corev1.Pod, seen observation) (string, error) {
	about := j.UID
	if pod != nil {
		if startMessage(pod) != "" {
			return seen.message, nil
		}
		about = pod.UID
	}
	warning, err := s.lastWarning(ctx, about)
	if err != nil || warning != "" {
		return warning, err
	}
	return orElse(seen.message, "the pod is being started"), nil
}

// explainClaim says why a claim is not bound yet. The driver's own words come first; a volume that is made
// only when its pod has been scheduled may wait for a pod that cannot be.
func (s *scope) explainClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod) (string, error) {
	warning, err := s.lastWarning(ctx, claim.UID)
	if err != nil || warning != "" {
		return warning, err
	}
	if pod != nil {
		if message := startMessage(pod); message != "" {
			return message, nil
		}
	}
	return fmt.Sprintf("claim %s is not bound yet", claim.Name), nil
}

// lastWarning returns the message of the latest Warning event about an object, or nothing. Events are few
// and asked for only while something waits, so they are not cached.
func (s *scope) lastWarning(ctx context.Context, about types.UID) (string, error) {
	var events corev1.EventList
	selector := fields.AndSelectors(
		fields.OneTermEqualSelector("involvedObject.uid", string(about)),
		fields.OneTermEqualSelector("type", corev1.EventTypeWarning))
	err := s.Live.List(ctx, &events, client.InNamespace(s.sb.Namespace), client.MatchingFieldsSelector{Selector: selector})
	if err != nil {
		return "", fmt.Errorf("list events: %w", err)
	}
	message, latest := "", time.Time{}
	for i := range events.Items {
		if at := eventTime(&events.Items[i]); !at.Before(latest) {
			message, latest = events.Items[i].Reason+": "+events.Items[i].Message, at
		}
	}
	return message, nil
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
