package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// freedVolume is a retained volume of a class of its own, which an administrator has made available again. What is on
// it is somebody's.
func freedVolume(w *testWorld, changes ...func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
	w.Helper()
	class := create(w, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "freed-"}, Provisioner: fakecluster.Driver, ReclaimPolicy: new(corev1.PersistentVolumeReclaimRetain),
	})
	w.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(w.Context()), class) })
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "freed-", Annotations: map[string]string{owned.ProvisionedBy: fakecluster.Driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: class.Name, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: fakecluster.Driver, VolumeHandle: "somebodys"}},
		},
	}
	for _, change := range changes {
		change(volume)
	}
	return create(w, volume)
}

// seenFSGroups notes which pods, by their role, have had an fsGroup, of certain attempts or of all.
func seenFSGroups(w *testWorld, attempts ...string) func(role string) (has, seen bool) {
	var mu sync.Mutex
	groups := map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		if len(attempts) > 0 && !slices.Contains(attempts, pod.Labels[v1alpha1.LabelAttempt]) {
			return fakecluster.Succeed(builder.Report())
		}
		role := pod.Labels[v1alpha1.LabelRole]
		groups[role] = groups[role] || pod.Spec.SecurityContext.FSGroup != nil
		return fakecluster.Succeed(builder.Report())
	})
	return func(role string) (has, seen bool) {
		mu.Lock()
		defer mu.Unlock()
		has, seen = groups[role]
		return has, seen
	}
}

// With an fsGroup the kubelet gives each file on a volume to that group. A claim of a StorageClass may come to a volume
// that was there before: no pod on it has one, also where the pod is made before the claim is bound. Test files are
// removed from it, and it is kept.
func TestNoFSGroupOnAFreedVolume(t *testing.T) {
	t.Parallel()
	for name, repetitions := range map[string]int32{"bound by the pod of the run": 1, "bound before": 2} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			volume := freedVolume(w)
			hasFSGroup := seenFSGroups(w)
			if repetitions == 1 {
				w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			} else {
				w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
			}
			sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].StorageClassName, sb.Spec.Repetitions = &volume.Spec.StorageClassName, &repetitions
			}).Build())
			w.Eventually(func() error {
				if len(w.jobs()) == 0 {
					return fmt.Errorf("there is no Job")
				}
				return nil
			})
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			for _, role := range []string{v1alpha1.RoleRun, v1alpha1.RoleCleanUp} {
				if has, seen := hasFSGroup(role); has || !seen {
					t.Errorf("pods of role %s were seen: %t, with an fsGroup: %t", role, seen, has)
				}
			}
			if state := sb.Status.Targets[0].TestFiles; state != v1alpha1.TestFilesRemoved {
				t.Errorf("test files are %q", state)
			}
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "not made for this benchmark", volume.Name+" (somebodys)"); err != nil {
				t.Error(err)
			}
			if err := w.gone(volume); err == nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
				t.Errorf("the volume is %+v", volume)
			}
		})
	}
}

// A volume that an administrator frees while a pod waits for its node comes to the pod's claim. So the claim of a
// single run is bound by an anchor, where there is a volume that may be freed: only then it is known whether the pod
// may have an fsGroup.
func TestNoFSGroupOnAVolumeFreedLater(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		freed   bool
		fsGroup bool
	}{
		"it is freed":     {true, false},
		"it is not freed": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			volume := freedVolume(w, func(pv *corev1.PersistentVolume) {
				pv.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: w.Namespace, Name: "gone", UID: "gone"}
			})
			hasFSGroup := seenFSGroups(w)
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].StorageClassName = &volume.Spec.StorageClassName
			}).Build())
			w.Eventually(func() error {
				if len(w.jobs())+len(w.anchors()) == 0 {
					return errors.New("no pod waits for the volume")
				}
				return nil
			})
			if test.freed {
				if err := w.Client.Patch(t.Context(), volume, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"claimRef":null}}`))); err != nil {
					t.Fatal(err)
				}
				w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
			} else {
				w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
			}

			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if has, seen := hasFSGroup(v1alpha1.RoleRun); has != test.fsGroup || !seen {
				t.Errorf("pods of the run were seen: %t, with an fsGroup: %t", seen, has)
			}
		})
	}
}

// A volume that is neither free nor retained when a pod with an fsGroup is made can become both while the pod waits for
// its node. Then the pod goes, before it gets one, and the claim is bound without it.
func TestNoFSGroupOnAVolumeRetainedLater(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patch string
		once  corev1.PersistentVolumeAccessMode
	}{
		"retained":                 {`{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`, corev1.ReadWriteOnce},
		"retained and freed":       {`{"spec":{"persistentVolumeReclaimPolicy":"Retain","claimRef":null}}`, corev1.ReadWriteOnce},
		"for one pod, no anchor's": {`{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`, corev1.ReadWriteOncePod},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			volume := freedVolume(w, func(pv *corev1.PersistentVolume) {
				pv.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "elsewhere", Name: "theirs", UID: "theirs"}
				pv.Spec.PersistentVolumeReclaimPolicy, pv.Spec.AccessModes = corev1.PersistentVolumeReclaimDelete, []corev1.PersistentVolumeAccessMode{test.once}
			})
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Targets[0].StorageClassName, sb.Spec.Targets[0].AccessMode = &volume.Spec.StorageClassName, &test.once
			}).Build())
			w.untilStep(sb, v1alpha1.ReasonProvisioning)
			w.Eventually(func() error {
				if len(w.jobs()) == 0 {
					return errors.New("there is no Job")
				}
				return nil
			})
			first := &w.jobs()[0]
			if first.Spec.Template.Spec.SecurityContext.FSGroup == nil || len(w.anchors()) > 0 {
				t.Fatalf("there is an anchor, or no fsGroup: %+v", first.Spec.Template.Spec.SecurityContext)
			}
			if err := w.Client.Patch(t.Context(), volume, client.RawPatch(types.MergePatchType, []byte(test.patch))); err != nil {
				t.Fatal(err)
			}
			w.Clock.Step(pvc.LookFreed)
			w.Eventually(func() error { return w.gone(first) })
			groups := seenFSGroups(w, "2")
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if has, seen := groups(v1alpha1.RoleRun); has || !seen {
				t.Errorf("pods of the run that came to the volume were seen: %t, with an fsGroup: %t", seen, has)
			}
			if run := sb.Status.Runs[0]; run.Disruptions != 1 {
				t.Errorf("the run is %+v", run)
			}
		})
	}
}

// Where an anchor has a claim bound, or can not, nothing is to be decided. A device is bound before it is written, and
// files before they may get another group.
func TestComesFirst(t *testing.T) {
	for name, test := range map[string]struct {
		settled, writesDevice, setsGroup bool
		first, depends                   bool
	}{
		"settled":                       {settled: true},
		"settled, whatever a pod does":  {settled: true, writesDevice: true, setsGroup: true},
		"settled, and a group":          {settled: true, setsGroup: true},
		"a pod that does nothing to it": {},
		"a device":                      {writesDevice: true, first: true},
		"a device, and a group":         {writesDevice: true, setsGroup: true, first: true},
		"a group":                       {setsGroup: true, depends: true},
	} {
		if first, depends := pvc.ComesFirst(test.settled, test.writesDevice, test.setsGroup); first != test.first || depends != test.depends {
			t.Errorf("%s: first %t, depends %t", name, first, depends)
		}
	}
}

// Only an fsGroup changes the group of files, and only a pod without a node can be taken back before that.
func TestWillChangeGroup(t *testing.T) {
	group := &corev1.PodSecurityContext{FSGroup: new(int64(1))}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"no pod":              {nil, false},
		"no settings":         {&corev1.Pod{}, false},
		"no group":            {&corev1.Pod{Spec: corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{}}}, false},
		"a group":             {&corev1.Pod{Spec: corev1.PodSpec{SecurityContext: group}}, true},
		"a group, and a node": {&corev1.Pod{Spec: corev1.PodSpec{SecurityContext: group, NodeName: "n"}}, false},
	} {
		if got := pvc.WillChangeGroup(test.pod); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// An operator that sees no volumes does not know which may be freed, and a user who sets security gets what they ask
// for.
func TestSetsGroup(t *testing.T) {
	for name, test := range map[string]struct {
		namespaces []string
		security   *corev1.PodSecurityContext
		want       bool
	}{
		"in the cluster":  {nil, nil, true},
		"in a namespace":  {[]string{"default"}, nil, false},
		"the user's word": {nil, &corev1.PodSecurityContext{}, false},
	} {
		s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: test.security}
		}).Build())
		s.Namespaces = test.namespaces
		if got := pvc.SetsGroup(s); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
