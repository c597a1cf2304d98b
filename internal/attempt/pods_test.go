package attempt

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Users are told of a node that is gone, or that does not answer, in the words of who has found that out.
func TestUnanswered(t *testing.T) {
	node := func(kind corev1.NodeConditionType, status corev1.ConditionStatus) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse}, {Type: kind, Status: status, Message: "Kubelet stopped posting node status."},
		}}}
	}
	for name, test := range map[string]struct {
		node *corev1.Node
		want string // a part of it
	}{
		"it is gone":                    {&corev1.Node{}, "node a is gone; "},
		"it is ready":                   {node(corev1.NodeReady, corev1.ConditionTrue), ""},
		"it is not ready":               {node(corev1.NodeReady, corev1.ConditionFalse), "node a does not answer (Kubelet stopped posting node status); fio may still run there; "},
		"nobody knows whether it is":    {node(corev1.NodeReady, corev1.ConditionUnknown), "node a does not answer (Kubelet stopped posting node status); fio may still run there; "},
		"something else is not as well": {node(corev1.NodeNetworkUnavailable, corev1.ConditionUnknown), ""},
	} {
		if got := Unanswered("a", test.node); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The scheduler's words tell why a pod has no node, as long as it has none.
func TestWhyUnscheduled(t *testing.T) {
	waiting := func(words string) *corev1.Pod {
		pod := &corev1.Pod{}
		condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", words)(pod)
		return pod
	}
	const crowded, elsewhere = "2 node(s) didn't satisfy existing pods anti-affinity rules.", "1 node(s) had volume node affinity conflict"
	placed := waiting(crowded + elsewhere)
	placed.Spec.NodeName = "a"
	for name, test := range map[string]struct {
		pod                 *corev1.Pod
		crowdsOut, isBeyond bool
	}{
		"none":                      {nil, false, false},
		"has not been looked at":    {&corev1.Pod{}, false, false},
		"others are on the nodes":   {waiting(crowded), true, false},
		"its volume is on no node":  {waiting(elsewhere), false, true},
		"so says a newer scheduler": {waiting("2 node(s) didn't match PersistentVolume's node affinity."), false, true},
		"the pod's own affinity":    {waiting("2 node(s) didn't match Pod's node affinity/selector."), false, false},
		"some nodes lack the one":   {waiting(elsewhere + ", " + crowded), true, true},
		"no node has enough memory": {waiting("2 Insufficient memory."), false, false},
		"it has one since":          {placed, false, false},
	} {
		if crowdsOut, isBeyond := IsCrowdedOut(test.pod), IsVolumeElsewhere(test.pod); crowdsOut != test.crowdsOut || isBeyond != test.isBeyond {
			t.Errorf("%s: crowded out: %t, its volume elsewhere: %t", name, crowdsOut, isBeyond)
		}
	}
}
