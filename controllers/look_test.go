package controllers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// slowly returns a cluster each of whose calls takes a second of the time of a synctest bubble, and the calls that were made.
func slowly(objects ...client.Object) (client.WithWatch, func() []string) {
	var mu sync.Mutex
	var asked []string
	call := func(what string) {
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, what)
	}
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(objects...).Build()
	return interceptor.NewClient(cluster, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			call("get " + key.Name)
			return c.Get(ctx, key, object, options...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			call("list")
			return c.List(ctx, list, options...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			call("delete " + object.GetName())
			return c.Delete(ctx, object, options...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			call("patch " + object.GetName())
			return c.Patch(ctx, object, patch, options...)
		},
	}), func() []string { return asked }
}

// A step of clean-up takes the time of four calls, however many it makes: Jobs, pods, what has lost labels, and deletions. A volume that its class would retain takes one
// more, before its claim is deleted.
func TestStepOfCleanUpTakesFewCalls(t *testing.T) {
	for name, test := range map[string]struct {
		retained bool
		want     time.Duration
	}{
		"deleted with its claim": {false, 4 * time.Second},
		"retained by its class":  {true, 5 * time.Second}, // it is looked at while the claim is deleted

	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sb := beingDeleted()
				run, claim, volume := madeForRun(sb)
				if test.retained {
					volume.Annotations = map[string]string{ours.ProvisionedBy: "driver"}
					volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
				}
				holds := &corev1.Pod{ObjectMeta: madeFor(sb, job.AnchorName(sb, 0, 1), v1alpha1.RoleAnchor)}
				cluster, asked := slowly(run, claim, volume, holds)
				p := passOver(&Reconciler{Client: cluster, Live: cluster}, sb)
				p.now = *at(0)
				p.Anchors, p.Claims = map[string]*corev1.Pod{holds.Name: holds}, map[string]*corev1.PersistentVolumeClaim{}
				began := time.Now()

				haveLooked(t, p)
				left, err := p.remove(t.Context())

				if took := time.Since(began); err != nil || took != test.want {
					t.Errorf("it took %s, want %s, for %q; %v", took, test.want, asked(), err)
				}
				if got := kindsOf(left); !slices.Equal(got, []string{"Job", "pod", "claim", "volume"}) {
					t.Errorf("left are %q", got)
				}
				for _, object := range []client.Object{run, claim, holds} {
					if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil {
						t.Errorf("%s is there", object.GetName())
					}
				}
				if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(volume), volume); err != nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
					t.Errorf("the volume is %v, %v", volume, err)
				}
			})
		})
	}
}

// haveLooked waits until a pass knows what its benchmark has.
func haveLooked(t *testing.T, p *pass) {
	t.Helper()
	_ = onceLooked(p.memory, func() error { p.awaitsLook = !p.looked(t.Context()); return nil })
	t.Cleanup(p.endLook)
}

// onceLooked acts, and again each time that a look has ended without which passes over the benchmark do not go on.
func onceLooked(remembered *memory, act func() error) error {
	err := act()
	for remembered.look != nil {
		<-remembered.look.ended
		err = act()
	}
	return err
}

// A pass does not wait for a look: it ends at once, and the next one comes when the look has ended, and takes a step by it. Jobs, pods and what has lost labels take a
// second each.
func TestPassDoesNotWaitForALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sb := beingDeleted()
		sb.Status.Anchors = nil
		run, claim, volume := madeForRun(sb)
		live, _ := slowly(run, claim, volume)
		r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run, claim, volume).Build(), Live: live, Clock: clock.RealClock{}}
		queue, remembered, began := queueOf(t, &r.turns), &memory{}, time.Now()

		result, err := r.newPass(sb.DeepCopy(), remembered).guarded(t.Context())

		if took := time.Since(began); err != nil || took > 0 || result.RequeueAfter != quietLook || remembered.look == nil {
			t.Fatalf("a pass took %s, and is followed by another one after %s: %v", took, result.RequeueAfter, err)
		}
		<-remembered.look.ended
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the look took %s", took)
		}
		synctest.Wait()
		if called := takeAll(queue); len(called) != 1 || called[0] != client.ObjectKeyFromObject(sb) {
			t.Errorf("called are %v, want the benchmark", called)
		}
		if _, err := r.newPass(sb.DeepCopy(), remembered).guarded(t.Context()); err != nil || remembered.look != nil {
			t.Errorf("the next pass: %v, look %v", err, remembered.look)
		}
		if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(run), run); err == nil {
			t.Error("the Job is there")
		}
	})
}

// What a look finds is of no use where the benchmark goes another way before it ends, as when it is resumed: it would lack the Jobs that are made then.
func TestLookIsDropped(t *testing.T) {
	for name, drop := range map[string]func(*Reconciler, *v1alpha1.StorageBenchmark){
		"it is resumed": func(r *Reconciler, sb *v1alpha1.StorageBenchmark) {
			sb.DeletionTimestamp = nil
			_, _ = r.newPass(sb, r.memories.of(client.ObjectKeyFromObject(sb))).advance(t.Context()) // it gets no further than the first call
		},
		"it is gone": func(r *Reconciler, sb *v1alpha1.StorageBenchmark) { r.memories.forget(client.ObjectKeyFromObject(sb)) },
	} {
		t.Run(name, func(t *testing.T) {
			sb := beingDeleted()
			live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
				List: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) error {
					<-ctx.Done()
					return ctx.Err()
				},
			})
			r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), Live: live, Clock: clock.RealClock{}}
			remembered := r.memories.of(client.ObjectKeyFromObject(sb))
			if p := r.newPass(sb.DeepCopy(), remembered); p.looked(t.Context()) {
				t.Fatal("it is looked in no time")
			}
			going := remembered.look

			drop(r, sb)

			if remembered.look != nil || !remembered.lookSince.IsZero() {
				t.Error("the look is kept")
			}
			if <-going.ended; !errors.Is(going.found.childrenErr, context.Canceled) {
				t.Errorf("the look has ended with %v", going.found.childrenErr)
			}
		})
	}
}

// A benchmark looks only when it may, keeps nothing while it waits, and has others look when it does not any more.
func TestBenchmarksLookInTurn(t *testing.T) {
	answer := make(chan struct{})
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			<-answer
			return c.List(ctx, list, options...)
		},
	})
	name := client.ObjectKeyFromObject(s.sb)
	others := []types.NamespacedName{{Namespace: name.Namespace, Name: "first"}, {Namespace: name.Namespace, Name: "second"}}
	for _, other := range others {
		s.looks.take(other, s.lookLimit())
	}
	queue := queueOf(t, &s.turns)
	pass := func() {
		t.Helper()
		if _, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: name}); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 { // it saves first
		pass()
	}
	if !slices.Equal(s.looks.line, []types.NamespacedName{name}) || s.memories.of(name).look != nil {
		t.Fatalf("it does not wait: %v, with %v", s.looks.line, s.memories.of(name).look)
	}
	s.endLooking(others[0])
	if called := takeAll(queue); !slices.Equal(called, []types.NamespacedName{name}) {
		t.Errorf("called are %v, want the one that waits", called)
	}
	s.looks.take(others[0], s.lookLimit())
	pass()
	going := s.memories.of(name).look
	if going == nil {
		t.Fatal("it does not look")
	}
	close(answer)
	<-going.ended
	if !s.looks.may.Has(name) {
		t.Error("what a look has found is in memory, and others look in its place")
	}
	pass()
	if want := sets.New(others[1], others[0]); !s.looks.may.Equal(want) {
		t.Errorf("after it has looked %v look, want %v", s.looks.may, want)
	}
}

// Whoever waits in line for longer than a look may take goes on without one, which is an error like others, and stays in line.
func TestLineHasADeadline(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{})
	name := client.ObjectKeyFromObject(s.sb)
	for _, other := range []string{"first", "second"} {
		s.looks.take(types.NamespacedName{Namespace: name.Namespace, Name: other}, s.lookLimit())
	}
	if _, _, err := s.passes(4*time.Second, time.Second); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := s.passes(passPatience, passPatience); !errors.Is(err, errOthersLook) {
			t.Errorf("after %s: %v", passPatience, err)
		}
		if !slices.Equal(s.looks.line, []types.NamespacedName{name}) {
			t.Errorf("the line is %v", s.looks.line)
		}
	}
}

// To take the outcome of the last run is not to begin with clean-up.
func TestTakeLastDoesNotBeginCleanUp(t *testing.T) {
	sb := beingDeleted()
	sb.Status.Runs = runsOf(v1alpha1.RunRunning)
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	sb.Spec.Deadlines.CleanUpSeconds = new(int32(600))
	p := passOver(&Reconciler{}, sb)
	p.now = *at(0)
	if _, err := conclude(t.Context(), p); err != nil || !p.memory.cleaningSince.IsZero() {
		t.Errorf("clean-up has begun at %s: %v", p.memory.cleaningSince, err)
	}
}

// Only a search that a look has made from its beginning tells of what was there when the look began.
func TestLookSeeksAll(t *testing.T) {
	for name, test := range map[string]struct {
		before strays
		want   bool
	}{
		"from the beginning": {strays{}, true},
		"it is known":        {strays{sought: true}, false},
		"it goes on":         {strays{gone: sets.New("some-job")}, false},
	} {
		p := passOver(&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build()}, beingDeleted())
		p.sb.Status.Anchors, p.memory.strays = nil, test.before
		if err := p.look(t.Context()); err != nil || p.found.straysErr != nil || !p.found.strays.sought || p.found.soughtAll != test.want {
			t.Errorf("%s: %+v, %v", name, p.found.strays, err)
		}
	}
}

// What was not listed cannot be told from what has lost its labels: where the lists fail, nothing is known, and no worker lists again.
func TestLookWhoseListsFail(t *testing.T) {
	sb := beingDeleted()
	run, claim, volume := madeForRun(sb)
	busy, lists := errors.New("etcd is busy"), 0
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run, claim, volume).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			lists++
			return busy
		},
	})
	p := passOver(&Reconciler{Client: live, Live: live}, sb)
	p.now = *at(0)
	p.Claims = map[string]*corev1.PersistentVolumeClaim{}
	p.memory.strays.gone = sets.New("known")
	haveLooked(t, p)
	tried := lists
	left, err := p.remove(t.Context())
	if !errors.Is(err, busy) || lists != tried {
		t.Errorf("%v, after %d lists, %d of them by the look", err, lists, tried)
	}
	if !slices.Equal(kindsOf(left), []string{"claim", "volume"}) || p.found.soughtAll || !p.memory.strays.gone.Has("known") {
		t.Errorf("left are %+v, found %+v", left, p.found.strays)
	}
}

// The cache may be older than a look. An anchor that it has, and that is not listed, has lost its labels.
func TestLookFindsAnchorsThatTheCacheHas(t *testing.T) {
	sb, _, anchor := strayed()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	byName := func(o client.Object) []string { return []string{o.GetName()} }
	live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(anchor).WithIndex(&corev1.Pod{}, metav1.ObjectNameField, byName).Build()
	p := passOver(&Reconciler{Live: live}, sb)
	p.Anchors = map[string]*corev1.Pod{anchor.Name: anchor}
	haveLooked(t, p)
	if got := p.found.strays.anchors; !slices.Equal(got, []string{anchor.Name}) {
		t.Errorf("found %q, want %s: %v", got, anchor.Name, p.found.straysErr)
	}
}

// The time for clean-up is that for removing, not for looking: what one operator may take at least begins with its first step.
func TestTimeForCleanUpBeginsWithTheFirstStep(t *testing.T) {
	clock := clocktesting.NewFakeClock(noon)
	sb := beingDeleted()
	sb.DeletionTimestamp, sb.Status.Anchors, sb.Spec.Deadlines.CleanUpSeconds = at(-time.Hour), nil, new(int32(600))
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonCleaningUp}}
	run, claim, volume := madeForRun(sb)
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run, claim, volume).Build()
	remembered := &memory{}
	r := &Reconciler{Client: c, Live: c, Clock: clock}
	first := r.newPass(sb.DeepCopy(), remembered)
	if _, err := cleanUp(t.Context(), first); err != nil || !first.awaitsLook {
		t.Fatalf("it does not look: %v", err)
	}
	<-remembered.look.ended
	clock.Step(2 * cleanup.NextTry)

	p := r.newPass(sb.DeepCopy(), remembered)
	p.Claims = map[string]*corev1.PersistentVolumeClaim{}
	out, err := cleanUp(t.Context(), p)
	p.endLook()

	if err != nil || !out.stop || p.sb.Status.Condition(v1alpha1.ConditionCleanedUp).Status != "" {
		t.Errorf("%+v, %v, conditions %+v", out, err, p.sb.Status.Conditions)
	}
}

// A fault in a look is an error of the pass that takes it.
func TestFaultInALook(t *testing.T) {
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			panic("index out of range")
		},
	})
	p := passOver(&Reconciler{Live: live}, beingDeleted())
	p.memory.strays.gone = sets.New("known")
	haveLooked(t, p)
	if _, err := p.removePods(t.Context()); !errors.Is(err, errFault) || !p.memory.strays.gone.Has("known") {
		t.Errorf("error is %v, known is %v", err, p.memory.strays)
	}
}

// A pass that only begins a look has not tried what failed before it: it does not have the next error repeated soon, and users are told of the last one still.
func TestLookLeavesErrors(t *testing.T) {
	var all looks
	name := types.NamespacedName{Namespace: "default", Name: "sb"}
	retry, request := retryAfterErrors(&all), reconcile.Request{NamespacedName: name}
	retry.When(request)
	all.take(name, looksOfANamespace)
	retry.Forget(request)
	if after := retry.When(request); after != 2*minRetry {
		t.Errorf("while it is looked, the second error is followed by a pass after %s", after)
	}
	all.giveBack(name, looksOfANamespace)
	retry.Forget(request)
	if after := retry.When(request); after != minRetry {
		t.Errorf("the first error is followed by a pass after %s", after)
	}
}

// beingDeleted is a benchmark that has begun to measure, and is to be removed.
func beingDeleted() *v1alpha1.StorageBenchmark {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID, sb.DeletionTimestamp, sb.Finalizers = "u", at(0), []string{v1alpha1.Finalizer}
	sb.Status.StartTime = at(0)
	sb.Status.Anchors, sb.Status.Targets = []v1alpha1.Anchor{{Attempts: 1}}, []v1alpha1.TargetStatus{{Name: "fast"}}
	return sb
}

// Where calls for claims and volumes do not end before the pass does, Jobs are deleted all the same.
func TestDeletionsDoNotWaitForOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sb := beingDeleted()
		run, claim, volume := madeForRun(sb)
		cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run, claim, volume).Build()
		live := interceptor.NewClient(cluster, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
				switch object.(type) {
				case *corev1.PersistentVolumeClaim, *corev1.PersistentVolume:
					<-ctx.Done()
					return ctx.Err()
				}
				return c.Get(ctx, key, object, options...)
			},
		})
		writes := interceptor.NewClient(cluster, interceptor.Funcs{
			Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
				if ctx.Err() != nil { // the fake client would delete it all the same
					return ctx.Err()
				}
				return c.Delete(ctx, object, options...)
			},
		})
		p := passOver(&Reconciler{Client: writes, Live: live}, sb)
		p.now = *at(0)
		p.memory.strays.sought = true
		ctx, cancel := context.WithTimeout(t.Context(), passPatience)
		defer cancel()

		haveLooked(t, p)
		_, err := p.remove(ctx)

		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(run), run); err == nil {
			t.Error("the Job is there")
		}
	})
}

// A list that failed is asked for again, also in the same pass: it may be the last one.
func TestListThatFailedIsAskedForAgain(t *testing.T) {
	sb := beingDeleted()
	run, _, _ := madeForRun(sb)
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run).Build()
	failed := false
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if _, jobs := list.(*batchv1.JobList); jobs && !failed {
				failed = true
				return errors.New("etcd is busy")
			}
			return c.List(ctx, list, options...)
		},
	})
	p := passOver(&Reconciler{Client: cluster, Live: live}, sb)
	p.now = *at(0)
	p.memory.strays.sought = true
	haveLooked(t, p)
	if _, err := p.remove(t.Context()); err != nil || !failed {
		t.Errorf("a list has failed: %t, %v", failed, err)
	}
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(run), run); err == nil {
		t.Error("the Job is there")
	}
}

// A volume that has changed since it was asked for is looked at again, and goes with its claim.
func TestVolumeThatChangesMeanwhileIsTied(t *testing.T) {
	sb := beingDeleted()
	_, claim, volume := madeForRun(sb)
	volume.Annotations = map[string]string{ours.ProvisionedBy: "driver"}
	volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim, volume).Build()
	p := passOver(&Reconciler{Client: cluster, Live: cluster}, sb)
	p.memory.strays.sought = true
	haveLooked(t, p)
	if p.found.volume(volume.Name) == nil {
		t.Fatal("the volume was not asked for")
	}
	volume.Labels = map[string]string{"changed": "meanwhile"}
	if err := cluster.Update(t.Context(), volume); err != nil {
		t.Fatal(err)
	}

	if err := p.settleClaim(t.Context(), claim); err != nil {
		t.Fatal(err)
	}

	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(volume), volume); err != nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		t.Errorf("the volume is %v, %v", volume, err)
	}
}

// A claim of the benchmark's own that comes when it is looked for late volumes is left, and its volume is none of somebody else's.
func TestOwnClaimThatComesLateIsLeft(t *testing.T) {
	sb := beingDeleted()
	_, claim, _ := madeForRun(sb)
	sb.Status.Targets[0].Volumes = nil // its volume is not in the status yet
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim).Build()
	p := passOver(&Reconciler{Client: cluster, Live: cluster}, sb)
	if left, err := p.lateVolumes(t.Context()); err != nil || !slices.Equal(kindsOf(left), []string{"claim"}) {
		t.Errorf("left are %+v, %v", left, err)
	}
}

// kindsOf returns the first words of what is left.
func kindsOf(left []cleanup.Leftover) (kinds []string) {
	for _, l := range left {
		kinds = append(kinds, strings.Fields(l.What)[0])
	}
	return kinds
}

// Test files may be reached by a claim that is made in the very step that gives them up. It is removed with that step's other claims, though it was not there when
// these were asked for.
func TestClaimMadeInAStepIsSeen(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u"
	p, _ := listing(sb, sb.DeepCopy())
	if err := p.Live.Get(t.Context(), client.ObjectKeyFromObject(sb), p.sb); err != nil {
		t.Fatal(err)
	}
	haveLooked(t, p)
	if claims, err := p.liveClaims(t.Context()); err != nil || len(claims) > 0 {
		t.Fatalf("claims are %v, %v", claims, err)
	}
	if _, err := p.remount(t.Context(), &sb.Spec.Targets[0]); err != nil {
		t.Fatal(err)
	}
	if claims, err := p.liveClaims(t.Context()); err != nil || len(claims) != 1 {
		t.Errorf("claims are %v, %v", claims, err)
	}
}
