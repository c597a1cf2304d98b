package schedule

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
)

// answer is a reader that gives one answer: a schedule of which the cache has no template, or an error.
type answer struct {
	client.Client
	err error
}

func (a *answer) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return a.err
}

// A pass begins with what users change, and not with the status alone, which the operator writes. One that was deleted
// and made anew can come as a change.
func TestByUsers(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*v1alpha1.StorageBenchmarkSchedule)
		want   bool
	}{
		"the status": {func(*v1alpha1.StorageBenchmarkSchedule) {}, false},
		"the spec":   {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Generation++ }, true},
		"an annotation": {func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Annotations = map[string]string{v1alpha1.AnnotationAcknowledged: "x"}
		}, true},
		"another of its name":    {func(s *v1alpha1.StorageBenchmarkSchedule) { s.UID = "other" }, true},
		"nothing that is cached": {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Status.MissedStarts = 0 }, true},
	} {
		before := &v1alpha1.StorageBenchmarkSchedule{}
		before.UID, before.Generation = "uid", 1
		after := before.DeepCopy()
		after.Status.MissedStarts = 1
		row.change(after)
		if got := byUsers.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != row.want {
			t.Errorf("%s: a pass begins: %v, want %v", name, got, row.want)
		}
	}
}

// What is remembered of a large schedule, and served, stays while the API server is away, and goes with the schedule.
func TestMemoryStaysWhileTheAPIServerIsAway(t *testing.T) {
	s := &v1alpha1.StorageBenchmarkSchedule{}
	s.Namespace, s.Name, s.UID = "team-a", "large", "uid"
	name := client.ObjectKeyFromObject(s)
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "storagebenchmarkschedules"}, s.Name)
	for _, row := range []struct {
		err   error
		stays bool
	}{{errors.New("connection refused"), true}, {gone, false}} {
		results := &resultmetrics.Store{Limit: 100}
		r := &Reconciler{Client: &answer{}, Live: &answer{err: row.err}, Results: results}
		r.memories.of(s).told = 7
		results.SetSchedule(s, 0)
		_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: name})
		if (err != nil) != row.stays {
			t.Errorf("after %q the pass ends with %v", row.err, err)
		}
		if got := r.memories.of(s).told == 7; got != row.stays {
			t.Errorf("after %q it is remembered: %v", row.err, got)
		}
		if got := isServed(t, results); got != row.stays {
			t.Errorf("after %q it is served: %v", row.err, got)
		}
	}
}
