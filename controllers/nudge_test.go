package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

func TestNeedsNudge(t *testing.T) {
	began := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(noon)}}
	for _, test := range []struct {
		name   string
		change func(*corev1.Pod)
		want   bool
	}{
		{"waits for long", func(*corev1.Pod) {}, true},
		{"not for long", func(pod *corev1.Pod) { pod.CreationTimestamp = metav1.NewTime(noon.Add(1 - prepare.NudgeAfter)) }, false},
		{"has no node", func(pod *corev1.Pod) { pod.Spec.NodeName = "" }, false},
		{"is being deleted", func(pod *corev1.Pod) { pod.DeletionTimestamp = new(metav1.NewTime(noon)) }, false},
		{"runs", func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: job.MeasureContainer, State: began}}
		}, false},
		{"was refused by its kubelet", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed }, false},
		{"was changed", nudged(noon.Add(time.Second - prepare.NudgeAfter)), false},
		{"was changed long ago", nudged(noon.Add(-prepare.NudgeAfter)), true},
		{"has somebody's annotation", func(pod *corev1.Pod) { pod.Annotations = map[string]string{v1alpha1.AnnotationNudged: "yes"} }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}}
			pod.CreationTimestamp = metav1.NewTime(noon.Add(-prepare.NudgeAfter))
			test.change(pod)
			if got := prepare.NeedsNudge(pod, noon); got != test.want {
				t.Errorf("needs it: %t", got)
			}
		})
	}
}

func nudged(at time.Time) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Annotations = map[string]string{v1alpha1.AnnotationNudged: at.Format(time.RFC3339)}
	}
}

// A driver that has forgotten the pod mounts its volume as soon as the pod changes.
func TestForgottenPodIsChanged(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && pod.Annotations[v1alpha1.AnnotationNudged] == "" {
			return fakecluster.Hold(job.MeasureContainer, "ContainerCreating", "")
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
	w.pass(sb, prepare.NudgeAfter)
	w.passUntil(prepare.NudgeAfter, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	}, sb)
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// A pod that cannot be changed, such as by annotations that leave no room for one more, keeps nothing from being done:
// the benchmark can be deleted.
func TestPodThatCannotBeChanged(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hold(job.MeasureContainer, "ContainerCreating", ""))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
	w.Eventually(func() error { return wantPods(w.runPods(), false) })
	pod := &w.runPods()[0]
	used := 0
	for key, value := range pod.Annotations {
		used += len(key) + len(value)
	}
	full := client.MergeFrom(pod.DeepCopy())
	const key, most = "example.com/full", 256 << 10 // which is what the API server lets all annotations of an object have
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, strings.Repeat("x", most-used-len(key)))
	if err := w.Client.Patch(t.Context(), pod, full); err != nil {
		t.Fatal(err)
	}
	w.pass(sb, prepare.NudgeAfter)

	w.delete(sb)

	w.untilGone(sb)
}

// Pods that wait for other storage are left as they are.
func TestPodOfOtherStorageIsNotChanged(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hold(job.MeasureContainer, "ContainerCreating", ""))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.Eventually(func() error { return wantPods(w.runPods(), false) })
	w.pass(sb, prepare.NudgeAfter)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "the pod is being started") // which a pass says after it would have changed the pod
	for _, pod := range w.runPods() {
		if at := pod.Annotations[v1alpha1.AnnotationNudged]; at != "" {
			t.Errorf("pod %s was changed at %s", pod.Name, at)
		}
	}
}
