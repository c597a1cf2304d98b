package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// For each volume that is left there is a command that removes it, unless the volume was not made for the benchmark or
// its fate is unknown.
func TestLeftVolumes(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Build())
	s.Kept.Add(v1alpha1.VolumeStatus{Name: "of the pass before"}, false)
	var volumes []v1alpha1.VolumeStatus
	fates := []cleanup.Fate{cleanup.NotOurs, cleanup.Goes, cleanup.Stays, cleanup.Unknown}
	for i := range fates {
		volumes = append(volumes, v1alpha1.VolumeStatus{Name: fmt.Sprintf("pv-%d", i), Handle: fmt.Sprintf("vol-%d", i)})
	}
	want := []cleanup.Leftover{
		{What: "volume pv-1 (vol-1)", Command: "kubectl delete pv pv-1", Cost: cleanup.Paid},
		{What: "volume pv-3 (vol-3)", Command: "kubectl get pv pv-3", Cost: cleanup.Paid},
	}
	if got := clean.LeftVolumes(s, volumes, fates); !slices.Equal(got, want) {
		t.Errorf("left are %+v, want %+v", got, want)
	}
	if !slices.Equal(s.Kept.Volumes, []string{"pv-2 (vol-2)"}) {
		t.Errorf("kept are %q", s.Kept)
	}
}

// madeForRun returns what there is for a benchmark of one run on one volume, which its status knows.
func madeForRun(sb *v1alpha1.StorageBenchmark) (*batchv1.Job, *corev1.PersistentVolumeClaim, *corev1.PersistentVolume) {
	run := &batchv1.Job{ObjectMeta: madeFor(sb, childmeta.RunName(sb, "reads.fast", 1, 0), v1alpha1.RoleRun)}
	claim := claimOf("default", storage.ClaimName(sb, &sb.Spec.Targets[0], 0), nil)
	claim.UID, claim.OwnerReferences, claim.Spec.VolumeName, claim.CreationTimestamp = "c1", []metav1.OwnerReference{builder.OwnedBy(sb)}, "pv-c1", *at(0)
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-c1", CreationTimestamp: *at(0)}, Spec: corev1.PersistentVolumeSpec{
		PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
		ClaimRef:                      &corev1.ObjectReference{Namespace: "default", Name: claim.Name, UID: claim.UID},
	}}
	status := sb.Status.Target("fast")
	status.Claims, status.Volumes = []v1alpha1.ClaimStatus{{Name: claim.Name}}, []v1alpha1.VolumeStatus{{Name: "pv-c1", Handle: "vol-1"}}
	return run, claim, volume
}

// What cannot be removed or looked at holds back nothing else: claims and volumes, which cost money, are tried and
// named.
func TestErrorsHoldBackNothingElse(t *testing.T) {
	no := errors.New("webhook does not answer")
	for name, test := range map[string]struct {
		live, write interceptor.Funcs
		after       time.Duration
		named       []string
	}{
		"a Job cannot be deleted": {
			write: interceptor.Funcs{Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
				if _, isJob := object.(*batchv1.Job); isJob {
					return no
				}
				return c.Delete(ctx, object, options...)
			}},
			named: []string{"Job", "claim", "volume"},
		},
		"Jobs cannot be listed, for half of the time": {
			live: interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				if _, areJobs := list.(*batchv1.JobList); areJobs {
					return no
				}
				return c.List(ctx, list, options...)
			}},
			after: 30 * time.Second,
			named: []string{"claim", "volume"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStubborn(t, func(map[string]any) error { return nil }, test.live)
			writer, ok := s.Client.(client.WithWatch)
			if !ok {
				t.Fatalf("%T does not watch", s.Client)
			}
			s.Client = interceptor.NewClient(writer, test.write)
			p := s.newPass(s.sb.DeepCopy(), &pass.Memory{CleaningSince: noon, CleaningFor: cleanup.FirstTry})
			p.Now, p.Children.Claims = *at(test.after), map[string]*corev1.PersistentVolumeClaim{}
			p.Fail(v1alpha1.ReasonRunFailed, "no")
			p.SB.Status.Conditions[0].LastTransitionTime = *at(0)
			run, claim, volume := madeForRun(p.SB)
			for _, object := range []client.Object{claim, run, volume} {
				if err := writer.Create(t.Context(), object); err != nil {
					t.Fatal(err)
				}
			}

			left, err := clean.Remove(t.Context(), p)

			if !errors.Is(err, no) {
				t.Errorf("error is %v", err)
			}
			var named []string
			for _, l := range left {
				named = append(named, strings.Fields(l.What)[0])
			}
			if !slices.Equal(named, test.named) {
				t.Errorf("left is %+v", left)
			}
			if err := writer.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); !apierrors.IsNotFound(err) {
				t.Errorf("the claim is not deleted: %v", err)
			}
		})
	}
}
