package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
)

// isServed says whether metrics have the state of a schedule.
func isServed(t *testing.T, results *resultmetrics.Store) bool {
	t.Helper()
	values, err := served(results)
	if err != nil {
		t.Fatal(err)
	}
	_, is := values["storagebench_schedule_invalid"]
	return is
}

// served returns metrics by their names.
func served(results *resultmetrics.Store) (map[string]float64, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(results)
	families, err := registry.Gather()
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			values[family.GetName()] = m.GetGauge().GetValue()
		}
	}
	return values, err
}

// untilMetric waits until a metric has a value.
func (w *testWorld) untilMetric(name string, want float64) {
	w.Helper()
	w.Eventually(func() error {
		got, err := served(&w.results)
		if value, is := got[name]; err == nil && (!is || value != want) {
			return fmt.Errorf("%s is %v, want %v, among %v", name, value, want, got)
		}
		return err
	})
}

// untilServed waits until metrics have these values, by name, and no others. What changes with the time has any.
func (w *testWorld) untilServed(want map[string]float64) {
	w.Helper()
	w.Eventually(func() error {
		got, err := served(&w.results)
		if err != nil {
			return err
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

// A schedule's metrics follow it: before its first result, when it has one, when it is suspended, with another
// operator, and when it is gone.
func TestMetrics(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.create()
	const leftOut, invalid = "storagebench_results_left_out", "storagebench_schedule_invalid"
	waiting := map[string]float64{
		leftOut: 0, invalid: 0, "storagebench_schedule_period_seconds": 60,
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
	delete(waiting, invalid)
	delete(waiting, "storagebench_schedule_period_seconds")
	delete(waiting, "storagebench_schedule_next_start_timestamp_seconds")
	w.untilServed(waiting)

	if err := w.Client.Delete(w.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.untilServed(map[string]float64{leftOut: 0})
}

// Metrics of a schedule are not those of another one that had its name, whose deletion the operator has not seen.
func TestMetricsOfAnotherSchedule(t *testing.T) {
	results := resultmetrics.Store{Limit: 100}
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "nightly", Generation: 1}}
	results.SetResult(client.ObjectKeyFromObject(s), resultmetrics.Result{Time: time.Now()})
	p := &pass{Reconciler: &Reconciler{Results: &results}, schedule: s, memory: &memory{}}
	registry := prometheus.NewRegistry()
	registry.MustRegister(&results)
	for _, want := range []bool{false, true} { // of the first pass, and of the second one after a result
		forgetPredecessor(p)
		serveState(p)
		families, err := registry.Gather()
		has := slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "storagebench_last_result_timestamp_seconds" })
		if err != nil || has != want {
			t.Errorf("there is a result: %v, want %v, error %v", has, want, err)
		}
		results.SetResult(client.ObjectKeyFromObject(s), resultmetrics.Result{Time: time.Now()})
	}
}
