package attempt

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// twoClients returns a benchmark of two clients, whose anchors are at their third attempt.
func twoClients(name string, age time.Duration) *v1alpha1.StorageBenchmark {
	anchor := v1alpha1.Anchor{Attempts: 3, StartTime: &metav1.Time{Time: noon}}
	return &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-of-" + name), CreationTimestamp: metav1.NewTime(noon.Add(-age))},
		Status:     v1alpha1.StorageBenchmarkStatus{Anchors: []v1alpha1.Anchor{anchor, anchor}},
	}
}

// anchorsOf returns the anchors of a benchmark of two clients: the first one has a node, and the other one finds none.
func anchorsOf(sb *v1alpha1.StorageBenchmark) []corev1.Pod {
	pods := make([]corev1.Pod, 2)
	for i := range pods {
		pods[i].ObjectMeta = metav1.ObjectMeta{
			Namespace: sb.Namespace, Name: childmeta.AnchorName(sb, int32(i), 3),
			Labels: childmeta.Labels(sb, v1alpha1.LabelHoldsNode, "true", v1alpha1.LabelRole, v1alpha1.RoleAnchor, v1alpha1.LabelAttempt, "3", v1alpha1.LabelClient, fmt.Sprint(i)),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark", Name: sb.Name, UID: sb.UID, Controller: new(true),
			}},
		}
	}
	pods[0].Spec.NodeName = "node-of-" + sb.Name
	crowdOut(&pods[1])
	return pods
}

// crowdOut has a pod find no node because of others.
func crowdOut(pod *corev1.Pod) {
	pod.Spec.NodeName = ""
	condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.")(pod)
}

// Of two benchmarks that hold what each other waits for the younger one gives way, and to nobody who only looks as if it did.
func TestOlder(t *testing.T) {
	for _, test := range []struct {
		name   string
		age    time.Duration
		change func(other *v1alpha1.StorageBenchmark, pods []corev1.Pod)
		want   bool
	}{
		{"it is older, holds a node and waits for one", time.Hour, nil, true},
		{"it is younger", -time.Hour, nil, false},
		{"it is as old, and its UID comes first", 0, func(other *v1alpha1.StorageBenchmark, pods []corev1.Pod) {
			other.UID = "a"
			copy(pods, anchorsOf(other))
		}, true},
		{"it is as old, and its UID comes last", 0, nil, false},
		{"it has all its nodes", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) { pods[1].Spec.NodeName = "b" }, false},
		{"it has none yet", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) { crowdOut(&pods[0]) }, false},
		{"it waits for something else", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) { pods[1].Status.Conditions = nil }, false},
		{"it has measured", time.Hour, func(other *v1alpha1.StorageBenchmark, _ []corev1.Pod) {
			other.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionTrue}}
		}, false},
		{"it is being deleted", time.Hour, func(other *v1alpha1.StorageBenchmark, _ []corev1.Pod) {
			other.DeletionTimestamp = new(metav1.NewTime(noon))
		}, false},
		{"it is suspended", time.Hour, func(other *v1alpha1.StorageBenchmark, _ []corev1.Pod) { other.Status.Anchors[0].StartTime = nil }, false},
		{"it has no anchors", time.Hour, func(other *v1alpha1.StorageBenchmark, _ []corev1.Pod) { other.Status.Anchors = nil }, false},
		{"its pods are of an attempt before", time.Hour, func(other *v1alpha1.StorageBenchmark, _ []corev1.Pod) { other.Status.Anchors[1].Attempts = 4 }, false},
		{"its pods have only labels", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) {
			pods[0].OwnerReferences, pods[1].OwnerReferences = nil, nil
		}, false},
		{"its pods are of one that had its name", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) {
			pods[0].OwnerReferences[0].UID, pods[1].OwnerReferences[0].UID = "gone", "gone"
		}, false},
		{"the pod that waits has another name", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) { pods[1].Name = "forged" }, false},
		{"the pod that has a node has another name", time.Hour, func(_ *v1alpha1.StorageBenchmark, pods []corev1.Pod) { pods[0].Name = "forged" }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			mine, other := twoClients("mine", 0), twoClients("other", test.age)
			pods := anchorsOf(other)
			if test.change != nil {
				test.change(other, pods)
			}
			rivals := RivalsOf(mine, append(anchorsOf(twoClients("gone", 2*time.Hour)), pods...))
			rivals.Benchmarks[NameOf(&pods[0])] = other
			if got := rivals.older(mine); (got == other) != test.want || (got != nil) != test.want {
				t.Errorf("older is %v, want it: %t", got, test.want)
			}
		})
	}
}

// A benchmark's own pods are none of its rivals', nor is what has ended. Whose another pod is its labels do not tell.
func TestRivals(t *testing.T) {
	mine, other := twoClients("mine", 0), twoClients("other", time.Hour)
	ended := anchorsOf(other)[0]
	ended.Status.Phase = corev1.PodFailed
	elsewhere := anchorsOf(mine)[0]
	elsewhere.Namespace = "another"
	forged := anchorsOf(mine)[0]
	forged.OwnerReferences = nil
	pods := append(anchorsOf(mine), ended, elsewhere, forged, anchorsOf(other)[0])
	rivals := RivalsOf(mine, pods)
	rivals.Benchmarks[types.NamespacedName{Namespace: "ns", Name: "other"}] = other
	rivals.Benchmarks[types.NamespacedName{Namespace: "ns", Name: "mine"}] = mine
	for i, want := range []*v1alpha1.StorageBenchmark{nil, nil, other} {
		if i >= len(rivals.Pods) {
			t.Fatalf("there are %d rivals", len(rivals.Pods))
		}
		if got := rivals.of(&rivals.Pods[i]); got != want {
			t.Errorf("rival %d is of %v, want %v", i, got, want)
		}
	}
	if len(rivals.Pods) != 3 {
		t.Errorf("there are %d rivals", len(rivals.Pods))
	}
	for node, want := range map[string]string{"node-of-mine": "", "node-of-other": "other in namespace ns"} {
		if got := rivals.On(mine, node); got != want {
			t.Errorf("on %s is %q, want %q", node, got, want)
		}
	}
}

// Names of what is in other namespaces are not told: who may see one benchmark need not know of another tenant's.
func TestNamesOfOthersAreNotTold(t *testing.T) {
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "mine"}}
	for other, want := range map[types.NamespacedName]string{
		{Namespace: "mine", Name: "another"}:  "another in namespace mine",
		{Namespace: "theirs", Name: "secret"}: "a benchmark of another namespace",
	} {
		if got := nameFor(sb, other); got != want {
			t.Errorf("%s is %q", other, got)
		}
	}
}
