package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// What is read of a claim and of volumes decides whether the volume counts as one that was there before.
func TestExistingVolumes(t *testing.T) {
	const uid = "0b1e5f0a-1111-2222-3333-444455556666"
	now := metav1.NewTime(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC))
	volume := func(name string, changes ...func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
		pv := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: now, Annotations: map[string]string{owned.ProvisionedBy: "csi.fake"}},
			Spec: corev1.PersistentVolumeSpec{
				StorageClassName: builder.StorageClass, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			},
		}
		for _, change := range changes {
			change(pv)
		}
		return pv
	}
	of := func(claim string, uid types.UID) func(*corev1.PersistentVolume) {
		return func(pv *corev1.PersistentVolume) {
			pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: claim, UID: uid}
		}
	}
	name := storage.ClaimName(builder.OneRun("ns", "sb").Build(), &builder.OneRun("ns", "sb").Build().Spec.Targets[0], 0)
	for what, test := range map[string]struct {
		bound    string
		volumes  []*corev1.PersistentVolume
		driver   string // of the StorageClass
		confined bool
		change   func(*v1alpha1.Target)
		want     bool
	}{
		"made for it":                       {bound: "pvc-" + uid, volumes: []*corev1.PersistentVolume{volume("pvc-"+uid, of(name, uid))}},
		"was there":                         {bound: "old", volumes: []*corev1.PersistentVolume{volume("old", of(name, uid))}, want: true},
		"older than the claim":              {bound: "pvc-" + uid, volumes: []*corev1.PersistentVolume{volume("pvc-"+uid, of(name, uid), func(pv *corev1.PersistentVolume) { pv.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour)) })}, want: true},
		"another's by its own word":         {bound: "pvc-" + uid, volumes: []*corev1.PersistentVolume{volume("pvc-"+uid, of("another", uid))}, want: true},
		"gone":                              {bound: "pvc-" + uid, want: true},
		"confined, made for it":             {bound: "pvc-" + uid, confined: true},
		"confined, was there":               {bound: "old", confined: true, want: true},
		"confined, not bound":               {confined: true, volumes: []*corev1.PersistentVolume{volume("old")}},
		"not bound, and no volume is free":  {volumes: []*corev1.PersistentVolume{volume("pvc-other", of("another", "other"))}},
		"not bound, and one is free":        {volumes: []*corev1.PersistentVolume{volume("old")}, want: true},
		"not bound, and one is kept for it": {volumes: []*corev1.PersistentVolume{volume("old", of(name, ""))}, want: true},
		"not bound, and none is ever made":  {driver: storage.NoProvisioner, want: true},
		"not bound, and its own has come":   {volumes: []*corev1.PersistentVolume{volume("pvc-"+uid, of(name, uid))}},
		"not bound, free one is too small": {volumes: []*corev1.PersistentVolume{volume("old", func(pv *corev1.PersistentVolume) {
			pv.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("1Mi")
		})}},
		"not bound, free one of another class": {volumes: []*corev1.PersistentVolume{volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.StorageClassName = "another" })}},
		"not bound, free one is a device":      {volumes: []*corev1.PersistentVolume{volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) })}},
		"not bound, free one has other modes":  {volumes: []*corev1.PersistentVolume{volume("old", func(pv *corev1.PersistentVolume) { pv.Spec.AccessModes[0] = corev1.ReadOnlyMany })}},
		"a device":                             {bound: "old", volumes: []*corev1.PersistentVolume{volume("old", of(name, uid))}, change: func(target *v1alpha1.Target) { target.VolumeMode = new(corev1.PersistentVolumeBlock) }},
	} {
		t.Run(what, func(t *testing.T) {
			sb := builder.OneRun("ns", "sb").Build()
			sb.CreationTimestamp = now
			target := &sb.Spec.Targets[0]
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: target.Name, Driver: test.driver}}
			if test.change != nil {
				test.change(target)
			}
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(&corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: uid, CreationTimestamp: now}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: test.bound},
			})
			for _, pv := range test.volumes {
				live.WithObjects(pv)
			}
			r := &Reconciler{Live: live.Build()}
			if test.confined {
				r.Namespaces = []string{"ns"}
			}
			got, err := pvc.ExistingVolumes(t.Context(), passOver(r, sb), target, 0)
			if err != nil || got.Has(name) != test.want {
				t.Errorf("was there: %v, %v, want %t", got, err, test.want)
			}
		})
	}
}

// A volume that cannot be read or changed holds back no pass. It is tried again later, but for one that is refused for
// good.
func TestTieHoldsBackNothing(t *testing.T) {
	const uid = "0b1e5f0a-1111-2222-3333-444455556666"
	away := apierrors.NewInternalError(errors.New("failed calling webhook"))
	for name, test := range map[string]struct {
		read, write error
		tries       int // in three passes, the third one after a rest
	}{
		"it is changed":            {tries: 1},
		"a webhook is away":        {write: away, tries: 2},
		"it cannot be read":        {read: away, tries: 4}, // each time twice
		"the change is invalid":    {write: apierrors.NewInvalid(schema.GroupKind{Kind: "PersistentVolume"}, "pv", nil), tries: 1},
		"the change is forbidden":  {write: apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumes"}, "pv", nil), tries: 1},
		"it was changed meanwhile": {write: apierrors.NewConflict(schema.GroupResource{Resource: "persistentvolumes"}, "pv", nil), tries: 3},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("ns", "sb").Build()
			claim := claimOf("ns", storage.ClaimName(sb, &sb.Spec.Targets[0], 0), nil)
			claim.UID, claim.Spec.VolumeName, claim.Status.Phase = uid, "pvc-"+uid, corev1.ClaimBound
			pv := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + uid, Annotations: map[string]string{owned.ProvisionedBy: "csi.fake"}},
				Spec: corev1.PersistentVolumeSpec{
					PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain, ClaimRef: &corev1.ObjectReference{Namespace: "ns", Name: claim.Name, UID: uid},
				},
			}
			tries := 0
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(pv).WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
					if tries++; test.read != nil {
						return test.read
					}
					return c.Get(ctx, key, object, options...)
				},
				Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
					if test.write != nil {
						return test.write
					}
					return c.Patch(ctx, object, patch, options...)
				},
			}).Build()
			clock := fakecluster.NewClock()
			r, remembered := &Reconciler{Live: live, Client: live, Clock: clock}, &pass.Memory{}
			for _, after := range []time.Duration{0, time.Second, pvc.RestUntied} {
				clock.Step(after)
				p := r.newPass(sb, remembered)
				p.Children.Claims = map[string]*corev1.PersistentVolumeClaim{claim.Name: claim}
				if out, err := pvc.Tie(t.Context(), p); err != nil || out != pass.GoOn() {
					t.Errorf("after %s: %+v, %v", after, out, err)
				}
			}
			if tries != test.tries {
				t.Errorf("%d tries, want %d", tries, test.tries)
			}
		})
	}
}

// A volume whose class retains it goes also where nobody cleans up: a benchmark without its finalizer takes the claim
// with it, and the claim the volume.
func TestRetainedVolumeGoesWithoutTheFinalizer(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
	}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	stop()
	volume := w.volumes()[0]
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Finalizers = nil })
	w.delete(sb)
	w.Eventually(func() error { return w.gone(sb.DeepCopy()) })

	w.Eventually(func() error { return w.gone(volume.DeepCopy()) })
}

// A volume that is tied, or never can be, is not looked at again. Who could not be asked is asked again later, and who
// was faster at once.
func TestNoteTied(t *testing.T) {
	of := schema.GroupResource{Resource: "persistentvolumes"}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{UID: "claim"}}
	for name, test := range map[string]struct {
		err         error
		tied, rests bool
	}{
		"it is tied":               {nil, true, false},
		"it is refused":            {apierrors.NewForbidden(of, "pv", errors.New("no")), true, false},
		"it is invalid":            {apierrors.NewInvalid(schema.GroupKind{Kind: "PersistentVolume"}, "pv", nil), true, false},
		"somebody has changed it":  {apierrors.NewConflict(of, "pv", errors.New("changed")), false, false},
		"the server does not work": {apierrors.NewInternalError(errors.New("away")), false, true},
		"the network does not":     {errors.New("no route to host"), false, true},
	} {
		s := writerOf(builder.OneRun("default", "sb").Build())
		pvc.NoteTied(s.Memory, claim, test.err, noon)
		if tied, rests := s.Memory.Tied.Has("claim"), s.Memory.TieAgain.Equal(at(pvc.RestUntied)); tied != test.tied || rests != test.rests {
			t.Errorf("%s: it is tied: %t, others are tried later: %t", name, tied, rests)
		}
	}
}

// A claim that is to be made from something has it on a volume that was made for the claim. Any other volume ends the
// benchmark. None is looked at twice.
func TestNoteSources(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) }).Build())
	target := &s.SB.Spec.Targets[0]
	names := storage.ClaimNames(s.SB, target)
	s.Children.Claims = map[string]*corev1.PersistentVolumeClaim{}
	for i, name := range names[:2] {
		s.Children.Claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: fmt.Sprintf("pv-%d", i)}}
	}
	s.Children.Claims[names[2]] = &corev1.PersistentVolumeClaim{}
	if got := pvc.Unsourced(s.Memory, &s.Children, target); len(got) > 0 {
		t.Errorf("without a source, %v are looked at", got)
	}
	target.DataSource = &v1alpha1.DataSource{Kind: v1alpha1.DataSourceSnapshot, Name: "before"}
	if got := pvc.Unsourced(s.Memory, &s.Children, target); !slices.Equal(got, names[:2]) {
		t.Errorf("looked at are %v, want those that are bound", got)
	}
	want := fmt.Sprintf("target fast: claim %s was bound to volume pv-1, which was not made for it", names[1])
	if got := pvc.NoteSources(s.Memory, &s.Children, target, map[string]owned.Origin{names[0]: owned.Made, names[1]: owned.Existing}); !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := pvc.Unsourced(s.Memory, &s.Children, target); !slices.Equal(got, names[1:2]) {
		t.Errorf("looked at again are %v", got)
	}
}
