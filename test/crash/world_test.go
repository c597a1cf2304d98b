package crash

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// patience is how long a benchmark may take: twice as long as what other tests wait for, as it is disturbed all the time.
const patience = 2 * await.Patience

// disturbance is what happens to a benchmark while it is played.
type disturbance struct {
	// decide says what becomes of each call of the operator's; nil for nothing.
	decide func(call) fate
	// downtime is how long it takes until another operator takes the place of one that was killed, by the operators' clock.
	downtime time.Duration
	// travels has the caches of an operator that takes another one's place begin with what was before the last writes.
	travels bool
}

// testWorld is a namespace with a cluster that plays along, and an operator that is disturbed.
type testWorld struct {
	*harness.World
	wire        *wire
	ledger      *ledger
	disturbance disturbance
	// setUp gives a manager the controller that is disturbed.
	setUp func(context.Context, manager.Manager) error
}

// outcome is what becomes of a benchmark, in words and figures that are the same each time that it is played.
type outcome struct {
	Status     v1alpha1.StorageBenchmarkStatus
	Executions map[string]int
	Left       []string
}

// played is a benchmark that has been played to its end.
type played struct {
	outcome
	writes, reads []call
	// hit says whether something has happened to a call, and delayed is how much news caches had to wait for.
	hit     bool
	delayed int64
}

// play makes the scenario's benchmark, waits for its end, deletes it, and waits for that.
func play(t *testing.T, s scenario, d disturbance) played {
	t.Helper()
	w := newWorld(t, s, d)
	w.operate()
	sb := harness.Create(w.World, s.benchmark(w.Namespace))
	var p played
	if s.deleteDuring == "" {
		p.Status = normalize(t, w.UntilEnded(sb))
		p.Left = w.left(false)
	} else {
		w.Eventually(func() error { return w.ledger.hasBegun(s.deleteDuring) })
	}
	if err := w.Client.Delete(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	w.Eventually(func() error {
		err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(sb), sb)
		if err == nil {
			err = fmt.Errorf("the benchmark is not gone: conditions %s", harness.Conditions(sb))
		}
		return client.IgnoreNotFound(err)
	})
	p.Left = append(p.Left, w.left(false)...)
	// ConfigMaps are also the garbage collector's.
	w.Eventually(func() error {
		if left := w.left(true); len(left) > len(w.left(false)) {
			return fmt.Errorf("left are %v", left)
		}
		return nil
	})
	var overlaps []string
	if p.Executions, overlaps = w.ledger.executions(); len(overlaps) > 0 {
		t.Errorf("measured at the same time: %v", overlaps)
	}
	w.checkOwn(s)
	p.writes, p.hit = w.wire.seen(true)
	p.reads, _ = w.wire.seen(false)
	p.delayed = w.wire.delayed.Load()
	return p
}

func newWorld(t *testing.T, s scenario, d disturbance) *testWorld {
	t.Helper()
	if d.decide == nil {
		d.decide = func(call) fate { return fate{} }
	}
	w := &testWorld{World: harness.New(t), wire: newWire(d.decide), ledger: newLedger(), disturbance: d}
	w.setUp = w.setUpBenchmarks
	w.Wait.Patience = patience
	w.Wait.Describe = func() string { return fmt.Sprintf("%v left", w.left(true)) }
	t.Cleanup(w.explain)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		w.ledger.note(pod)
		return s.pods(pod)
	})
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		w.ledger.note(pod)
		return holdNode
	})
	for _, object := range s.own(w.Namespace) {
		harness.Create(w.World, object)
	}
	return w
}

// explain prints, where a test has failed, what the operator has written.
func (w *testWorld) explain() {
	if !w.Failed() {
		return
	}
	writes, _ := w.wire.seen(true)
	for _, c := range writes {
		w.Log(c)
	}
}

// left returns what there is of the kinds that the operator makes but for what was there before, with or without
// ConfigMaps, which stay until the benchmark is deleted.
func (w *testWorld) left(configMaps bool) []string {
	w.Helper()
	here := []client.ListOption{client.InNamespace(w.Namespace)}
	mine := []client.ListOption{client.MatchingLabels{v1alpha1.LabelNamespace: w.Namespace}}
	left := w.names(&batchv1.JobList{}, here)
	left = append(left, w.names(&corev1.PodList{}, here)...)
	left = append(left, w.names(&corev1.PersistentVolumeClaimList{}, here)...)
	left = append(left, w.names(&storagev1.StorageClassList{}, mine)...)
	var volumes corev1.PersistentVolumeList
	if err := w.Client.List(w.Context(), &volumes); err != nil {
		w.Fatal(err)
	}
	for _, volume := range volumes.Items {
		of := volume.Spec.ClaimRef
		if volume.Labels[v1alpha1.LabelNamespace] == w.Namespace || (of != nil && of.Namespace == w.Namespace && of.Name != ownClaim) {
			left = append(left, "PersistentVolume "+volume.Name)
		}
	}
	if configMaps {
		left = append(left, w.names(&corev1.ConfigMapList{}, append(here, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}))...)
	}
	return left
}

// names returns the kinds and names of objects, but not of what was there before.
func (w *testWorld) names(list client.ObjectList, options []client.ListOption) []string {
	w.Helper()
	if err := w.Client.List(w.Context(), list, options...); err != nil {
		w.Fatal(err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, item := range items {
		if object := item.(client.Object); object.GetName() != ownClaim {
			names = append(names, fmt.Sprintf("%T %s", object, object.GetName()))
		}
	}
	slices.Sort(names)
	return names
}

// checkOwn checks that what was there before the benchmark has been left alone.
func (w *testWorld) checkOwn(s scenario) {
	w.Helper()
	for _, object := range s.own(w.Namespace) {
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(object), object); err != nil || !object.GetDeletionTimestamp().IsZero() {
			w.Errorf("%T %s, which was there before: error %v, deleted %v", object, object.GetName(), err, object.GetDeletionTimestamp())
		}
	}
}
