package controllers

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// setReady has the node lifecycle controller's word on a node and on the pod there.
func setReady(w *world, pod *corev1.Pod, ready corev1.ConditionStatus) {
	w.Helper()
	node := &corev1.Node{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Name: pod.Spec.NodeName}, node); err != nil {
		w.Fatal(err)
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."}}
	if err := w.client.Status().Update(w.Context(), node); err != nil {
		w.Fatal(err)
	}
	patch := client.StrategicMergeFrom(pod.DeepCopy())
	podReady := corev1.ConditionTrue
	if ready != corev1.ConditionTrue {
		podReady = corev1.ConditionFalse
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: podReady}}
	if err := w.client.Status().Patch(w.Context(), pod, patch); err != nil {
		w.Fatal(err)
	}
}

// A user whose run is not heard of is told which node does not answer, until it does.
func TestNodeThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	w.cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	pod := &w.runPods()[0]
	setReady(w, pod, corev1.ConditionUnknown)
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "node "+pod.Spec.NodeName+" does not answer (Kubelet stopped posting node status)")
	setReady(w, pod, corev1.ConditionTrue)
	w.until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if text := conditions(sb); strings.Contains(text, "does not answer") {
			return errors.New(text)
		}
		return nil
	})
}

// Nobody tells of a pod that is lost, so it is looked for when it is given up, and not when the run's deadline ends.
func TestDeletedPodIsLookedForWhenItIsGivenUp(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	sb.Spec.Deadlines.RunSeconds = new(int32(86400))
	sb.Status.Runs = []v1alpha1.Run{{Name: "run"}}
	for _, test := range []struct {
		name    string
		givenUp time.Time
		want    time.Duration
	}{
		{"not deleted", time.Time{}, 24 * time.Hour},
		{"deleted", noon.Add(lostAfter), lostAfter + retrySoon},
		{"given up", noon.Add(-time.Second), retrySoon},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &scope{Reconciler: &Reconciler{Clock: clocktesting.NewFakeClock(noon)}, sb: sb.DeepCopy(), before: sb}
			out := s.watchRunning(&s.sb.Status.Runs[0], observation{reason: v1alpha1.ReasonMeasuring, since: noon, givenUp: test.givenUp})
			if out.after != test.want {
				t.Errorf("the next pass comes after %s, want %s", out.after, test.want)
			}
		})
	}
	live := observation{progress: running, since: noon}
	lost := observation{progress: running, since: noon, givenUp: noon}
	for _, parts := range [][]part{{{seen: live}, {seen: lost}}, {{seen: lost}, {seen: live}}} {
		if seen, _ := together(parts); !seen.givenUp.Equal(noon) {
			t.Errorf("of two clients of which one is deleted, %+v", seen)
		}
	}
}
