package controllers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// leakTest is a namespace in which nobody but the sweeper removes anything. That sweeps the whole cluster, so that these
// tests are not parallel to others.
type leakTest struct {
	*testing.T
	client    client.WithWatch
	namespace string
}

func (l *leakTest) create(object client.Object) client.Object {
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

func (l *leakTest) isGone(object client.Object) bool {
	l.Helper()
	err := l.client.Get(l.Context(), client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		l.Fatal(err)
	}
	return apierrors.IsNotFound(err) || !object.GetDeletionTimestamp().IsZero() // the API server protects claims
}

func (l *leakTest) class(labels map[string]string) client.Object {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "leak-", Labels: labels}, Provisioner: "csi.fake"}
}

func (l *leakTest) volume(labels map[string]string) client.Object {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "leak-", Labels: labels},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.fake", VolumeHandle: "leak"},
			},
		},
	}
}

func (l *leakTest) claim(labels map[string]string, owners ...metav1.OwnerReference) client.Object {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "leak-", Namespace: l.namespace, Labels: labels, OwnerReferences: owners},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

func ownedBy(sb *v1alpha1.StorageBenchmark) metav1.OwnerReference {
	return *metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
}

// What was made for benchmarks that are gone is removed, and nothing else that looks like it.
func TestLeaksAreRemoved(t *testing.T) {
	c := envtest.Client(t)
	l := &leakTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	alive := builder.OneRun(l.namespace, "alive").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }).Build()
	l.create(alive)
	gone := alive.DeepCopy()
	gone.Name, gone.UID = "gone", types.UID("00000000-0000-0000-0000-000000000001")
	before := alive.DeepCopy() // of the same name as one that is there
	before.UID = types.UID("00000000-0000-0000-0000-000000000002")
	labelOfNone := map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}
	somebodys := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db", UID: "00000000-0000-0000-0000-000000000003", Controller: new(true)}

	leaked := map[string]client.Object{
		"a class":                         l.class(child.ClusterLabels(gone)),
		"a class of an earlier benchmark": l.class(child.ClusterLabels(before)),
		"a volume":                        l.volume(child.ClusterLabels(gone)),
		"a claim":                         l.claim(child.Labels(gone), ownedBy(gone)),
		"a claim of an earlier benchmark": l.claim(child.Labels(before), ownedBy(before)),
	}
	kept := map[string]client.Object{
		"a class of a benchmark that is there":  l.class(child.ClusterLabels(alive)),
		"a volume of a benchmark that is there": l.volume(child.ClusterLabels(alive)),
		"a claim of a benchmark that is there":  l.claim(child.Labels(alive), ownedBy(alive)),
		"a class with one of the labels":        l.class(labelOfNone),
		"a class without labels":                l.class(nil),
		"a claim with the labels alone":         l.claim(child.Labels(gone)),
		"a claim of somebody else":              l.claim(child.Labels(gone), somebodys),
		"a claim without the labels":            l.claim(nil, ownedBy(gone)),
	}
	for _, object := range leaked {
		l.create(object)
	}
	for _, object := range kept {
		l.create(object)
	}
	metrics := NewMetrics(prometheus.NewRegistry())
	if err := (&LeakSweeper{Client: c, Live: c, Metrics: metrics}).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, object := range leaked {
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

// One call that fails keeps nothing else from being removed, and is reported, so that it is tried again.
func TestLeaksThatCannotBeRemoved(t *testing.T) {
	c := envtest.Client(t)
	l := &leakTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = types.UID("00000000-0000-0000-0000-000000000001")
	class := l.create(l.class(child.ClusterLabels(gone)))
	claim := l.create(l.claim(child.Labels(gone), ownedBy(gone)))
	refusing := interceptor.NewClient(c, interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if object.GetName() == claim.GetName() {
				return errors.New("webhook does not answer")
			}
			return c.Delete(ctx, object, options...)
		},
	})
	sweeper := &LeakSweeper{Client: refusing, Live: c, Metrics: NewMetrics(prometheus.NewRegistry())}
	if err := sweeper.Sweep(t.Context()); err == nil || !strings.Contains(err.Error(), "webhook does not answer") {
		t.Errorf("error = %v", err)
	}
	if !l.isGone(class) || l.isGone(claim) {
		t.Errorf("class gone: %t, claim gone: %t", l.isGone(class), l.isGone(claim))
	}
}

// Where the API server does not know the benchmarks, as one that has just begun, nothing is taken for leaked.
func TestNothingIsLeakedAsLongAsBenchmarksAreUnknown(t *testing.T) {
	c := envtest.Client(t)
	l := &leakTest{T: t, client: c, namespace: envtest.Namespace(t, c)}
	gone := builder.OneRun(l.namespace, "gone").Build()
	gone.UID = types.UID("00000000-0000-0000-0000-000000000001")
	class := l.create(l.class(child.ClusterLabels(gone)))
	ignorant := interceptor.NewClient(c, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if _, benchmarks := list.(*v1alpha1.StorageBenchmarkList); benchmarks {
				return apierrors.NewGenericServerResponse(http.StatusNotFound, http.MethodGet, schema.GroupResource{}, "", "", 0, true)
			}
			return c.List(ctx, list, options...)
		},
	})
	sweeper := &LeakSweeper{Client: c, Live: ignorant, Metrics: NewMetrics(prometheus.NewRegistry())}
	if err := sweeper.Sweep(t.Context()); err == nil {
		t.Error("no error, so that it would not be tried again")
	}
	if l.isGone(class) {
		t.Error("the class was removed")
	}
}
