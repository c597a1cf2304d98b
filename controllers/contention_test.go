package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// Pods of a benchmark that is gone, or that another operator runs, do not hide those of one that is older and in need.
func TestElderBesideOneThatIsNotSeen(t *testing.T) {
	young, elder := builder.OneRun("default", "young").Build(), builder.OneRun("default", "elder").Build()
	young.CreationTimestamp, elder.CreationTimestamp = metav1.NewTime(noon), metav1.NewTime(noon.Add(-time.Hour))
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(young, elder)
	for _, benchmark := range []string{"elder", "gone-1", "gone-2", "gone-3"} {
		for i, node := range []string{"node", ""} {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "default", Name: fmt.Sprintf("%s-%d", benchmark, i),
					Labels: map[string]string{v1alpha1.LabelHoldsNode: "true", v1alpha1.LabelBenchmark: benchmark},
				},
				Spec: corev1.PodSpec{NodeName: node},
			}
			if node == "" {
				pod.Status.Conditions = []corev1.PodCondition{{
					Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
					Message: "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.",
				}}
			}
			c.WithObjects(pod)
		}
	}
	s := &scope{Reconciler: &Reconciler{Client: c.Build()}, sb: young}
	for range 20 { // they are looked at in any order
		if got, err := s.elderInNeed(t.Context()); err != nil || got != "elder in namespace default" {
			t.Fatalf("%q, %v", got, err)
		}
	}
}
