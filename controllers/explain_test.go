package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// A list of events that takes long is followed by a rest in proportion.
func TestEventsRestAfterASlowList(t *testing.T) {
	clock := clocktesting.NewFakeClock(noon)
	lists := 0
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			lists++
			clock.Step(time.Second)
			return nil
		},
	})
	r, remembered := &Reconciler{Live: live, Clock: clock}, &pass.Memory{}
	for _, pass := range []struct {
		after time.Duration
		lists int
	}{{0, 1}, {(pass.RestFactor - 1) * time.Second, 1}, {time.Second, 2}} {
		clock.Step(pass.after)
		p := r.newPass(builder.OneRun("default", "sb").Build(), remembered)
		if _, err := workers.LastWarning(t.Context(), p, types.UID("u")); err != nil || lists != pass.lists {
			t.Errorf("%s later there were %d lists, want %d: %v", pass.after, lists, pass.lists, err)
		}
	}
}

// A list of events that fails is followed by a rest as well.
func TestEventsRestAfterAnError(t *testing.T) {
	clock := clocktesting.NewFakeClock(noon)
	lists := 0
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			lists++
			clock.Step(time.Second)
			return errors.New("the API server is overloaded")
		},
	})
	r, remembered := &Reconciler{Live: live, Clock: clock}, &pass.Memory{}
	for _, pass := range []struct {
		after  time.Duration
		lists  int
		failed bool
	}{{0, 1, true}, {(pass.RestFactor - 1) * time.Second, 1, false}, {time.Second, 2, true}} {
		clock.Step(pass.after)
		p := r.newPass(builder.OneRun("default", "sb").Build(), remembered)
		if _, err := workers.LastWarning(t.Context(), p, types.UID("u")); (err != nil) != pass.failed || lists != pass.lists {
			t.Errorf("%s later there were %d lists, want %d: %v", pass.after, lists, pass.lists, err)
		}
	}
}

// Whoever waits for words about a wait does so for two seconds, and not for as long as others read large objects.
func TestEventsAreNotAskedForWhileOthersRead(t *testing.T) {
	world.OnePage <- struct{}{}
	defer func() { <-world.OnePage }()
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			t.Error("it has not waited for its turn")
			return nil
		},
	})
	remembered := &pass.Memory{}
	p := (&Reconciler{Live: live, Clock: clock.RealClock{}}).newPass(builder.OneRun("default", "sb").Build(), remembered)
	ctx, cancel := context.WithTimeout(t.Context(), 5*workers.EventPatience)
	defer cancel()
	began := time.Now()
	if said, err := workers.LastWarning(ctx, p, types.UID("u")); said != (pass.Latest{}) || err != nil {
		t.Errorf("%q, %v", said.Text, err)
	}
	if rest := remembered.Warning.Until.Sub(began); rest < pass.RestFactor*workers.EventPatience {
		t.Errorf("after %s they are asked for again", rest)
	}
}

// What Kubernetes says of a volume that another node still has does not say for how long.
func TestWhatADetachmentTakesIsSaid(t *testing.T) {
	const (
		attached = `Waiting for detach for volume "pvc-1" Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node`
		used     = `Waiting for detach for volume "pvc-1" Volume is already used by pod(s) mine`
	)
	for _, test := range []struct{ said, want string }{
		{attached, "FailedAttachVolume: " + attached + "; no pod uses it there: Kubernetes detaches it within seconds, or after 6 minutes if that node does not answer or is gone"},
		{used, "FailedAttachVolume: " + used},
	} {
		live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
			List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
				list.(*corev1.EventList).Items = []corev1.Event{{Reason: "FailedAttachVolume", Message: test.said}}
				return nil
			},
		})
		r := &Reconciler{Live: live, Clock: clocktesting.NewFakeClock(noon)}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u"}}
		if got, err := workers.Explain(t.Context(), r.newPass(builder.OneRun("default", "sb").Build(), &pass.Memory{}), "", pod); err != nil || got != test.want {
			t.Errorf("got %q, %v, want %q", got, err, test.want)
		}
	}
}

// Why a pod could not be scheduled is no reason for what it waits for when it has been.
func TestSchedulingIsOverWithANode(t *testing.T) {
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			list.(*corev1.EventList).Items = []corev1.Event{{Reason: "FailedScheduling", Message: "0/3 nodes are available"}}
			return nil
		},
	})
	for node, want := range map[string]string{"": "FailedScheduling: 0/3 nodes are available", "n": "the pod is being started"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Spec: corev1.PodSpec{NodeName: node}}
		p := (&Reconciler{Live: live, Clock: clocktesting.NewFakeClock(noon)}).newPass(builder.OneRun("default", "sb").Build(), &pass.Memory{})
		if got, err := workers.Explain(t.Context(), p, "", pod); err != nil || got != want {
			t.Errorf("on node %q: %q, %v, want %q", node, got, err, want)
		}
	}
}

// What an API server says that has not heard of a pod yet is no reason for a wait: the kubelet asks again, and says no
// more when it is answered.
func TestWarningOfANewPodGivesWay(t *testing.T) {
	const (
		refused = `failed to fetch PVC from API server: persistentvolumeclaims "c" is forbidden: User "system:node:n" cannot get resource "persistentvolumeclaims": no relationship found between node 'n' and this object`
		used    = `Waiting for detach for volume "pvc-1" Volume is already used by pod(s) mine`
	)
	event := func(seconds int, reason, message string) corev1.Event {
		return corev1.Event{Reason: reason, Message: message, LastTimestamp: metav1.NewTime(noon.Add(time.Duration(seconds) * time.Second))}
	}
	mount, attach := event(2, "FailedMount", refused), event(1, "FailedAttachVolume", used)
	for name, test := range map[string]struct {
		events []corev1.Event
		want   string
	}{
		"later":          {[]corev1.Event{attach, mount}, "FailedAttachVolume: " + used},
		"listed first":   {[]corev1.Event{mount, attach}, "FailedAttachVolume: " + used},
		"alone":          {[]corev1.Event{mount}, "FailedMount: " + refused},
		"another, later": {[]corev1.Event{attach, mount, event(3, "FailedMount", "timeout")}, "FailedMount: timeout"},
		"another, older": {[]corev1.Event{mount, attach, event(0, "FailedMount", "timeout")}, "FailedAttachVolume: " + used},
	} {
		live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
			List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
				list.(*corev1.EventList).Items = test.events
				return nil
			},
		})
		p := (&Reconciler{Live: live, Clock: clocktesting.NewFakeClock(noon)}).newPass(builder.OneRun("default", "sb").Build(), &pass.Memory{})
		if got, err := workers.LastWarning(t.Context(), p, types.UID("u")); err != nil || got.Text != test.want {
			t.Errorf("%s: got %q, %v, want %q", name, got.Text, err, test.want)
		}
	}
}

func TestEventTime(t *testing.T) {
	at := func(minutes int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute)) }
	created := metav1.ObjectMeta{CreationTimestamp: at(1)}
	for name, test := range map[string]struct {
		event corev1.Event
		want  metav1.Time
	}{
		"created":       {corev1.Event{ObjectMeta: created}, at(1)},
		"events.k8s.io": {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time)}, at(2)},
		"core":          {corev1.Event{ObjectMeta: created, LastTimestamp: at(3), EventTime: metav1.NewMicroTime(at(2).Time)}, at(3)},
		"series":        {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(4).Time)}}, at(4)},
	} {
		if got := workers.EventTime(&test.event); !got.Equal(test.want.Time) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
