package turns

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// most is how many turns a namespace has.
const most = 2

// Objects are called in the order in which they came, one for each turn, and none is forgotten. An object that is
// called and needs no turn any more has the next one called. One that is called and comes too late is the next one
// again. One that had a turn before it was called is not called.
func TestObjectsWaitForTheirTurn(t *testing.T) {
	var all Turns
	queue := queueOf(t, &all)
	name := func(n int) types.NamespacedName {
		return types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("sb-%d", n)}
	}
	want := func(what string, names ...types.NamespacedName) {
		t.Helper()
		if diff := cmp.Diff(names, takeAll(queue), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: called are (-want +got):\n%s", what, diff)
		}
	}
	end := func(n int) {
		all.GiveBack("default")
		all.CallNext(name(n), most)
	}
	for n := range most {
		if !all.Take(name(n), most) {
			t.Fatalf("no turn for benchmark %d", n)
		}
	}
	for n := range 6 {
		if all.Take(name(10+n), most) || all.Take(name(10), most) {
			t.Fatal("a turn too many")
		}
	}
	all.CallNext(name(10), most)
	want("without a turn")
	end(0)
	want("with a turn", name(10))
	all.CallNext(types.NamespacedName{Namespace: "other", Name: "sb"}, most)
	want("of another namespace")
	if !all.Take(name(12), most) { // it comes for a reason of its own
		t.Fatal("a turn is free")
	}
	if all.Take(name(10), most) {
		t.Fatal("a turn too many")
	}
	all.CallNext(name(10), most)
	want("while none is free")
	end(12)
	want("who was too late is next", name(10))
	all.CallNext(name(10), most) // it is gone, and needs none
	want("12 had its turn", name(11))
	all.CallNext(name(11), most)
	want("who needs none", name(13))
	all.CallNext(name(13), most)
	all.CallNext(name(14), most)
	want("the last ones", name(14), name(15))
	end(1)
	all.CallNext(name(15), most)
	want("with an empty line")
	if len(all.taken)+len(all.lines)+len(all.waiting)+len(all.called) > 0 {
		t.Errorf("kept are %v, %v, %v and %v", all.taken, all.lines, all.waiting, all.called)
	}
}

// When an operator starts, its queue has all objects, at a low priority. One that is called comes after them, and one
// that is recalled before them.
func TestCalledObjectsHaveALowPriority(t *testing.T) {
	queue := priorityqueue.New[reconcile.Request]("turns")
	t.Cleanup(queue.ShutDown)
	all := Turns{}
	if err := all.Begin(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	waiting := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "full", Name: "sb"}}
	other := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "other", Name: "sb"}}
	queue.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, other)
	for range most {
		all.Take(types.NamespacedName{Namespace: "full", Name: "first"}, most)
	}
	all.Take(waiting.NamespacedName, most)
	all.GiveBack("full")
	all.CallNext(types.NamespacedName{Namespace: "full", Name: "first"}, most)
	recalled := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "full", Name: "recalled"}}
	all.Recall(recalled.NamespacedName)
	for _, want := range []reconcile.Request{recalled, other, waiting} {
		if got, _ := queue.Get(); got != want {
			t.Errorf("it is the turn of %v, want %v", got, want)
		}
	}
}

// queueOf returns the queue that benchmarks are called into.
func queueOf(t *testing.T, all *Turns) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	if err := all.Begin(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

// takeAll returns what is in a queue.
func takeAll(queue workqueue.TypedRateLimitingInterface[reconcile.Request]) (called []types.NamespacedName) {
	for queue.Len() > 0 {
		request, _ := queue.Get()
		queue.Done(request)
		called = append(called, request.NamespacedName)
	}
	return called
}
