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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
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
	err := onceLooked(p.memory, func() error {
		p.awaitsLook = false
		_, err := p.looked(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
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
		wantNoLook(t, r)
	})
}

// wantNoLook reports looks that go on in a bubble.
func wantNoLook(t *testing.T, r *Reconciler) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), passPatience/2)
	defer cancel()
	for range looksAtOnce {
		if err := r.looks.acquire(ctx); err != nil {
			t.Fatal(err)
		}
	}
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
			synctest.Test(t, func(t *testing.T) {
				sb := beingDeleted()
				live, _ := slowly()
				r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), Live: live, Clock: clock.RealClock{}}
				remembered := r.memories.of(client.ObjectKeyFromObject(sb))
				p := r.newPass(sb.DeepCopy(), remembered)
				if there, err := p.looked(t.Context()); err != nil || there {
					t.Fatalf("it is looked in no time: %v", err)
				}

				drop(r, sb)

				if remembered.look != nil {
					t.Error("the look is kept")
				}
				wantNoLook(t, r)
			})
		})
	}
}

// All that looks have found is in memory, so few go on at the same time. One that waits for others goes on when one of them is dropped, and not for ever.
func TestFewLooksAtOnce(t *testing.T) {
	live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build()
	r := &Reconciler{Live: live, Clock: clock.RealClock{}}
	var all []*look
	for range looksAtOnce {
		one := r.newPass(beingDeleted(), &memory{}).beginLook(t.Context())
		<-one.ended
		all = append(all, one)
	}
	tooMany := r.newPass(beingDeleted(), &memory{}).beginLook(t.Context())
	tooMany.drop()
	if <-tooMany.ended; tooMany.err == nil || !strings.Contains(tooMany.err.Error(), "others looked for too long") {
		t.Errorf("one too many: %v", tooMany.err)
	}
	for _, l := range all {
		l.drop()
		next := r.newPass(beingDeleted(), &memory{}).beginLook(t.Context())
		if <-next.ended; next.err != nil {
			t.Errorf("when there is room: %v", next.err)
		}
		next.drop()
	}
}

// A look goes on with the turn of the pass that has begun it: one more of its namespace would not be one of few.
func TestLookHasTheTurn(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{})
	name := client.ObjectKeyFromObject(s.sb)
	taken := map[bool]int{}
	for range 6 { // some save first
		if _, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: name}); err != nil {
			t.Fatal(err)
		}
		looking := s.memories.look(name)
		taken[looking]++
		if has := s.turns.kept.Has(name) && s.turns.taken[name.Namespace] == 1; has != looking {
			t.Errorf("a look goes on: %t, the benchmark has a turn: %t of %v", looking, has, s.turns.taken)
		}
		if looking {
			<-s.memories.of(name).look.ended
		}
	}
	if taken[true] == 0 || taken[false] == 0 {
		t.Errorf("passes by whether they began a look: %v", taken)
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

// A fault in a look is an error of the pass that takes it.
func TestFaultInALook(t *testing.T) {
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			panic("index out of range")
		},
	})
	p := passOver(&Reconciler{Live: live}, beingDeleted())
	err := onceLooked(p.memory, func() error {
		_, err := p.looked(t.Context())
		return err
	})
	p.endLook()
	if !errors.Is(err, errFault) {
		t.Errorf("error is %v", err)
	}
}

// A pass that only begins a look has not tried what failed before it: it does not have the next error repeated soon, and users are told of the last one still.
func TestLookLeavesErrors(t *testing.T) {
	var all memories
	retry, request := retryAfterErrors(&all), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "sb"}}
	retry.When(request)
	all.of(request.NamespacedName).look = &look{}
	retry.Forget(request)
	if after := retry.When(request); after != 2*minRetry {
		t.Errorf("while it is looked, the second error is followed by a pass after %s", after)
	}
	all.of(request.NamespacedName).look = nil
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
