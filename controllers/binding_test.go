package controllers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// selectNode has the scheduler choose a node for the volumes of all claims that anchors mount, which it announces on
// them.
func (w *testWorld) selectNode(want int) {
	w.Helper()
	w.Eventually(func() error {
		claims := slices.DeleteFunc(w.claims(), func(claim corev1.PersistentVolumeClaim) bool {
			return slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteOncePod)
		})
		if len(claims) != want { // one that comes later would never get a node
			return fmt.Errorf("%d claims, want %d", len(claims), want)
		}
		for i := range claims {
			before := claims[i].DeepCopy()
			metav1.SetMetaDataAnnotation(&claims[i].ObjectMeta, owned.SelectedNode, fakecluster.Node)
			if err := w.Client.Patch(w.Context(), &claims[i], client.MergeFrom(before)); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantHolding returns an error unless there is one pod for each client, all of them holding nodes, or none.
func wantHolding(pods []corev1.Pod, count int, holding bool) error {
	if len(pods) != count {
		return fmt.Errorf("%d pods, want %d", len(pods), count)
	}
	for i := range pods {
		pod := &pods[i]
		keepsOff := pod.Spec.Affinity != nil && pod.Spec.Affinity.PodAntiAffinity != nil
		if holds := pod.Labels[v1alpha1.LabelHoldsNode] != ""; holds != holding || count == 1 && keepsOff != holding {
			return fmt.Errorf("pod %s holds a node: %t, keeps others off: %t", pod.Name, holds, keepsOff)
		}
	}
	return nil
}

// A benchmark whose volumes take long holds no node meanwhile. When they are there it holds one before anything is
// measured.
func TestSlowVolumeHoldsNoNode(t *testing.T) {
	for name, test := range map[string]struct {
		workloads []string
		clients   int32
		attempts  int32
	}{
		"one run":                  {[]string{"reads"}, 1, 2},
		"two runs":                 {[]string{"reads", "writes"}, 1, 1},
		"one run of two clients":   {[]string{"reads"}, 2, 1},
		"two runs of two clients ": {[]string{"reads", "writes"}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			of := builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("slow"))
			for _, workload := range test.workloads {
				of = of.Workload(builder.NewWorkload(workload))
			}
			sb := create(w, of.With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = &test.clients }).Build())

			w.selectNode(int(test.clients))
			all := func() []corev1.Pod { return append(w.anchors(), w.runPods()...) }
			w.Eventually(func() error { return wantHolding(all(), int(test.clients), true) })
			w.passUntil(attempt.ReserveFor, func() error { return wantHolding(all(), int(test.clients), false) }, sb)
			w.passUntil(attempt.QuietStart, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonProvisioning, "target slow")
			}, sb)

			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
			ended := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if got := ended.Status.Runs[0].Attempts; got != test.attempts {
				t.Errorf("%d attempts of the first run, want %d", got, test.attempts)
			}
			if run := ended.Status.Runs[0]; run.Disruptions > 0 || len(ended.Status.AbandonedAttempts) > 0 {
				t.Errorf("run %+v, abandoned attempts %+v", run, ended.Status.AbandonedAttempts)
			}
			for i, anchor := range ended.Status.Anchors {
				if anchor.Disruptions > 0 || anchor.Attempts < 4-test.attempts {
					t.Errorf("the anchor of client %d is %+v", i, anchor)
				}
			}
		})
	}
}

// A pod that lets go of its node goes on with its wait: volumes have one deadline, however many pods wait for them.
func TestReleaseKeepsTheDeadline(t *testing.T) {
	const limit = 10 * time.Minute
	for name, workloads := range map[string][]string{"one run": {"reads"}, "two runs": {"reads", "writes"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			of := builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("slow"))
			for _, workload := range workloads {
				of = of.Workload(builder.NewWorkload(workload))
			}
			limits := v1alpha1.Deadlines{ProvisioningSeconds: new(int32(limit.Seconds()))}
			sb := create(w, of.Deadlines(limits).Build())
			w.selectNode(1)
			all := func() []corev1.Pod { return append(w.anchors(), w.runPods()...) }
			w.Eventually(func() error { return wantHolding(all(), 1, true) })
			w.passUntil(attempt.ReserveFor, func() error { return wantHolding(all(), 1, false) }, sb)

			w.pass(sb, limit-attempt.ReserveFor)

			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "provisioningSeconds")
		})
	}
}

// A volume that only one pod may have waits for its run, and not for the anchor. The anchor lets go of its node where
// another volume takes long, whichever target comes first.
func TestSlowVolumeBesideReadWriteOncePod(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("alone")).Target(builder.NewTarget("slow")).
		Workload(builder.NewWorkload("reads")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].AccessMode = new(corev1.ReadWriteOncePod)
	}).Build())

	w.selectNode(1)
	w.Eventually(func() error { return wantHolding(w.anchors(), 1, true) })
	w.passUntil(attempt.ReserveFor, func() error { return wantHolding(w.anchors(), 1, false) }, sb)
	w.passUntil(attempt.QuietStart, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonProvisioning, "target slow")
	}, sb)
}

// A pod whose volume is being made keeps others off a node that it does not have yet.
func TestReservedNodeIsNamed(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	label := map[string]string{v1alpha1.LabelHoldsNode: "true"}
	unschedulable := []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse}}
	for name, test := range map[string]struct {
		pod  corev1.Pod
		want string
	}{
		"nominated":      {corev1.Pod{Status: corev1.PodStatus{NominatedNodeName: "a", Conditions: unschedulable}}, "node a (pod p in namespace n, with label storagebench.dev/holds-node, of no known benchmark)"},
		"not told which": {corev1.Pod{}, "a node (pod p in namespace n, with label storagebench.dev/holds-node, of no known benchmark)"},
		"finds none":     {corev1.Pod{Status: corev1.PodStatus{Conditions: unschedulable}}, ""},
	} {
		test.pod.ObjectMeta = metav1.ObjectMeta{Namespace: "n", Name: "p", Labels: label}
		sb.Namespace = "n"
		got := attempt.RivalsOf(sb, []corev1.Pod{test.pod}).Holders(sb)
		if len(got) != 0 != (test.want != "") || len(got) == 1 && got[0] != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
