package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// atStep returns a benchmark at a step, whose steps may take 100 s each.
func atStep(step string, change ...func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
	sb := builder.OneRun("default", "sb").Build()
	limit := new(int32(100))
	sb.Spec.Deadlines = v1alpha1.Deadlines{ProvisioningSeconds: limit, WaitingForNodeSeconds: limit, PodStartSeconds: limit, RunCompletionSeconds: limit, CleanUpSeconds: limit}
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: step}}
	for _, c := range change {
		c(sb)
	}
	return sb
}

// A benchmark is told of when its step has taken longer than the step's deadlines and 5 minutes, and nothing has come
// of it meanwhile.
func TestOverdue(t *testing.T) {
	for step, seconds := range map[string]int{
		v1alpha1.ReasonPending: 200, v1alpha1.ReasonProvisioning: 200, v1alpha1.ReasonWaitingForNode: 200,
		v1alpha1.ReasonPreparing: 300, v1alpha1.ReasonMeasuring: 300, v1alpha1.ReasonCleaningUp: 100,
	} {
		t.Run(step, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			m := NewMetrics(registry)
			begin := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
			m.overdue.saw(atStep(step), 0, begin)
			m.overdue.saw(atStep(step), 0, begin.Add(time.Minute)) // another pass is no progress
			const name = "storagebench_benchmark_overdue_seconds sb"
			value := func(after time.Duration) float64 {
				m.overdue.now = func() time.Time { return begin.Add(after) }
				return valuesOf(t, registry)[name]
			}
			limit := time.Duration(seconds)*time.Second + overdueGrace
			if got := value(limit); got != 0 {
				t.Errorf("at its deadline it is late by %v", got)
			}
			if got := value(limit + 7*time.Second); got != 7 {
				t.Errorf("7 s after it, it is late by %v", got)
			}
			m.overdue.saw(atStep(step, func(sb *v1alpha1.StorageBenchmark) {
				sb.Status.Runs = []v1alpha1.Run{{Name: "one", Attempts: 2}}
			}), 0, begin.Add(limit))
			if got := value(limit + 7*time.Second); got != 0 {
				t.Errorf("after another attempt it is late by %v", got)
			}
		})
	}
}

// Of one that has ended, is suspended or gone nothing is told.
func TestNotOverdue(t *testing.T) {
	ended := func(sb *v1alpha1.StorageBenchmark) { sb.Status.Conditions[0].Status = metav1.ConditionTrue }
	for name, end := range map[string]func(*overdue){
		"ended":     func(o *overdue) { o.saw(atStep(v1alpha1.ReasonCompleted, ended), 0, time.Time{}) },
		"suspended": func(o *overdue) { o.saw(atStep(v1alpha1.ReasonSuspended), 0, time.Time{}) },
		"gone":      func(o *overdue) { o.forget(client.ObjectKeyFromObject(atStep(""))) },
	} {
		o := newOverdue()
		o.saw(atStep(v1alpha1.ReasonMeasuring), 0, time.Time{})
		end(o)
		if late := o.late(time.Now()); len(late) != 0 {
			t.Errorf("one that is %s: %v", name, late)
		}
	}
}

// There is a bound on how many are told of.
func TestManyOverdue(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry)
	for i := range 3 * maxOverdue {
		m.overdue.saw(atStep(v1alpha1.ReasonMeasuring, func(sb *v1alpha1.StorageBenchmark) { sb.Name = strings.Repeat("x", 1+i) }), 0, time.Time{})
	}
	n := 0
	for name := range valuesOf(t, registry) {
		if strings.HasPrefix(name, "storagebench_benchmark_overdue_seconds") {
			n++
		}
	}
	if n != maxOverdue {
		t.Errorf("%d are told of, want %d", n, maxOverdue)
	}
}

// A benchmark that asks for it has its results among the metrics when it has ended, also for an operator that began
// afterwards, until it is deleted.
func TestResultMetrics(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	sb := builder.OneRun(w.Namespace, "sb").Build()
	metav1.SetMetaDataAnnotation(&sb.ObjectMeta, v1alpha1.AnnotationResultMetrics, "true")
	create(w, sb)
	create(w, builder.OneRun(w.Namespace, "other").Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	const name = "storagebench_last_result_timestamp_seconds sb"
	await := func(there bool) {
		t.Helper()
		w.Eventually(func() error {
			if values := valuesOf(t, w.registry); (values[name] > 0) != there || values["storagebench_last_result_timestamp_seconds other"] > 0 {
				return fmt.Errorf("metrics are %v, and there should be %s: %v", values, name, there)
			}
			return nil
		})
	}
	await(true)
	stop()
	w.results.ForgetBenchmark(client.ObjectKeyFromObject(sb))
	w.startOperator()
	await(true)
	w.delete(sb)
	await(false)
}
