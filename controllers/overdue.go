package controllers

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

const (
	// overdueGrace is how much longer than its deadline a step may take: the operator may have been away, and has some
	// more time then.
	overdueGrace = 5 * time.Minute
	// maxOverdue is how many benchmarks are told of at most.
	maxOverdue = 100
)

// overdue is a metric of the benchmarks that are at a step for longer than their deadlines allow. There should be none:
// each wait of the operator ends. It counts from when this operator has seen a benchmark at its step first, and needs
// no passes to be made after that.
type overdue struct {
	now  func() time.Time
	desc *prometheus.Desc

	mu    sync.Mutex
	marks map[types.NamespacedName]mark
}

// mark is how far a benchmark is, and since when.
type mark struct {
	progress
	since   time.Time
	allowed time.Duration
}

// progress changes as a benchmark goes on.
type progress struct {
	step            string
	ended, attempts int
}

func newOverdue() *overdue {
	desc := prometheus.NewDesc("storagebench_benchmark_overdue_seconds",
		"By how many seconds a step of a StorageBenchmark is more than 5 minutes over its deadline, "+
			"by the reason of condition Succeeded. Only steps that are over it have a series.",
		[]string{"namespace", "benchmark", "reason"}, nil)
	return &overdue{now: time.Now, marks: map[types.NamespacedName]mark{}, desc: desc}
}

// saw notes how far a benchmark is. needed is the deadline that its runs need, 0 if the default is enough.
func (o *overdue) saw(sb *v1alpha1.StorageBenchmark, needed int32, now time.Time) {
	name, step := client.ObjectKeyFromObject(sb), sb.Status.Condition(v1alpha1.ConditionSucceeded)
	allowed := allowedAt(sb, needed, step.Reason)
	if step.Status != metav1.ConditionUnknown || allowed == 0 {
		o.forget(name)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	m := mark{progress: progressOf(sb, step.Reason), since: now, allowed: allowed}
	if before, known := o.marks[name]; known && before.progress == m.progress {
		m.since = before.since
	}
	o.marks[name] = m
}

func (o *overdue) forget(name types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.marks, name)
}

// progressOf says how far a benchmark is.
func progressOf(sb *v1alpha1.StorageBenchmark, step string) progress {
	p := progress{step: step}
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		p.attempts += int(run.Attempts)
		if run.HasEnded() {
			p.ended++
		}
	}
	return p
}

// allowedAt returns how long a benchmark may be at a step, 0 for one that it may be at for ever.
func allowedAt(sb *v1alpha1.StorageBenchmark, needed int32, step string) time.Duration {
	d := sb.Spec.Deadlines
	start, provisioning := attempt.StartLimit(d).Duration(), attempt.VolumeLimit(d).Duration()
	run := attempt.RunLimit(sb, needed).Duration()
	switch step {
	case v1alpha1.ReasonPending, v1alpha1.ReasonProvisioning:
		return provisioning + start + overdueGrace
	case v1alpha1.ReasonWaitingForNode:
		return attempt.NodeLimit(d).Duration() + start + overdueGrace
	case v1alpha1.ReasonPreparing, v1alpha1.ReasonMeasuring:
		// A volume may be bound when its pod comes, and files are laid out before fio measures.
		return provisioning + start + run + overdueGrace
	case v1alpha1.ReasonCleaningUp:
		return attempt.CleanUpLimit(d).Duration() + overdueGrace
	}
	return 0
}

// Describe implements prometheus.Collector.
func (o *overdue) Describe(descs chan<- *prometheus.Desc) { descs <- o.desc }

// Collect implements prometheus.Collector.
func (o *overdue) Collect(metrics chan<- prometheus.Metric) {
	now := o.now()
	late := o.late(now)
	names := slices.SortedFunc(maps.Keys(late), func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, name := range names[:min(len(names), maxOverdue)] {
		m := late[name]
		seconds := m.lateBy(now).Seconds()
		metrics <- prometheus.MustNewConstMetric(
			o.desc, prometheus.GaugeValue, seconds, name.Namespace, name.Name, m.step)
	}
}

// lateBy is by how much a benchmark is late.
func (m mark) lateBy(now time.Time) time.Duration { return now.Sub(m.since) - m.allowed }

// late returns the benchmarks that are late.
func (o *overdue) late(now time.Time) map[types.NamespacedName]mark {
	o.mu.Lock()
	defer o.mu.Unlock()
	late := maps.Clone(o.marks)
	maps.DeleteFunc(late, func(_ types.NamespacedName, m mark) bool { return m.lateBy(now) <= 0 })
	return late
}
