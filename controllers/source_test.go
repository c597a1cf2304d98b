package controllers

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// restoredTarget is a target whose volume is made from a snapshot.
func restoredTarget(name string) v1alpha1.Target {
	target := builder.NewBlockTarget(name)
	target.DataSource = &v1alpha1.DataSource{APIGroup: new(v1alpha1.SnapshotGroup), Kind: v1alpha1.DataSourceSnapshot, Name: "db"}
	return target
}

// The claim asks for what the target is to be made from. Nothing is laid out, fio only reads, and the first run is told
// from those after it.
func TestVolumeOfASnapshot(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var source *corev1.TypedLocalObjectReference
	writes := map[string]bool{} // by the names of runs
	w.Cluster.OnClaim(func(claim *corev1.PersistentVolumeClaim) fakecluster.Provisioning {
		mu.Lock()
		defer mu.Unlock()
		source = claim.Spec.DataSource.DeepCopy()
		return fakecluster.Bind()
	})
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		writes[pod.Annotations[v1alpha1.AnnotationRun]] = !slices.Contains(pod.Spec.Containers[0].Args, "--readonly") || len(pod.Spec.InitContainers) > 0 ||
			variable(&pod.Spec, digest.LayoutVariable) != ""
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(restoredTarget("restored")).Workload(builder.NewWorkload("reads")).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	defer mu.Unlock()
	want := &corev1.TypedLocalObjectReference{APIGroup: new(v1alpha1.SnapshotGroup), Kind: "VolumeSnapshot", Name: "db"}
	if diff := cmp.Diff(want, source); diff != "" {
		t.Errorf("the claim is made from (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"reads.restored.1": false, "reads.restored.2": false}, writes); diff != "" {
		t.Errorf("which pods may write to the volume (-want +got):\n%s", diff)
	}
	for i, words := range []string{"no run has used this volume", "earlier runs have used this volume"} {
		run := &sb.Status.Runs[i]
		if !slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool {
			return w.Reason == v1alpha1.WarningFirstAccess && strings.HasPrefix(w.Message, words)
		}) {
			t.Errorf("%s has no warning that begins with %q: %+v", run.Name, words, run.Warnings)
		}
	}
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		t.Error(err)
	}
}

// A source that is not ready is waited for, with the provisioner's reason, as long as a volume may take.
func TestSourceThatIsNotReady(t *testing.T) {
	w := newWorld(t)
	const words = "error getting handle for DataSource Type VolumeSnapshot by Name db: snapshot db is not Ready"
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Refuse(words) })
	w.Cluster.AllPods(fakecluster.Unschedulable("waiting for the volume"))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(restoredTarget("restored")).Workload(builder.NewWorkload("reads")).
		Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(6000))}).Build())
	w.untilStep(sb, v1alpha1.ReasonProvisioning, "run reads.restored")
	w.pass(sb, 10*time.Second)
	w.untilStep(sb, v1alpha1.ReasonProvisioning, words)

	w.pass(sb, 6000*time.Second)
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, words)
}

// Kubernetes binds a claim to a free volume that fits, whatever the claim is to be made from: what would be measured
// has nothing of the source.
func TestFreedVolumeInThePlaceOfASource(t *testing.T) {
	w := newWorld(t)
	volume := freedVolume(w, func(pv *corev1.PersistentVolume) { pv.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) })
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
	w.Cluster.AllPods(fakecluster.Unschedulable("no node yet"))
	target := restoredTarget("restored")
	target.StorageClassName = &volume.Spec.StorageClassName
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(builder.NewWorkload("reads")).Build())

	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, "was bound to volume "+volume.Name, "does not hold the data of VolumeSnapshot db")

	if err := w.gone(volume); err == nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		t.Errorf("the volume is %+v", volume)
	}
}
