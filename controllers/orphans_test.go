package controllers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// orphanTest is a namespace in which nobody but the sweeper removes anything. That sweeps the whole cluster, so that
// these tests are not parallel to others.
type orphanTest struct {
	*testing.T
	client    client.WithWatch
	namespace string
}

func (l *orphanTest) create(object client.Object) client.Object {
	l.Helper()
	if err := l.client.Create(l.Context(), object); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := l.client.Delete(context.WithoutCancel(l.Context()), object); client.IgnoreNotFound(err) != nil {
			l.Error(err)
		}
	})
	return object
}

func (l *orphanTest) isGone(object client.Object) bool {
	l.Helper()
	err := l.client.Get(l.Context(), client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		l.Fatal(err)
	}
	return apierrors.IsNotFound(err) || !object.GetDeletionTimestamp().IsZero() // the API server protects claims
}

func (l *orphanTest) class(name string, labels map[string]string) client.Object {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Provisioner: "csi.fake"}
}

func (l *orphanTest) volume(name string, labels map[string]string) client.Object {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.fake", VolumeHandle: "orphan"},
			},
		},
	}
}

func (l *orphanTest) claim(name string, labels map[string]string, owners ...metav1.OwnerReference) client.Object {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: l.namespace, Labels: labels, OwnerReferences: owners},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

// named returns the name and the labels of what a benchmark makes for a target, with and without a namespace.
func named(sb *v1alpha1.StorageBenchmark, target string) (name string, cluster, inside map[string]string) {
	return childmeta.Name(sb, target), childmeta.ClusterLabels(sb, v1alpha1.LabelTarget, target), childmeta.Labels(sb, v1alpha1.LabelTarget, target, v1alpha1.LabelClient, "0")
}

// What was made for benchmarks that are gone is removed, and nothing else that looks like it.
func TestOrphansAreRemoved(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	alive := builder.OneRun(l.namespace, "alive").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }).Build()
	l.create(alive)
	gone := alive.DeepCopy()
	gone.Name, gone.UID = "gone", uuid.NewUUID()
	before := alive.DeepCopy() // of the same name as one that is there
	before.UID = uuid.NewUUID()
	labelOfNone := map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}
	somebodys := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db", UID: "00000000-0000-0000-0000-000000000003", Controller: new(true)}

	orphaned, kept := map[string]client.Object{}, map[string]client.Object{}
	for what, sb := range map[string]*v1alpha1.StorageBenchmark{"that is gone": gone, "of an earlier one of that name": before} {
		name, cluster, inside := named(sb, "t")
		orphaned["the class of a benchmark "+what] = l.class(name, cluster)
		orphaned["the volume of a benchmark "+what] = l.volume(name, cluster)
		orphaned["the claim of a benchmark "+what] = l.claim(name, inside, builder.OwnedBy(sb))
	}
	name, cluster, inside := named(alive, "t")
	kept["a class of a benchmark that is there"] = l.class(name, cluster)
	kept["a volume of a benchmark that is there"] = l.volume(name, cluster)
	kept["a claim of a benchmark that is there"] = l.claim(name, inside, builder.OwnedBy(alive))
	_, cluster, inside = named(gone, "t")
	other, _, _ := named(gone, "other")
	kept["a class with one of the labels"] = l.class(l.namespace+"-one", labelOfNone)
	kept["a class without labels"] = l.class(l.namespace+"-none", nil)
	kept["a class with the labels, and a name of its own"] = l.class(l.namespace+"-forged", cluster)
	kept["a volume with the labels, and a name of its own"] = l.volume(l.namespace+"-forged", cluster)
	kept["a claim with the labels and the owner, and a name of its own"] = l.claim("forged", inside, builder.OwnedBy(gone))
	kept["a claim with the labels alone"] = l.claim(other, inside)
	kept["a claim of somebody else"] = l.claim("theirs", inside, somebodys)
	kept["a claim without the labels"] = l.claim("bare", nil, builder.OwnedBy(gone))
	for _, object := range orphaned {
		l.create(object)
	}
	for _, object := range kept {
		l.create(object)
	}
	metrics := NewMetrics(prometheus.NewRegistry())
	if err := (&OrphanCollector{Client: c, Live: c, Metrics: metrics}).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, object := range orphaned {
		if !l.isGone(object) {
			t.Errorf("%s is left", name)
		}
	}
	for name, object := range kept {
		if l.isGone(object) {
			t.Errorf("%s was removed", name)
		}
	}
}

// listsBenchmarks says whether a list is the one of benchmarks, by which orphans are told apart.
func listsBenchmarks(list client.ObjectList) bool {
	return list.GetObjectKind().GroupVersionKind().Kind == "StorageBenchmarkList"
}

// Whoever may make Jobs can give thousands of them the operator's label, each as large as an object may be. They are
// looked at a few at a time, and without what they are to do.
func TestSweepTakesLittleMemory(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	var orphaned []client.Object
	for i := range world.LiveAtOnce + 1 {
		name, cluster, _ := named(gone, fmt.Sprintf("t%d", i))
		orphaned = append(orphaned, l.create(l.class(name, cluster)))
	}
	lists := 0
	counting := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			lists++
			if _, metadata := list.(*metav1.PartialObjectMetadataList); !metadata {
				t.Errorf("%T has all of the objects", list)
			}
			err := c.List(ctx, list, options...)
			if n := meta.LenList(list); n > world.LiveAtOnce {
				t.Errorf("%d objects at once", n)
			}
			return err
		},
	})
	if err := (&OrphanCollector{Client: c, Live: counting, Metrics: NewMetrics(prometheus.NewRegistry())}).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, object := range orphaned {
		if !l.isGone(object) {
			t.Errorf("class %s is left after %d lists", object.GetName(), lists)
		}
	}
}

// Benchmarks are listed only where something was made for one that the cache does not have: there may be thousands.
func TestKnownBenchmarksAreNotListed(t *testing.T) {
	alive := builder.OneRun("default", "alive").Build()
	alive.UID = uuid.NewUUID()
	elsewhere := builder.OneRun("excluded", "gone").Build()
	elsewhere.UID = uuid.NewUUID()
	made := func(sb *v1alpha1.StorageBenchmark) client.Object {
		name, _, inside := named(sb, "t")
		claim := claimOf(sb.Namespace, name, nil)
		claim.Labels, claim.OwnerReferences = inside, []metav1.OwnerReference{builder.OwnedBy(sb)}
		return claim
	}
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(alive, made(alive), made(elsewhere)).Build()
	live := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if listsBenchmarks(list) {
				t.Error("benchmarks are listed")
			}
			return c.List(ctx, list, options...)
		},
	})
	sweeper := &OrphanCollector{Client: c, Live: live, Metrics: NewMetrics(prometheus.NewRegistry()), Excluded: []string{elsewhere.Namespace}}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, sb := range []*v1alpha1.StorageBenchmark{alive, elsewhere} {
		if object := made(sb); c.Get(t.Context(), client.ObjectKeyFromObject(object), object) != nil {
			t.Errorf("the claim of %s is gone", sb.Name)
		}
	}
}

// A finalizer can be removed at any time, so orphans are looked for as long as the operator is there, and sooner after
// an error.
func TestOrphansAreLookedForAgain(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	var broken atomic.Bool
	swept := make(chan struct{}, 1)
	live := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if !listsBenchmarks(list) {
				return c.List(ctx, list, options...)
			}
			if broken.Load() {
				swept <- struct{}{}
				return errors.New("etcd is busy")
			}
			err := c.List(ctx, list, options...)
			if err != nil || list.GetContinue() == "" { // other tests' benchmarks may be more than a page
				swept <- struct{}{}
			}
			return err
		},
	})
	name, cluster, _ := named(gone, "t")
	class := l.create(l.class(name, cluster))
	broken.Store(true)
	clock := clocktesting.NewFakeClock(time.Now())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- (&OrphanCollector{Client: c, Live: live, Clock: clock, Metrics: NewMetrics(prometheus.NewRegistry())}).Start(ctx)
	}()
	next := func(after time.Duration) {
		t.Helper()
		l.eventually("the sweeper to wait", clock.HasWaiters)
		clock.Step(after - time.Second)
		if !clock.HasWaiters() {
			t.Errorf("it is looked again before %s", after)
		}
		clock.Step(time.Second)
		<-swept
	}
	<-swept
	if l.isGone(class) {
		t.Error("the class was removed, though benchmarks are not known")
	}
	broken.Store(false)
	next(orphanRetry)
	l.eventually("the class to be gone", func() bool { return l.isGone(class) })
	name, cluster, _ = named(gone, "later")
	class = l.create(l.class(name, cluster))
	next(orphanInterval)
	l.eventually("the later class to be gone", func() bool { return l.isGone(class) })
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// eventually waits for a condition.
func (l *orphanTest) eventually(what string, condition func() bool) {
	l.Helper()
	check := await.Condition(func(context.Context) (bool, error) { return condition(), nil })
	if err := (await.Wait{For: what}).Until(l.Context(), check); err != nil {
		l.Fatal(err)
	}
}

// One call that fails keeps nothing else from being removed, and is reported, so that it is tried again.
func TestOrphansThatCannotBeRemoved(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	name, cluster, inside := named(gone, "t")
	class := l.create(l.class(name, cluster))
	claim := l.create(l.claim(name, inside, builder.OwnedBy(gone)))
	refusing := interceptor.NewClient(c, interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if _, isClaim := object.(*corev1.PersistentVolumeClaim); isClaim {
				return errors.New("webhook does not answer")
			}
			return c.Delete(ctx, object, options...)
		},
	})
	sweeper := &OrphanCollector{Client: refusing, Live: c, Metrics: NewMetrics(prometheus.NewRegistry())}
	if err := sweeper.Sweep(t.Context()); err == nil || !strings.Contains(err.Error(), "webhook does not answer") {
		t.Errorf("error = %v", err)
	}
	if !l.isGone(class) || l.isGone(claim) {
		t.Errorf("class gone: %t, claim gone: %t", l.isGone(class), l.isGone(claim))
	}
}

// Where the API server does not know the benchmarks, as one that has just begun, nothing is taken for orphaned.
func TestNothingIsOrphanedAsLongAsBenchmarksAreUnknown(t *testing.T) {
	c := envtest.Client(t)
	l := &orphanTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = uuid.NewUUID()
	name, cluster, _ := named(gone, "t")
	class := l.create(l.class(name, cluster))
	ignorant := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if listsBenchmarks(list) {
				return apierrors.NewGenericServerResponse(http.StatusNotFound, http.MethodGet, schema.GroupResource{}, "", "", 0, true)
			}
			return c.List(ctx, list, options...)
		},
	})
	sweeper := &OrphanCollector{Client: c, Live: ignorant, Metrics: NewMetrics(prometheus.NewRegistry())}
	if err := sweeper.Sweep(t.Context()); err == nil {
		t.Error("no error, so that it would not be tried again")
	}
	if l.isGone(class) {
		t.Error("the class was removed")
	}
}
