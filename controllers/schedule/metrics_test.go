package schedule

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// untilServed waits until metrics have these values, by name, and no others. What changes with the time has any.
func (w *world) untilServed(want map[string]float64) {
	w.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(&w.results)
	w.Eventually(func() error {
		families, err := registry.Gather()
		if err != nil {
			return err
		}
		got := map[string]float64{}
		for _, family := range families {
			for _, m := range family.GetMetric() {
				got[family.GetName()] = m.GetGauge().GetValue()
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("metrics are %v, want %v", got, want)
		}
		for name, value := range want {
			if found, is := got[name]; !is || value != anyTime && found != value {
				return fmt.Errorf("%s is %v, want %v", name, found, value)
			}
		}
		return nil
	})
}

const anyTime = -1

// A schedule's metrics follow it: before its first result, when it has one, when it is suspended, with another operator, and when it is gone.
func TestMetrics(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.create()
	const leftOut = "storagebench_results_left_out"
	waiting := map[string]float64{
		leftOut: 0, "storagebench_schedule_period_seconds": 60,
		"storagebench_schedule_next_start_timestamp_seconds": anyTime, "storagebench_schedule_waiting_since_timestamp_seconds": anyTime,
	}
	w.untilServed(waiting)

	sb := w.measure(s, metav1.ConditionTrue, 3000)
	w.untilPoints(s, 1)
	waiting["storagebench_last_result_timestamp_seconds"] = float64(w.Get(sb).Status.CompletionTime.Unix())
	waiting["storagebench_result_operations_per_second"] = 3000
	waiting["storagebench_result_bytes_per_second"] = 0
	w.untilServed(waiting)

	stop()
	w.results.ForgetSchedule(client.ObjectKeyFromObject(s))
	w.startOperator()
	w.untilServed(waiting)

	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(true) })
	delete(waiting, "storagebench_schedule_period_seconds")
	delete(waiting, "storagebench_schedule_next_start_timestamp_seconds")
	w.untilServed(waiting)

	if err := w.Client.Delete(w.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.untilServed(map[string]float64{leftOut: 0})
}
