//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// scaleOperator has so many pods of the operator run, and waits until it is so.
func scaleOperator(ctx context.Context, t *testing.T, replicas int32) {
	t.Helper()
	if err := changeOperator(ctx, func(d *appsv1.Deployment) { d.Spec.Replicas = &replicas }); err != nil {
		t.Fatal(err)
	}
	awaitOperator(ctx, t)
}

// serveMetrics has the operator serve metrics from its next start on, until all tests end.
func serveMetrics(t *testing.T) {
	t.Helper()
	const flag = "--metrics-bind-address="
	set := func(ctx context.Context, address string) (before string, err error) {
		err = changeOperator(ctx, func(d *appsv1.Deployment) {
			for i, arg := range *argsOf(d) {
				if value, ok := strings.CutPrefix(arg, flag); ok {
					before, (*argsOf(d))[i] = value, flag+address
				}
			}
		})
		return before, err
	}
	before, err := set(t.Context(), ":8080")
	if err != nil {
		t.Fatal(err)
	}
	atEnd(func(ctx context.Context) error {
		_, err := set(ctx, before)
		return err
	})
}

// metricsOf returns what the operator serves to Prometheus.
func metricsOf(ctx context.Context, t *testing.T) string {
	t.Helper()
	pod := operatorPod(ctx, t)
	text, err := clientset.CoreV1().RESTClient().Get().Namespace(pod.Namespace).Resource("pods").Name(pod.Name + ":8080").
		SubResource("proxy").Suffix("metrics").DoRaw(ctx)
	if err != nil {
		t.Fatalf("metrics of the operator: %v", err)
	}
	return string(text)
}

// The operator makes its lease again if somebody deletes it, and goes on: others see nothing of it.
func TestLeaseIsDeleted(t *testing.T) {
	sideBySide(t, waits)
	const name = "storagebench.storagebench.dev" // LeaderElectionID in cmd/manager
	leases := clientset.CoordinationV1().Leases(operatorNamespace)
	holder := operatorPod(t.Context(), t).Name
	var before *coordinationv1.Lease
	eventually(t.Context(), t, "the operator to lead", func(ctx context.Context) (done bool, err error) {
		before, err = leases.Get(ctx, name, metav1.GetOptions{})
		return err == nil && ptr.Deref(before.Spec.HolderIdentity, "") == holder, client.IgnoreNotFound(err)
	})
	if err := leases.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the lease to be made again", func(ctx context.Context) (bool, error) {
		lease, err := leases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return lease.UID != before.UID && ptr.Deref(lease.Spec.HolderIdentity, "") == holder, nil
	})
}

// Whoever removes the finalizer by hand leaves a StorageClass that nobody owns. The next operator removes it, and what
// it does can be seen in its metrics.
func TestOrphanedObjects(t *testing.T) {
	alone(t)
	f := begin(t, &fault{
		section: faultsOfControlPlane, name: "The finalizer of a benchmark is removed by hand, and the benchmark deleted",
		does: "stops the operator, removes the finalizer, deletes the StorageBenchmark during a run, and starts the operator", bound: 90 * time.Second,
	})
	sb := benchmark(t, "leak", lasting(300), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "ebs", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}}
	})
	create(t, sb)
	runningPod(t, sb)
	volumes := volumesOf(t.Context(), t, sb)
	t.Cleanup(func() { scaleOperator(context.WithoutCancel(t.Context()), t, 1) })
	scaleOperator(t.Context(), t, 0)
	err := update(t, sb, func(sb *v1alpha1.StorageBenchmark) { controllerutil.RemoveFinalizer(sb, v1alpha1.Finalizer) })
	if err != nil {
		t.Fatalf("remove the finalizer: %v", err)
	}
	f.strike()
	if err := k8s.Delete(t.Context(), sb); err != nil {
		t.Fatalf("delete: %v", err)
	}
	eventually(t.Context(), t, "the benchmark to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if left := clusterObjects(t.Context(), t, sb); len(left) == 0 {
		t.Fatal("nothing has leaked, so that there is nothing to test")
	}
	serveMetrics(t)
	scaleOperator(t.Context(), t, 1)
	eventually(t.Context(), t, "Kubernetes to remove what the benchmark owned", func(ctx context.Context) (bool, error) {
		var pods corev1.PodList
		err := k8s.List(ctx, &pods, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name})
		return len(pods.Items) == 0 && len(volumesOf(ctx, t, sb)) == 0, err
	})
	eventually(t.Context(), t, "the volume to go with its claim", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, clientKey(volumes[0]), &corev1.PersistentVolume{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	eventually(t.Context(), t, "what has leaked to be removed", func(ctx context.Context) (bool, error) {
		return len(clusterObjects(ctx, t, sb)) == 0, nil
	})
	f.gone(t, sb)
	completed := benchmark(t, "seen", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Workloads[0].Fio.RuntimeSeconds = new(int32(1)) })
	create(t, completed)
	completes(t, completed)
	checkMetrics(t)
}

// checkMetrics checks what an operator says that has removed a leaked StorageClass, and completed a benchmark.
func checkMetrics(t *testing.T) {
	t.Helper()
	const finished = "storagebench_benchmarks_finished_total{reason=\"Completed\"} 1\n"
	metrics := ""
	eventually(t.Context(), t, "the benchmark to be counted", func(ctx context.Context) (bool, error) {
		metrics = metricsOf(ctx, t) // which come after what they count was written
		return strings.Contains(metrics, finished), nil
	})
	for _, want := range []string{
		"storagebench_orphaned_objects_removed_total{kind=\"StorageClass\"} 1\n",
		"storagebench_runs_total{outcome=\"Succeeded\"} 1\n",
		"storagebench_benchmarks_left_behind_total 0\n",
		"storagebench_step_seconds_total{reason=\"Measuring\"} ",
		"storagebench_benchmarks{reason=\"Completed\"} ",
		"controller_runtime_reconcile_errors_total{controller=\"storagebenchmark\"} ",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %q", want)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(metrics) {
			if strings.HasPrefix(line, "storagebench_") {
				t.Log(line)
			}
		}
	}
}
