package controllers

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// setReady has the node lifecycle controller's word on a node and on the pod there.
func setReady(w *testWorld, pod *corev1.Pod, ready corev1.ConditionStatus) {
	w.Helper()
	node := &corev1.Node{}
	if err := w.Client.Get(w.Context(), client.ObjectKey{Name: pod.Spec.NodeName}, node); err != nil {
		w.Fatal(err)
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."}}
	if err := w.Client.Status().Update(w.Context(), node); err != nil {
		w.Fatal(err)
	}
	patch := client.StrategicMergeFrom(pod.DeepCopy())
	podReady := corev1.ConditionTrue
	if ready != corev1.ConditionTrue {
		podReady = corev1.ConditionFalse
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: podReady}}
	if err := w.Client.Status().Patch(w.Context(), pod, patch); err != nil {
		w.Fatal(err)
	}
}

// A user whose run is not heard of is told which node does not answer, until it does.
func TestNodeThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	pod := &w.runPods()[0]
	setReady(w, pod, corev1.ConditionUnknown)
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "node "+pod.Spec.NodeName+" does not answer (Kubelet stopped posting node status)")
	setReady(w, pod, corev1.ConditionTrue)
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if text := harness.Conditions(sb); strings.Contains(text, "does not answer") {
			return errors.New(text)
		}
		return nil
	})
}
