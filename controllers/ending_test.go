package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A pod of the previous attempt that does not end ends the benchmark, and it is said what to do about it.
func TestPreviousAttemptThatDoesNotEnd(t *testing.T) {
	s := failingPass()
	left := []cleanup.Leftover{{What: "pod sb-x on node a", Command: "kubectl delete pod --force -n default sb-x"}}
	for _, after := range []time.Duration{0, 179 * time.Second} {
		s.Now = metav1.NewTime(noon.Add(after))
		if out := s.AwaitEnd("run a (1 of 1)", left); out.Saves || out.After == 0 || s.SB.Status.HasMeasured() {
			t.Fatalf("after %s: %+v, ended %t", after, out, s.SB.Status.HasMeasured())
		}
		if err := matches(s.SB, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonPreparing, "run a (1 of 1): waiting for the previous attempt to end: pod sb-x on node a"); err != nil {
			t.Error(err)
		}
		s.Memory.Succeeded(s.AwaitsEnd, s.Now.Time)
	}
	later(s, time.Second)
	if out := s.AwaitEnd("run a (1 of 1)", left); !out.Saves {
		t.Errorf("at the deadline: %+v", out)
	}
	if err := matches(s.SB, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded,
		"run a (1 of 1) waited 180 s (spec.deadlines.podStartSeconds and 120 s) for the previous attempt to end: pod sb-x on node a (kubectl delete pod --force -n default sb-x)"); err != nil {
		t.Error(err)
	}
}

// A pod that passes for one of the benchmark's and has a year to end does not keep whoever suspends it waiting without
// a word.
func TestSuspendBesideAPodThatDoesNotEnd(t *testing.T) {
	w := newWorldWithoutOperator(t)
	w.Cluster.AllPods(fakecluster.Lose())
	sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().Build())
	stays := create(w, podWithAYear(sb))
	w.Eventually(func() error {
		if err := w.gone(stays); err == nil || stays.Status.Phase != corev1.PodRunning {
			return fmt.Errorf("the pod is %v", stays.Status)
		}
		return nil
	})
	w.startOperator()
	w.untilStep(sb, v1alpha1.ReasonSuspended, "waiting for the end of pod "+stays.Name)

	w.pass(sb, 12*time.Minute)
	w.untilStep(sb, v1alpha1.ReasonSuspended, "not ended within 720 s (spec.deadlines.podStartSeconds and 120 s): pod "+stays.Name, "kubectl delete pod --force -n "+w.Namespace)

	w.delete(stays, client.GracePeriodSeconds(0))
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
}

// podWithAYear returns a pod with the name and the labels of one of a benchmark's run, which it may take a year to end.
func podWithAYear(sb *v1alpha1.StorageBenchmark) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: sb.Namespace, Name: childmeta.RunName(sb, "forged.fast", 1, 0) + "-x",
			Labels:      childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0", v1alpha1.LabelTarget, "fast"),
			Annotations: map[string]string{v1alpha1.AnnotationRun: "forged.fast"},
		},
		Spec: corev1.PodSpec{
			NodeName: fakecluster.Node, TerminationGracePeriodSeconds: new(int64(365 * 24 * 3600)),
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{Name: job.MeasureContainer, Image: "x", SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}}},
		},
	}
}
