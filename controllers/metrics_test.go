package controllers

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// valuesOf returns the values of all metrics, by name and the value of their only label.
func valuesOf(t *testing.T, gatherer prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := gatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			if labels := m.GetLabel(); len(labels) > 0 {
				name += " " + labels[0].GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return values
}

// What happens to benchmarks can be seen from outside.
func TestMetrics(t *testing.T) {
	w := newWorld(t)
	w.registry.MustRegister(NewActiveBenchmarks(w.Client))
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		switch {
		case pod.Labels[v1alpha1.LabelTarget] == "two":
			return fakecluster.Fail(digest.ExitFailed, "no")
		case pod.Labels[v1alpha1.LabelAttempt] == "1":
			return fakecluster.Hang(job.MeasureContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	began := w.Clock.Now()
	w.pass(sb, 20*time.Second)
	w.Eventually(func() error {
		if v := valuesOf(t, w.registry); v["storagebench_step_seconds_total Measuring"] != w.Clock.Since(began).Seconds() || v["storagebench_benchmarks Measuring"] < 1 {
			return fmt.Errorf("metrics are %v", v)
		}
		return nil
	})
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		switch {
		case pod.Labels[v1alpha1.LabelTarget] == "two":
			return fakecluster.Fail(digest.ExitFailed, "no")
		case pod.Labels[v1alpha1.LabelAttempt] == "1" && pod.Annotations[v1alpha1.AnnotationRun] == "reads.one":
			return fakecluster.Evict()
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed)
	w.Eventually(func() error { // the operator counts what it has written
		if v := valuesOf(t, w.registry); v["storagebench_benchmarks_finished_total RunFailed"] == 0 {
			return fmt.Errorf("metrics are %v", v)
		}
		return nil
	})
	values := valuesOf(t, w.registry)
	for name, want := range map[string]float64{
		"storagebench_runs_total Succeeded":                2,
		"storagebench_runs_total Failed":                   2,
		"storagebench_abandoned_attempts_total Disrupted":  1,
		"storagebench_benchmarks_finished_total RunFailed": 1,
		"storagebench_benchmarks_left_behind_total":        0,
	} {
		if values[name] != want {
			t.Errorf("%s is %v, want %v", name, values[name], want)
		}
	}
	if len(sb.Status.AbandonedAttempts) != 1 {
		t.Errorf("attempts: %+v", sb.Status.AbandonedAttempts)
	}
}

// What is left of a benchmark is told as long as that is there, also by an operator that has not seen it happen. Of
// namespaces that have none there is nothing.
func TestLeftoversAreToldOfWhatIsThere(t *testing.T) {
	var all []client.Object
	for name, reason := range map[string]string{"cleaned": v1alpha1.ReasonNothingLeft, "left": v1alpha1.ReasonLeftBehind, "left too": v1alpha1.ReasonLeftBehind} {
		namespace, _, _ := strings.Cut(name, " ")
		sb := builder.OneRun(namespace, strings.ReplaceAll(name, " ", "-")).Build()
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCleanedUp, Reason: reason}}
		all = append(all, sb)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewActiveBenchmarks(fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(all...).Build()))
	want := map[string]float64{"storagebench_benchmarks_with_leftovers left": 2}
	if got := valuesOf(t, registry); !maps.Equal(got, want) {
		t.Errorf("metrics are %v, want %v", got, want)
	}
}

// A benchmark that is found by a new operator has not been waiting for that operator.
func TestSecondsBeginWithTheFirstPass(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	sb := builder.OneRun("default", "sb").Build()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPreparing}}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var last time.Time
	m.seen(sb, &last, now)
	m.seen(sb, &last, now.Add(3*time.Second))
	sb.Status.Conditions[0].Reason = v1alpha1.ReasonMeasuring
	m.seen(sb, &last, now.Add(5*time.Second))
	sb.Status.Conditions[0].Status = metav1.ConditionTrue
	m.seen(sb, &last, now.Add(time.Hour))
	sb.Status.Conditions[0].Status = metav1.ConditionUnknown
	m.seen(sb, &last, now.Add(2*time.Hour))
	values := valuesOf(t, registry)
	if values["storagebench_step_seconds_total Preparing"] != 3 || values["storagebench_step_seconds_total Measuring"] != 2 {
		t.Errorf("metrics are %v", values)
	}
}

// A benchmark of which something is left is counted once: at its end, or when it is deleted before.
func TestLeftBehindIsCountedOnce(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"at its end, and not when it is deleted": false, "when it is deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return false })
			if deleted {
				w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			}
			sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
			if deleted {
				w.untilStep(sb, v1alpha1.ReasonMeasuring)
			} else {
				w.untilStep(sb, v1alpha1.ReasonCleaningUp, "waiting for the removal of volume")
				w.pass(sb, 600*time.Second)
				w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "not removed within")
				// The API server, which stamps the deletion, has not seen those 600 s.
				w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.CleanUpSeconds = new(int32(7200)) })
			}
			w.delete(sb)
			w.untilStep(sb, v1alpha1.ReasonCleaningUp, "waiting for the removal of volume")
			w.pass(sb, 7200*time.Second)
			w.Eventually(func() error { return w.gone(sb.DeepCopy()) })
			w.Eventually(func() error { // it is counted when it was let go
				for _, name := range []string{"storagebench_benchmarks_left_behind_total", "storagebench_benchmarks_deleted_with_leftovers_total"} {
					if n := valuesOf(t, w.registry)[name]; n != 1 {
						return fmt.Errorf("%s is %v, want 1", name, n)
					}
				}
				return nil
			})
		})
	}
}
