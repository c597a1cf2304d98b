package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
)

// events returns how often users were told of a schedule for a reason, and the last words of that.
func (w *testWorld) events(s *v1alpha1.StorageBenchmarkSchedule, reason string) (times int, note string, err error) {
	var list eventsv1.EventList
	if err := w.Client.List(w.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		return 0, "", err
	}
	for i := range list.Items {
		e := &list.Items[i]
		if e.Regarding.UID != s.UID || e.Reason != reason {
			continue
		}
		times, note = times+1, e.Note
		if e.Series != nil {
			times += int(e.Series.Count) - 1
		}
	}
	return times, note, nil
}

// untilEvent waits until users were told once of a schedule for a reason, with these words.
func (w *testWorld) untilEvent(s *v1alpha1.StorageBenchmarkSchedule, reason, words string) {
	w.Helper()
	w.Eventually(func() error {
		times, note, err := w.events(s, reason)
		if err == nil && (times != 1 || !strings.Contains(note, words)) {
			return fmt.Errorf("%d events %s, with %q, want one with %q", times, reason, note, words)
		}
		return err
	})
}

// fickle is a client that writes no status of a schedule for so many times.
type fickle struct {
	client.Client
	refusals atomic.Int32
}

func (c *fickle) Status() client.SubResourceWriter { return &fickleStatus{c.Client.Status(), c} }

type fickleStatus struct {
	client.SubResourceWriter
	of *fickle
}

func (s *fickleStatus) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
	if s.of.refusals.Add(-1) >= 0 {
		return apierrors.NewInternalError(errors.New("etcd is away"))
	}
	return s.SubResourceWriter.Patch(ctx, object, patch, options...)
}

// Users are told of missed starts once, also where the status that counts them is written at the third time.
func TestMissedStartsAreToldOnce(t *testing.T) {
	w := newWorld(t)
	writer, told := &fickle{}, events.NewFakeRecorder(100)
	w.startOperatorWith(envtest.OperatorConfig(w), func(r *Reconciler) { writer.Client, r.Client, r.Events = r.Client, writer, told })
	s := w.create()
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)
	writer.refusals.Store(2)
	w.pass(s, 5*time.Minute)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.MissedStarts == 0 {
			return errors.New("no start was missed")
		}
		return nil
	})
	times := 0
	w.Eventually(func() error { // what passes before have told is there already
		for len(told.Events) > 0 {
			if strings.Contains(<-told.Events, "MissedStarts") {
				times++
			}
		}
		if times == 0 {
			return errors.New("there is no event")
		}
		return nil
	})
	if times != 1 {
		t.Errorf("users were told %d times", times)
	}
}
