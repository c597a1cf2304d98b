//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// exclusive has the benchmark ask for a node of its own, as benchmarks do unless they say otherwise.
func exclusive(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement = nil }

// on has the benchmark go to one certain node, whatever others there are.
func on(node string) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		if sb.Spec.Placement == nil {
			sb.Spec.Placement = &v1alpha1.Placement{}
		}
		sb.Spec.Placement.NodeSelector = map[string]string{corev1.LabelHostname: node}
	}
}

// sweep has the benchmark's first workload measured with several block sizes.
func sweep(sizes ...string) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		var values v1alpha1.MatrixValues
		for _, size := range sizes {
			values = append(values, intstr.FromString(size))
		}
		sb.Spec.Workloads[0].Fio.BS = nil
		sb.Spec.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{"bs": values}
	}
}

// pods returns the benchmark's pods of a role.
func pods(t *testing.T, sb *v1alpha1.StorageBenchmark, role string) []corev1.Pod {
	t.Helper()
	var list corev1.PodList
	if err := k8s.List(t.Context(), &list, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelRole: role}); err != nil {
		t.Fatalf("list pods: %v", err)
	}
	return list.Items
}

// staged returns how often the kubelets of the test's nodes have had volumes made ready, which a volume needs each time that
// it comes to a node.
func staged(t *testing.T) int {
	t.Helper()
	total := 0
	for _, node := range nodesOf(t) {
		text, err := clientset.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").DoRaw(t.Context())
		if err != nil {
			t.Fatalf("metrics of node %s: %v", node, err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("metrics of node %s: %v", node, err)
		}
		for _, metric := range families["csi_operations_seconds"].GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "method_name" && strings.HasSuffix(label.GetValue(), "/NodeStageVolume") {
					total += int(metric.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	return total
}

// Twelve runs on two targets are made from one node, and its volumes come to the node once.
func TestVolumesAreAttachedOnce(t *testing.T) {
	ownNode(t)
	sb := benchmark(t, "attached-once", exclusive, sweep("4k", "16k", "64k"), func(sb *v1alpha1.StorageBenchmark) {
		second := sb.Spec.Targets[0]
		second.Name = "second"
		sb.Spec.Targets = append(sb.Spec.Targets, second)
		sb.Spec.Workloads[0].Fio.RuntimeSeconds = new(int32(1))
		sb.Spec.Repetitions = new(int32(2))
	})
	before := staged(t)
	create(t, sb)
	until(t, sb, "the first run", atStep(v1alpha1.ReasonMeasuring))
	if anchors := pods(t, sb, v1alpha1.RoleAnchor); len(anchors) != 1 || anchors[0].Status.Phase != corev1.PodRunning {
		t.Errorf("anchors %+v while a run measures", anchors)
	}
	done := completes(t, sb)
	if got := staged(t) - before; got != len(done.Status.Targets) {
		t.Errorf("volumes came to the node %d times, want once for each of the %d targets", got, len(done.Status.Targets))
	}
	if got := done.Status.Progress; got != "12/12" {
		t.Errorf("progress = %s", got)
	}
	for _, target := range done.Status.Targets {
		if len(target.Volumes) != 1 || target.Volumes[0].Node == "" || target.Volumes[0].Node != done.Status.Anchors[0].Node {
			t.Errorf("target %s was measured from %+v, and the node held was %+v", target.Name, target.Volumes, done.Status.Anchors)
		}
	}
}

// Of two benchmarks that need the same node, the second waits, says for whom, and then has its turn.
func TestBenchmarksContendForANode(t *testing.T) {
	ownNode(t)
	first := benchmark(t, "first", exclusive, on(nodesOf(t)[0]), sweep("4k", "16k"), lasting(8))
	second := benchmark(t, "second", exclusive, on(nodesOf(t)[0]))
	create(t, first)
	until(t, first, "the first benchmark's turn", atStep(v1alpha1.ReasonMeasuring))
	create(t, second)

	waiting := until(t, second, "the second benchmark to wait", atStep(v1alpha1.ReasonWaitingForNode))
	want := fmt.Sprintf("(first in namespace %s)", first.Namespace)
	if message := succeeded(waiting).Message; !strings.Contains(message, want) {
		t.Errorf("message %q lacks %q", message, want)
	}
	if jobs := pods(t, second, v1alpha1.RoleRun); len(jobs) > 0 && jobs[0].Spec.NodeName != "" {
		t.Errorf("pod %s runs while another benchmark measures", jobs[0].Name)
	}
	ended := completes(t, first)
	done := completes(t, second)
	if began := done.Status.Runs[0].StartTime; began.Before(ended.Status.Runs[1].CompletionTime) {
		t.Errorf("the second benchmark began at %s, before the first had ended at %s", began, ended.Status.Runs[1].CompletionTime)
	}
}

// A benchmark whose volume nobody makes keeps another one off its node for some seconds only. Meanwhile that one says whom
// it waits for.
func TestVolumeThatIsNeverMadeHoldsNoNode(t *testing.T) {
	ownNode(t)
	node := nodesOf(t)[0]
	slow := createFor(t, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "storagebench-e2e-"}, Provisioner: "storagebench.dev/nobody",
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	never := benchmark(t, "never", exclusive, on(node), sweep("4k", "16k"), in(newNamespace(t)), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &slow.Name
	})
	create(t, never)
	eventually(t.Context(), t, "a node to be chosen for the volume", func(ctx context.Context) (bool, error) {
		var claims corev1.PersistentVolumeClaimList
		err := k8s.List(ctx, &claims, client.InNamespace(never.Namespace))
		return len(claims.Items) > 0 && claims.Items[0].Annotations["volume.kubernetes.io/selected-node"] == node, err
	})
	healthy := benchmark(t, "healthy", exclusive, on(node), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines.PodStartSeconds = new(int32(8)) // less than the time for which the other one keeps it off
	})
	create(t, healthy)
	waiting := until(t, healthy, "the healthy benchmark to wait", atStep(v1alpha1.ReasonWaitingForNode))
	want := "node " + node + " (a benchmark of another namespace)" // others may hold other nodes
	if message := succeeded(waiting).Message; !strings.Contains(message, want) {
		t.Errorf("message %q lacks %q", message, want)
	}
	completes(t, healthy)
	until(t, never, "the other one to go on waiting for its volume", atStep(v1alpha1.ReasonProvisioning))
}

// Benchmarks that agree to share a node need not wait for each other, and a benchmark that does not agree keeps
// even them away.
func TestSharedNode(t *testing.T) {
	ownNode(t)
	first, second := benchmark(t, "sharing", on(nodesOf(t)[0]), lasting(30)), benchmark(t, "sharing-too", on(nodesOf(t)[0]), lasting(8))
	create(t, first)
	until(t, first, "the first benchmark's turn", atStep(v1alpha1.ReasonMeasuring))
	create(t, second)
	until(t, second, "its turn beside the first one", atStep(v1alpha1.ReasonMeasuring))
	// Now, and not when the second one has ended: on a busy machine the first one has ended by then too.
	alone := benchmark(t, "alone", exclusive, on(nodesOf(t)[0]))
	create(t, alone)
	until(t, alone, "the one that does not share to wait", atStep(v1alpha1.ReasonWaitingForNode))
	beside, long := completes(t, second), completes(t, first)
	if began, ended := beside.Status.Runs[0].StartTime, long.Status.Runs[0].CompletionTime; !began.Before(ended) {
		t.Errorf("the second one began at %s, after the first had ended at %s", began, ended)
	}
	completes(t, alone)
}

// A node that is drained under a run is looked for again; the run that it interrupted is repeated. Where there is no
// other node, the benchmark says so until there is.
func TestDrainedNode(t *testing.T) {
	ownNode(t, takes(healthyNodes))
	f := begin(t, &fault{
		section: faultsOfNodes, name: "The node is drained, and no other fits",
		does: "cordons the node and evicts the benchmark's pods; uncordons it when the benchmark waits",
		sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonCompleted, bound: 2 * time.Minute, attempts: "2 or more (1 disrupted or more), 1",
	})
	sb := benchmark(t, "drained", exclusive, on(nodesOf(t)[0]), sweep("4k", "16k"), lasting(5))
	create(t, sb)
	running := until(t, sb, "fio to run", atStep(v1alpha1.ReasonMeasuring))
	node := running.Status.Anchors[0].Node

	f.strike()
	cordon(t, node, true)
	for _, pod := range append(pods(t, sb, v1alpha1.RoleRun), pods(t, sb, v1alpha1.RoleAnchor)...) {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
		if err := clientset.PolicyV1().Evictions(pod.Namespace).Evict(t.Context(), eviction); err != nil {
			t.Fatalf("evict pod %s: %v", pod.Name, err)
		}
	}
	lost := f.see(t, sb, "unschedulable")
	if a := lost.Status.Anchors[0]; a.Node != "" || a.Disruptions != 1 || !strings.Contains(a.Message, "lost node "+node) {
		t.Errorf("anchor %+v after the drain", a)
	}
	cordon(t, node, false)

	done := f.end(t, sb)
	if run := done.Status.Runs[0]; run.Attempts < 2 || run.Disruptions < 1 || run.Result == nil {
		t.Errorf("interrupted run = %+v", run)
	}
	if run := done.Status.Runs[1]; run.Attempts != 1 {
		t.Errorf("run after the drain = %+v", run)
	}
}

// An anchor that is deleted at once leaves nothing by which its end could be seen. Another one takes its place, and the run
// under way is repeated.
func TestAnchorDeletedAtOnce(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "anchor-deleted", sweep("4k", "16k"), lasting(6))
	create(t, sb)
	until(t, sb, "fio to run", atStep(v1alpha1.ReasonMeasuring))
	anchors := pods(t, sb, v1alpha1.RoleAnchor)
	if len(anchors) != 1 {
		t.Fatalf("anchors are %+v", anchors)
	}
	if err := k8s.Delete(t.Context(), &anchors[0], client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	done := completes(t, sb)
	if a := done.Status.Anchors[0]; a.Disruptions != 1 || !strings.Contains(a.Message, "its pod was deleted") {
		t.Errorf("anchor %+v", a)
	}
	if run := done.Status.Runs[0]; run.Attempts != 2 || run.Result == nil {
		t.Errorf("interrupted run = %+v", run)
	}
}

// cordon keeps new pods off a node, or lets them come again. The node is left as it was in any case.
func cordon(t *testing.T, name string, unschedulable bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	set := func(unschedulable bool) error {
		node := &corev1.Node{}
		if err := k8s.Get(ctx, clientKey(name), node); err != nil {
			return err
		}
		patch := client.MergeFrom(node.DeepCopy())
		node.Spec.Unschedulable = unschedulable
		return k8s.Patch(ctx, node, patch)
	}
	if unschedulable {
		t.Cleanup(func() {
			if err := set(false); err != nil {
				t.Errorf("uncordon: %v", err)
			}
		})
	}
	if err := set(unschedulable); err != nil {
		t.Fatalf("cordon %t: %v", unschedulable, err)
	}
}
