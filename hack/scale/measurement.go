package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// measurement is what a benchmark of so many clients and runs takes.
type measurement struct {
	clients, runs int
	// calls are those of the operator, by kind.
	calls map[string]int
	// writes and reads are the operator's calls, without events. others are what other components write for the benchmark.
	writes, reads, events, others int
	// each are the writes of what there is one of for each client: Jobs, pods and claims.
	each int
	// passes are those of the operator over the benchmark.
	passes int
	// operator is what the operator has taken, from its start.
	operator usage
	// cpu is what each component has taken.
	cpu map[string]float64
	// whole is from the benchmark's creation to its end.
	whole time.Duration
	// before is from the benchmark's creation to the first Job, measuring from there to the last result, and after from
	// there to the end.
	before, measuring, after time.Duration
	// splits are where the time of each run but the last goes.
	splits []split
	// repeated is how many attempts had to be made again.
	repeated    int
	statusBytes int
	// clientsBytes and logBytes are those of the largest ConfigMaps.
	clientsBytes, logBytes int
}

// perRunAndClient returns a figure for one client in one run.
func (m *measurement) perRunAndClient(figure float64) float64 {
	return figure / float64(m.runs*m.clients)
}

// measure has a new operator run a benchmark, and counts.
func measure(ctx context.Context, c *controlPlane, audit *auditReader, manager string, clients, runs int) (*measurement, error) {
	if err := addNodes(ctx, c.client, clients); err != nil {
		return nil, err
	}
	o, err := startOperator(ctx, c, manager)
	if err != nil {
		return nil, err
	}
	m, err := measureOperator(ctx, c, o, audit, clients, runs)
	if stopErr := o.stop(); err == nil {
		err = stopErr
	}
	return m, err
}

func measureOperator(ctx context.Context, c *controlPlane, o *operator, audit *auditReader, clients, runs int) (*measurement, error) {
	m := &measurement{clients: clients, runs: runs, cpu: map[string]float64{}}
	if _, err := audit.next(); err != nil {
		return nil, err
	}
	before, err := childrenCPU()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	sb, err := runBenchmark(ctx, c.client, newBenchmark(clients, runs), runs)
	if err != nil {
		return nil, err
	}
	m.whole = time.Since(began)
	if err := m.count(ctx, o, audit, began, before, sb); err != nil {
		return nil, err
	}
	if err := m.weigh(ctx, c.client, sb); err != nil {
		return nil, err
	}
	return m, removeBenchmark(ctx, c.client, sb)
}

// count takes what the operator has done and taken.
func (m *measurement) count(ctx context.Context, o *operator, audit *auditReader, began time.Time, cpuBefore map[string]float64, sb *v1alpha1.StorageBenchmark) (err error) {
	if m.passes, err = o.passes(ctx); err != nil {
		return err
	}
	if m.operator, err = o.usage(); err != nil {
		return err
	}
	cpu, err := childrenCPU()
	if err != nil {
		return err
	}
	for name, seconds := range cpu {
		m.cpu[name] = seconds - cpuBefore[name]
	}
	calls, err := audit.next()
	if err != nil {
		return err
	}
	m.calls = tally(calls)
	for i := range calls {
		switch call := &calls[i]; {
		case call.User.Username != userOperator:
			m.others++
		case call.tells():
			m.events++
		case call.writes():
			m.writes++
			if call.forClient() {
				m.each++
			}
		default:
			m.reads++
		}
	}
	var jobs []string
	for i := range sb.Status.Runs {
		jobs = append(jobs, childmeta.RunName(sb, sb.Status.Runs[i].Name, 1, 0))
	}
	m.splits = splits(calls, jobs)
	first, last := firstJob(calls, jobs[0]), lastResult(calls)
	m.before, m.measuring = first.Sub(began), last.Sub(first)
	m.after = m.whole - m.before - m.measuring
	return nil
}

// weigh takes what the benchmark leaves.
func (m *measurement) weigh(ctx context.Context, c client.Client, sb *v1alpha1.StorageBenchmark) error {
	for i := range sb.Status.Runs {
		m.repeated += int(sb.Status.Runs[i].Attempts) - 1
	}
	status, err := json.Marshal(sb.Status)
	if err != nil {
		return err
	}
	m.statusBytes = len(status)
	var kept corev1.ConfigMapList
	if err := c.List(ctx, &kept, client.InNamespace(sb.Namespace), client.MatchingLabels(childmeta.Labels(sb))); err != nil {
		return fmt.Errorf("list ConfigMaps: %w", err)
	}
	for i := range kept.Items {
		size := 0
		for _, value := range kept.Items[i].BinaryData {
			size += len(value)
		}
		if slices.ContainsFunc(sb.Status.Runs, func(run v1alpha1.Run) bool { return run.ClientsConfigMap == kept.Items[i].Name }) {
			m.clientsBytes = max(m.clientsBytes, size)
		} else {
			m.logBytes = max(m.logBytes, size)
		}
	}
	return nil
}
