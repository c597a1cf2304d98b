//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func clientKey(name string) client.ObjectKey { return client.ObjectKey{Name: name} }

func deleteAtEnd(t *testing.T, object client.Object) {
	t.Helper()
	t.Cleanup(func() {
		if err := k8s.Delete(context.WithoutCancel(t.Context()), object); client.IgnoreNotFound(err) != nil {
			t.Errorf("delete: %v", err)
		}
	})
}

func TestDeletionMidRun(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The benchmark is deleted during a run", does: "kubectl delete sb", bound: 45 * time.Second,
	})
	sb := benchmark(t, "deletion", lasting(300))
	create(t, sb)
	runningPod(t, sb)
	f.strike()
	f.gone(t, sb)
}

func TestDeletionWhileProvisioning(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "deletion-early", lasting(300))
	create(t, sb)
	until(t, sb, "provisioning", func(sb *v1alpha1.StorageBenchmark) bool { return sb.Status.StartTime != nil })
	remove(t, sb)
}

func TestSuspend(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "suspend", lasting(4), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	create(t, sb)
	suspended := until(t, sb, "suspension", atStep(v1alpha1.ReasonSuspended))
	if suspended.Status.StartTime != nil {
		t.Error("a benchmark that is suspended from the beginning has started")
	}
	setSuspend(t, sb, false)
	pod := runningPod(t, sb)
	setSuspend(t, sb, true)
	until(t, sb, "suspension", atStep(v1alpha1.ReasonSuspended))
	eventually(t.Context(), t, "the pod to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), &corev1.Pod{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if volumes := volumesOf(t.Context(), t, sb); len(volumes) != 1 {
		t.Errorf("volumes while suspended: %v", volumes)
	}
	setSuspend(t, sb, false)
	run := completes(t, sb).Status.Runs[0]
	if run.Attempts != 2 || run.Disruptions != 0 {
		t.Errorf("run = %+v", run)
	}
}

func setSuspend(t *testing.T, sb *v1alpha1.StorageBenchmark, suspend bool) {
	t.Helper()
	err := update(t, sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = &suspend })
	if err != nil {
		t.Fatalf("set suspend to %t: %v", suspend, err)
	}
}

func TestEviction(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The pod of a run is evicted", does: "evicts the pod",
		ends: v1alpha1.ReasonCompleted, bound: 75 * time.Second,
	})
	sb := benchmark(t, "eviction", lasting(5))
	create(t, sb)
	pod := runningPod(t, sb)
	f.strike()
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := k8s.SubResource("eviction").Create(t.Context(), pod, eviction); err != nil {
		t.Fatalf("evict: %v", err)
	}
	run := f.end(t, sb).Status.Runs[0]
	if run.Attempts != 2 || run.Disruptions != 1 || run.Result.ElapsedMilliseconds < 5000 {
		t.Errorf("run = %+v", run)
	}
}

func TestSpecIsFixedAfterStart(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "fixed", lasting(300))
	create(t, sb)
	until(t, sb, "the start", func(sb *v1alpha1.StorageBenchmark) bool { return sb.Status.StartTime != nil })
	err := update(t, sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Fio.BS = new("8k") })
	if !apierrors.IsInvalid(err) {
		t.Errorf("edit of a workload: %v", err)
	}
	err = update(t, sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(3600)) })
	if err != nil {
		t.Errorf("edit of ttlSecondsAfterFinished: %v", err)
	}
}

func TestRetain(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "retain", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain })
	create(t, sb)
	until(t, sb, "the benchmark's end", ended)
	if volumes := volumesOf(t.Context(), t, sb); len(volumes) != 1 {
		t.Errorf("volumes after the end: %v", volumes)
	}
}

func TestTimeToLive(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "ttl", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(0)) })
	create(t, sb)
	eventually(t.Context(), t, "the benchmark to delete itself", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
