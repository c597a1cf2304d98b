package controllers

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Metrics count what the operator sees. Errors of passes are among controller-runtime's own metrics:
// controller_runtime_reconcile_errors_total{controller="storagebenchmark"}.
type Metrics struct {
	runs                 *prometheus.CounterVec
	attempts             *prometheus.CounterVec
	benchmarks           *prometheus.CounterVec
	leftBehind           prometheus.Counter
	deletedWithLeftovers prometheus.Counter
	seconds              *prometheus.CounterVec
	orphans              *prometheus.CounterVec
	foreignWrites        prometheus.Counter
	overdue              *overdue
}

// NewMetrics returns metrics that are registered. It panics if there are such metrics already.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	options := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "storagebench", Name: name, Help: help}
	}
	counter := func(name, help string) prometheus.Counter { return prometheus.NewCounter(options(name, help)) }
	counters := func(name, label, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(options(name, help), []string{label})
	}
	m := &Metrics{
		runs: counters("runs_total", "outcome",
			"Runs that have ended, by their outcome: Succeeded or Failed."),
		attempts: counters("abandoned_attempts_total", "reason",
			"Attempts of runs that were ended without a result and are not the run's last word, by reason."),
		benchmarks: counters("benchmarks_finished_total", "reason",
			"StorageBenchmarks that have ended, by the reason of their condition Succeeded."),
		leftBehind: counter("benchmarks_left_behind_total",
			"StorageBenchmarks that ended, or were deleted, with something that could not be removed, each once."),
		deletedWithLeftovers: counter("benchmarks_deleted_with_leftovers_total",
			"StorageBenchmarks that were deleted although not everything that they made could be removed."),
		seconds: counters("step_seconds_total", "reason",
			"Seconds that StorageBenchmarks were at each step, by the reason of their condition Succeeded."),
		orphans: counters("orphaned_objects_removed_total", "kind",
			"Objects that were removed because the StorageBenchmark that they were made for was gone, by kind."),
		foreignWrites: counter("foreign_status_writes_total",
			"Writes of StorageBenchmarks' statuses by another operator that works on the same ones, "+
				"as far as they were noticed."),
		overdue: newOverdue(),
	}
	registry.MustRegister(m.runs, m.attempts, m.benchmarks, m.leftBehind, m.deletedWithLeftovers, m.seconds, m.orphans,
		m.foreignWrites, m.overdue)
	return m
}

// seen adds the time since the last pass over a benchmark to that of the step that it is at, and notes when this one is
// made. last is zero if it was at none.
func (m *Metrics) seen(sb *v1alpha1.StorageBenchmark, last *time.Time, now time.Time) {
	step := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	if step.Status != metav1.ConditionUnknown {
		*last = time.Time{}
		return
	}
	if !last.IsZero() {
		m.seconds.WithLabelValues(step.Reason).Add(max(now.Sub(*last).Seconds(), 0))
	}
	*last = now
}

// changed counts what a write of a benchmark's status tells.
func (m *Metrics) changed(before, after *v1alpha1.StorageBenchmark) {
	states := map[string]v1alpha1.RunState{}
	for i := range before.Status.Runs {
		states[before.Status.Runs[i].Name] = before.Status.Runs[i].State
	}
	for i := range after.Status.Runs {
		run := &after.Status.Runs[i]
		if run.HasEnded() && states[run.Name] != run.State {
			m.runs.WithLabelValues(string(run.State)).Inc()
		}
	}
	for _, attempt := range newAttempts(before, after) {
		m.attempts.WithLabelValues(string(attempt.Reason)).Inc()
	}
	m.cleaned(before, after)
	if before.Status.CompletionTime == nil && after.Status.CompletionTime != nil {
		m.benchmarks.WithLabelValues(after.Status.Condition(v1alpha1.ConditionSucceeded).Reason).Inc()
	}
}

// cleaned counts a benchmark that leaves something behind: when its status says so for the first time, or when it is
// deleted before that.
func (m *Metrics) cleaned(before, after *v1alpha1.StorageBenchmark) {
	if after.Status.HasLeftovers() && !before.Status.HasLeftovers() {
		m.leftBehind.Inc()
	}
}

// released counts a benchmark that was deleted with something left behind. No object tells of it any more.
func (m *Metrics) released(before, after *v1alpha1.StorageBenchmark) {
	m.cleaned(before, after)
	if after.Status.HasLeftovers() {
		m.deletedWithLeftovers.Inc()
	}
}

// newAttempts returns the abandoned attempts that a benchmark did not have before.
func newAttempts(before, after *v1alpha1.StorageBenchmark) []v1alpha1.AbandonedAttempt {
	return slices.DeleteFunc(slices.Clone(after.Status.AbandonedAttempts), func(a v1alpha1.AbandonedAttempt) bool {
		isSame := func(b v1alpha1.AbandonedAttempt) bool { return a.Run == b.Run && a.Attempt == b.Attempt }
		return slices.ContainsFunc(before.Status.AbandonedAttempts, isSame)
	})
}

// activeBenchmarks are metrics of the benchmarks that are there, as the cache has them when it is asked for. So they
// outlive the operator.
type activeBenchmarks struct {
	reader           client.Reader
	steps, leftovers *prometheus.Desc
}

// NewActiveBenchmarks returns the metrics storagebench_benchmarks and storagebench_benchmarks_with_leftovers, of the
// benchmarks that the reader reads.
func NewActiveBenchmarks(reader client.Reader) prometheus.Collector {
	return &activeBenchmarks{
		reader: reader,
		steps: prometheus.NewDesc("storagebench_benchmarks",
			"StorageBenchmarks by the reason of their condition Succeeded: "+
				"the step that they are at, or their outcome.",
			[]string{"reason"}, nil),
		leftovers: prometheus.NewDesc("storagebench_benchmarks_with_leftovers",
			"StorageBenchmarks that left something behind, by namespace, until they are deleted. "+
				"Namespaces without any have no series.",
			[]string{"namespace"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (a *activeBenchmarks) Describe(descs chan<- *prometheus.Desc) {
	descs <- a.steps
	descs <- a.leftovers
}

// collectPatience is how long the benchmarks may take to list: a scrape that comes before the cache is filled has none.
const collectPatience = time.Second

// Collect implements prometheus.Collector.
func (a *activeBenchmarks) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectPatience)
	defer cancel()
	var list v1alpha1.StorageBenchmarkList
	if err := a.reader.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		ctrl.Log.Info("Benchmarks are not counted", "why", err.Error())
		return
	}
	at, left := map[string]int{}, map[string]int{}
	for i := range list.Items {
		sb := &list.Items[i]
		if c := sb.Status.Condition(v1alpha1.ConditionSucceeded); c.Status != "" {
			at[c.Reason]++
		}
		if sb.Status.HasLeftovers() {
			left[sb.Namespace]++
		}
	}
	for desc, counts := range map[*prometheus.Desc]map[string]int{a.steps: at, a.leftovers: left} {
		for label, n := range counts {
			metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), label)
		}
	}
}
