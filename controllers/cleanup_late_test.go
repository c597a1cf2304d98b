package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// A cluster has more volumes than come in one answer. The last answer has no token in JSON, where a list that is read into
// once more keeps the one before.
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
	s.claimTargets = ours.ClaimTargets(sb)

	left, err := s.lateVolumes(t.Context(), nil)

	if err != nil || len(left) != 1 || calls != len(pages) {
		t.Errorf("after %d calls %+v is left, %v", calls, left, err)
	}
}
