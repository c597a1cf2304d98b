package controllers

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// What operator and cluster say of a time is by one clock, whatever time it is for the machine.
func TestOneClock(t *testing.T) {
	w := newWorldWithoutOperator(t)
	w.Clock.SetTime(noon)
	w.startOperator()
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Refuse("no space") })
	w.Cluster.AllPods(fakecluster.Unschedulable("no nodes"))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
	w.isNoon("the warning about the claim", func() (times []metav1.Time) {
		var list corev1.EventList
		w.list(&list, client.InNamespace(w.Namespace))
		for _, e := range list.Items {
			if e.Reason == "ProvisioningFailed" {
				times = append(times, e.FirstTimestamp, e.LastTimestamp)
			}
		}
		return times
	})
	w.isNoon("the pod that no node takes", func() []metav1.Time { return conditionTimes(w.runPods(), corev1.PodScheduled) })

	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
	w.Cluster.AllPods(fakecluster.Evict())
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed)

	w.isNoon("the pod's eviction", func() []metav1.Time { return conditionTimes(w.runPods(), corev1.DisruptionTarget) })
	w.isNoon("the pod's containers", func() (times []metav1.Time) {
		for _, pod := range w.runPods() {
			for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
				times = append(times, status.State.Terminated.StartedAt, status.State.Terminated.FinishedAt)
			}
		}
		return times
	})
	w.isNoon("the Job", func() (times []metav1.Time) {
		for _, j := range w.jobs() {
			times = append(times, *j.Status.StartTime)
			for _, c := range j.Status.Conditions {
				times = append(times, c.LastTransitionTime)
			}
		}
		return times
	})
	w.isNoon("the status", func() []metav1.Time {
		return []metav1.Time{*sb.Status.StartTime, *sb.Status.CompletionTime, sb.Status.Conditions[0].LastTransitionTime}
	})
}

// isNoon waits until there are times, and checks that they are noon.
func (w *testWorld) isNoon(what string, times func() []metav1.Time) {
	w.Helper()
	w.Eventually(func() error {
		if len(times()) == 0 {
			return fmt.Errorf("%s has no time", what)
		}
		return nil
	})
	for _, at := range times() {
		if !at.Time.Equal(noon) {
			w.Errorf("%s has time %s", what, at)
		}
	}
}

func conditionTimes(pods []corev1.Pod, kind corev1.PodConditionType) (times []metav1.Time) {
	for _, pod := range pods {
		for _, c := range pod.Status.Conditions {
			if c.Type == kind {
				times = append(times, c.LastTransitionTime)
			}
		}
	}
	return times
}

// Time that passes has passed by the API server's clock as well, which the machine's is.
func TestTimePassesForAll(t *testing.T) {
	behind := fakecluster.NewClockAt(time.Now().Add(-time.Hour))
	created := time.Now().Truncate(time.Second)
	behind.Pass(time.Minute)
	if since := behind.Since(created); since < time.Minute || since > 30*time.Minute {
		t.Errorf("a minute after something was created that is %s ago", since)
	}
	ahead := fakecluster.NewClockAt(time.Now().Add(time.Hour))
	began := ahead.Now()
	ahead.Pass(time.Minute)
	if since := ahead.Since(began); since != time.Minute {
		t.Errorf("a minute after something began that is %s ago", since)
	}
}
