package controllers

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// A claim may come to a device that was there before. Nothing but what a workload asks for is written there: fio of
// others can only read, nothing is laid out, and no clean-up Job is made. The volume is kept as it was.
func TestFreedDevice(t *testing.T) {
	w := newWorld(t)
	volume := freedVolume(w, func(pv *corev1.PersistentVolume) { pv.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) })
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
	type told struct{ readOnly, laysOut bool }
	var mu sync.Mutex
	seen := map[string]told{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		measure := &pod.Spec.Containers[0]
		seen[pod.Labels[v1alpha1.LabelRole]+" "+pod.Annotations[v1alpha1.AnnotationRun]] = told{
			readOnly: slices.Contains(measure.Args, "--readonly"),
			laysOut:  len(pod.Spec.InitContainers) > 0 || variable(&pod.Spec, digest.LayoutVariable) != "",
		}
		return fakecluster.Succeed(builder.Report())
	})
	target := builder.NewBlockTarget("fast")
	target.StorageClassName = &volume.Spec.StorageClassName
	writes := builder.NewWorkload("writes")
	writes.Fio.RW = "randwrite"
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(builder.NewWorkload("reads")).Workload(writes).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	defer mu.Unlock()
	if want := (map[string]told{v1alpha1.RoleRun + " reads.fast": {readOnly: true}, v1alpha1.RoleRun + " writes.fast": {}}); !maps.Equal(seen, want) {
		t.Errorf("pods are %+v, want %+v", seen, want)
	}
	if state := sb.Status.Targets[0].TestFiles; state != "" {
		t.Errorf("a device has test files, which are %q", state)
	}
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "raw block volume "+volume.Name+" (somebodys)", "nothing else was changed"); err != nil {
		t.Error(err)
	}
	if conditions := harness.Conditions(sb); strings.Contains(conditions, "directory") {
		t.Errorf("a device is said to have a directory: %s", conditions)
	}
	if err := w.gone(volume); err == nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		t.Errorf("the volume is %+v", volume)
	}
}

// Whatever the status says, no pod is made to remove files from a device.
func TestDeviceIsNotCleaned(t *testing.T) {
	sb := builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Workload(builder.NewWorkload("w")).Build()
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Claims: []v1alpha1.ClaimStatus{{Name: "mine", UID: "c1"}}, TestFiles: v1alpha1.TestFilesPresent}}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine", UID: "c1"},
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeMode: new(corev1.PersistentVolumeBlock)},
	}
	live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim).Build()
	p := passOver(&Reconciler{Live: live}, sb) // without a client, by which a Job would be made

	state, err := clean.Claim(t.Context(), p, &p.SB.Spec.Targets[0], 0)

	if err != nil || state != v1alpha1.TestFilesRemoved {
		t.Errorf("test files are %q, %v", state, err)
	}
}
