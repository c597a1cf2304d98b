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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

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
	p.askAhead(t.Context())
	if p.asked.volume(volume.Name) == nil {
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
	p.askAhead(t.Context())
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
