package controllers

import (
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// Of all pods of a benchmark on a new volume and on somebody's claim, only those that work on the new volume have an fsGroup: the
// kubelet changes group and mode of all files on each volume of a pod that has one.
func TestNoFSGroupOnAClaim(t *testing.T) {
	w := newWorld(t)
	w.claim("mine", corev1.PersistentVolumeFilesystem)
	var mu sync.Mutex
	seen := map[string]bool{}
	look := func(pod *corev1.Pod, outcome fakecluster.Outcome) fakecluster.Outcome {
		mu.Lock()
		defer mu.Unlock()
		role, target := pod.Labels[v1alpha1.LabelRole], pod.Labels[v1alpha1.LabelTarget]
		seen[role+" "+target] = true
		if has, want := pod.Spec.SecurityContext.FSGroup != nil, role == v1alpha1.RoleRun && target == "fast"; has != want {
			t.Errorf("%s has an fsGroup: %t, want %t", pod.Name, has, want)
		}
		return outcome
	}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome { return look(pod, fakecluster.Succeed(builder.Report())) })
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome { return look(pod, fakecluster.Hang("anchor")) })
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Target(builder.NewClaimTarget("theirs", "mine")).
		Workload(builder.NewWorkload("reads")).Build())

	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	mu.Lock()
	defer mu.Unlock()
	for _, pod := range []string{"anchor ", "run fast", "run theirs", "cleanup theirs"} {
		if !seen[pod] {
			t.Errorf("there was no pod %q: %v", pod, seen)
		}
	}
}
