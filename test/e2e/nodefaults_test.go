//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// preferring has the benchmark go to a node as long as that is there.
func preferring(node string) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 100,
				Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
				}}},
			}},
		}}
	}
}

// What runs on a node goes on while its kubelet and its container runtime are away, and its result is read when they
// are back.
func TestNodeComponentsRestart(t *testing.T) {
	ownNode(t, shares(healthyNodes), budget(5*time.Minute))
	node := nodesOf(t)[0]
	for _, test := range []struct {
		program, name, does string
		away, bound         time.Duration
	}{
		{
			"kubelet", "The kubelet is away when a run ends",
			"stops the kubelet, and starts it 60 s later, when fio has long ended and the node is NotReady", 60 * time.Second, 2 * time.Minute,
		},
		{"containerd", "The container runtime restarts under a run", "kills containerd (SIGKILL) and starts it", 0, time.Minute},
	} {
		t.Run(test.program, func(t *testing.T) {
			f := begin(t, &fault{
				section: faultsOfNodes, name: test.name, does: test.does,
				sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: test.bound,
			})
			sb := benchmark(t, "restarts", on(node), sweep("4k", "16k"), lasting(7))
			create(t, sb)
			runningPod(t, sb)
			f.strike()
			component := componentOf(node, test.program)
			interfere(t, []string{"stop", "--now", component}, []string{"start", component})
			keepAway(t, test.away)
			f.see(t, sb)
			localCluster(t.Context(), t, "start", component)
			checkMadeOnce(t, f.end(t, sb))
		})
	}
}

// A node that is gone for good, as a terminated instance, is left: the run that it interrupted is made again on
// another one, also where the node was held for more runs.
func TestLostNode(t *testing.T) {
	ownNode(t, besidesShared, shares(healthyNodes), budget(6*time.Minute))
	node := nodesOf(t)[0]
	one := begin(t, &fault{
		section: faultsOfNodes, name: "The node is lost under the only run", does: "ends all processes of the node, and deletes its Node object as a cloud does",
		sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 5 * time.Minute, attempts: "2 or 3 (1 disrupted)",
	})
	more := begin(t, &fault{
		section: faultsOfNodes, name: "The node is lost under the first of two runs", does: "the same",
		sees: v1alpha1.ReasonMeasuring, ends: v1alpha1.ReasonCompleted, bound: 5 * time.Minute, attempts: "2 or 3 (1 disrupted), 1",
	})
	single := benchmark(t, "lost-one", preferring(node), lasting(15))
	several := benchmark(t, "lost-more", preferring(node), sweep("4k", "16k"), lasting(15))
	// No anchor has its volume, which goes on from node to node with what was laid out there.
	oncePod := benchmark(t, "lost-once-pod", preferring(node), sweep("4k", "16k"), lasting(15), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].AccessMode = new(corev1.ReadWriteOncePod)
	})
	all := []*v1alpha1.StorageBenchmark{single, several, oncePod}
	for _, sb := range all {
		create(t, sb)
	}
	for _, sb := range all {
		if pod := runningPod(t, sb); pod.Spec.NodeName != node {
			t.Fatalf("pod %s is on node %s, not %s", pod.Name, pod.Spec.NodeName, node)
		}
	}
	one.strike()
	more.strike()
	interfere(t, []string{"lose", node}, []string{"find", node})
	one.see(t, single)
	more.see(t, several)
	runs := []v1alpha1.Run{one.end(t, single).Status.Runs[0], more.end(t, several).Status.Runs[0]}
	done := untilWithin(t, oncePod, more.bound, "the benchmark's end", ended)
	if succeeded(done).Reason != v1alpha1.ReasonCompleted {
		t.Errorf("%s: %+v", oncePod.Name, succeeded(done))
	}
	for _, run := range append(runs, done.Status.Runs[0]) {
		// Kubernetes deletes the pods of a lost node one after the other. Where the anchor's comes last, an attempt begins for which there is no node.
		if run.Attempts < 2 || run.Attempts > 3 || run.Disruptions != 1 || run.Result == nil {
			t.Errorf("interrupted run = %+v", run)
		}
	}
}

// A node that does not answer keeps its pods: Kubernetes cannot know whether they still write. A benchmark does not
// wait for ever for such a pod, nor for the volume that it holds, and says what is left and what frees it.
func TestNodeDoesNotAnswer(t *testing.T) {
	ownNode(t, besidesShared, shares(healthyNodes), budget(5*time.Minute), waits)
	node := nodesOf(t)[0]
	f := begin(t, &fault{
		section: faultsOfNodes, name: "The node does not answer, and holds the volume",
		does: "stops the kubelet and deletes the run's pod, as Kubernetes does after 5 minutes; deadlines podStartSeconds 20, cleanUpSeconds 5",
		sees: v1alpha1.ReasonMeasuring,
		ends: v1alpha1.ReasonDeadlineExceeded, bound: 4 * time.Minute,
		leaves: "pod, claim and volume until the node answers; condition CleanedUp names them and the commands",
	})
	sb := benchmark(t, "no-answer", onEBS, preferring(node), lasting(300), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines.PodStartSeconds, sb.Spec.Deadlines.CleanUpSeconds = new(int32(20)), new(int32(5))
	})
	create(t, sb)
	pod := runningPod(t, sb)
	volume := volumeOf(t, pod)
	f.strike()
	kubelet := componentOf(node, "kubelet")
	interfere(t, []string{"stop", "--now", kubelet}, []string{"start", kubelet})
	f.see(t, sb, "does not answer", node)
	if err := k8s.Delete(t.Context(), pod, client.GracePeriodSeconds(1)); err != nil {
		t.Fatal(err)
	}
	done := f.end(t, sb, node)
	left := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionCleanedUp)
	if left == nil || left.Reason != v1alpha1.ReasonLeftBehind || !strings.Contains(left.Message, "kubectl delete pod --force -n "+sb.Namespace+" "+pod.Name) {
		t.Errorf("condition CleanedUp %+v does not say how pod %s is removed", left, pod.Name)
	}
	localCluster(t.Context(), t, "start", kubelet)
	eventually(t.Context(), t, "the volume to be detached and deleted, as its node answers", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(volume), volume)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
