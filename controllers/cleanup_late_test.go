package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// What is found late is named, whatever becomes of it: there may be test files on a volume that was there before, and
// what nobody could change may cost money.
func TestLateVolumesOfEachFate(t *testing.T) {
	const uid = "0b1e5f0a-1111-2222-3333-444455556666"
	const remove, retain = corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain
	for name, test := range map[string]struct {
		volume               string
		policy               corev1.PersistentVolumeReclaimPolicy
		mode                 corev1.PersistentVolumeMode
		refused              error
		left, kept, onDevice []string
	}{
		"it goes":                        {volume: "late", policy: remove, left: []string{"kubectl delete pv late"}},
		"it was made, and goes now":      {volume: "pvc-" + uid, policy: retain, left: []string{"kubectl delete pv pvc-" + uid}},
		"it was made, and is not let go": {volume: "pvc-" + uid, policy: retain, refused: errors.New("no"), left: []string{"kubectl get pv pvc-" + uid}},
		"it was there before":            {volume: "late", policy: retain, kept: []string{"late (vol-1)"}},
		"a device that was there":        {volume: "late", policy: retain, mode: corev1.PersistentVolumeBlock, onDevice: []string{"late (vol-1)"}},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("ns", "sb").Build()
			sb.Status.StartTime, sb.Status.Targets = new(metav1.Now()), []v1alpha1.TargetStatus{{Name: sb.Spec.Targets[0].Name}}
			pv := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: test.volume, Annotations: map[string]string{owned.ProvisionedBy: "csi.fake"}},
				Spec: corev1.PersistentVolumeSpec{
					PersistentVolumeReclaimPolicy: test.policy, VolumeMode: &test.mode,
					PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.fake", VolumeHandle: "vol-1"}},
					ClaimRef:               &corev1.ObjectReference{Namespace: "ns", Name: storage.ClaimName(sb, &sb.Spec.Targets[0], 0), UID: uid},
				},
			}
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(pv).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
					return cmp.Or(test.refused, c.Patch(ctx, object, patch, options...))
				},
			}).Build()
			p := passOver(&Reconciler{Live: live, Client: live}, sb)
			left, err := clean.LateVolumes(t.Context(), p)
			commands := world.Each(left, func(l cleanup.Leftover) string { return l.Command })
			if !errors.Is(err, test.refused) || !slices.Equal(commands, test.left) || !slices.Equal(p.Kept.Volumes, test.kept) || !slices.Equal(p.Kept.Devices, test.onDevice) {
				t.Errorf("left %q, kept %q and %q, %v", commands, p.Kept.Volumes, p.Kept.Devices, err)
			}
		})
	}
}

// A cluster has more volumes than come in one answer. The last answer has no token in JSON, where a list that is read
// into once more keeps the one before.
func TestLateVolumesOfManyPages(t *testing.T) {
	sb := builder.OneRun("ns", "sb").Build()
	sb.Status.StartTime, sb.Status.Targets = new(metav1.Now()), []v1alpha1.TargetStatus{{Name: sb.Spec.Targets[0].Name}}
	volume := func(name, claim string) corev1.PersistentVolume {
		return corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			ClaimRef:                      &corev1.ObjectReference{Namespace: "ns", Name: claim},
		}}
	}
	pages := map[string]corev1.PersistentVolumeList{
		"":     {ListMeta: metav1.ListMeta{Continue: "more"}, Items: []corev1.PersistentVolume{volume("other", "another")}},
		"more": {Items: []corev1.PersistentVolume{volume("late", storage.ClaimName(sb, &sb.Spec.Targets[0], 0))}},
	}
	calls := 0
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if calls++; calls > len(pages) {
				return errors.New("asked for more than there is")
			}
			page := pages[(&client.ListOptions{}).ApplyOptions(options).Continue]
			text, err := json.Marshal(&page)
			if err != nil {
				return err
			}
			return json.Unmarshal(text, list)
		},
	})
	s := passOver(&Reconciler{Live: live}, sb)

	left, err := clean.LateVolumes(t.Context(), s)

	if err != nil || len(left) != 1 || calls != len(pages) {
		t.Errorf("after %d calls %+v is left, %v", calls, left, err)
	}
}
