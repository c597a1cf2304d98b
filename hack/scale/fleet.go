package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/await"
)

const (
	// benchmarksOfSchedule is for how many benchmarks there is a schedule.
	benchmarksOfSchedule = 20
	// fleetRuns is how many runs a benchmark of a fleet has.
	fleetRuns = 4
	// makers is how many objects are made at the same time.
	makers = 8
	// readPatience is how long it may take until all benchmarks are looked at, and until all histories are read.
	readPatience = 30 * time.Minute
)

// fleet is what many benchmarks take, most of which have ended.
type fleet struct {
	ended, schedules, active int
	// fio is how long a pod measures.
	fio time.Duration
	// startup is from the operator's start until it has looked at all, startupPasses how many passes that took, and startupP99 how long these took.
	startup       time.Duration
	startupPasses int
	startupP99    time.Duration
	// startupCalls is how many calls to the API server that took, without watches.
	startupCalls int
	// idle and busy is what the operator had taken then, and when all that were active had ended.
	idle, busy usage
	passes     int
	// p50 and p99 are of passes while benchmarks were active, and quick is how many of 100 took at most mostPass.
	p50, p99 time.Duration
	quick    float64
	// whole is until all that were active had ended, and run the median of the time from a run to the next one.
	whole, run time.Duration
	calls      int
}

// measureFleets measures one benchmark alone, and then many beside more and more that have ended.
func measureFleets(ctx context.Context, o options, c *controlPlane) error {
	if err := errors.Join(addClass(ctx, c.client), addNodes(ctx, c.client, o.active)); err != nil {
		return err
	}
	audit, err := newAuditReader(c.auditLog())
	if err != nil {
		return err
	}
	defer audit.close()
	alone, ended, err := measureAlone(ctx, o, c, audit)
	if err != nil {
		return fmt.Errorf("one alone: %w", err)
	}
	ended = enlarge(ended, o.status)
	makeHistory := newHistoryMaker(ended, o.full)
	all := []*fleet{alone}
	for made := 0; len(all) <= len(o.fleet); {
		size := o.fleet[len(all)-1] - o.active
		if err := addEnded(ctx, c.client, ended, makeHistory, made, size); err != nil {
			return err
		}
		made = max(made, size)
		f := &fleet{ended: size, schedules: size / benchmarksOfSchedule, active: o.active, fio: o.fio}
		if _, err := f.measure(ctx, c, audit, o.manager); err != nil {
			return fmt.Errorf("%d benchmarks: %w", size, err)
		}
		all = append(all, f)
		fmt.Fprintf(os.Stderr, "scale: %d benchmarks took %.0f s\n", size+o.active, f.whole.Seconds())
	}
	fmt.Println(fleetTable(all))
	if o.check {
		return checkFleets(all)
	}
	return nil
}

// measureAlone measures one benchmark, and returns it as it ended.
func measureAlone(ctx context.Context, o options, c *controlPlane, audit *auditReader) (*fleet, *v1alpha1.StorageBenchmark, error) {
	f := &fleet{active: 1, fio: o.fio}
	ended, err := f.measure(ctx, c, audit, o.manager)
	if err != nil {
		return nil, nil, err
	}
	return f, ended[0], nil
}

// measure starts an operator, waits until it has looked at all, and has it run as many benchmarks as are active.
func (f *fleet) measure(ctx context.Context, c *controlPlane, audit *auditReader, manager string) ([]*v1alpha1.StorageBenchmark, error) {
	began := time.Now()
	o, err := startOperator(ctx, c, manager)
	if err != nil {
		return nil, err
	}
	ended, err := f.observe(ctx, c, o, audit, began)
	return ended, errors.Join(err, o.stop())
}

func (f *fleet) observe(ctx context.Context, c *controlPlane, o *operator, audit *auditReader, began time.Time) ([]*v1alpha1.StorageBenchmark, error) {
	if err := o.untilIdle(ctx, f.ended+f.schedules); err != nil {
		return nil, err
	}
	if err := untilRead(ctx, c.client); err != nil {
		return nil, err
	}
	f.startup = time.Since(began)
	fmt.Fprintf(os.Stderr, "scale: the operator has looked at %d benchmarks and %d schedules in %.1f s\n", f.ended, f.schedules, f.startup.Seconds())
	before, err := o.families(ctx)
	if err != nil {
		return nil, err
	}
	f.startupP99 = quantile(nil, before[took], 0.99)
	f.startupPasses = int(sum(before["controller_runtime_reconcile_total"], (*dto.Metric).GetCounter))
	if f.idle, err = o.usage(); err != nil {
		return nil, err
	}
	calls, err := audit.next()
	if err != nil {
		return nil, err
	}
	f.startupCalls = ofOperator(calls)
	began = time.Now()
	ended, err := runTogether(ctx, c.client, f.active, f.fio)
	if err != nil {
		return nil, err
	}
	f.whole = time.Since(began)
	return ended, errors.Join(f.count(ctx, o, audit, before, ended), removeAll(ctx, c.client, ended))
}

// count takes what the operator has done while benchmarks were active.
func (f *fleet) count(ctx context.Context, o *operator, audit *auditReader, before map[string]*dto.MetricFamily, ended []*v1alpha1.StorageBenchmark) (err error) {
	if f.busy, err = o.usage(); err != nil {
		return err
	}
	after, err := o.families(ctx)
	if err != nil {
		return err
	}
	f.passes = int(sum(after["controller_runtime_reconcile_total"], (*dto.Metric).GetCounter)) - f.startupPasses
	f.p50, f.p99 = quantile(before[took], after[took], 0.5), quantile(before[took], after[took], 0.99)
	f.quick = 100 * within(before[took], after[took], mostPass)
	calls, err := audit.next()
	if err != nil {
		return err
	}
	var runs []time.Duration
	f.calls = ofOperator(calls)
	for _, sb := range ended {
		runs = append(runs, intervals(calls, sb)...)
	}
	slices.Sort(runs)
	if len(runs) > 0 {
		f.run = runs[len(runs)/2]
	}
	return nil
}

// ofOperator returns how many calls are the operator's, without those for events.
func ofOperator(calls []call) (count int) {
	for i := range calls {
		if calls[i].User.Username == userOperator && !calls[i].tells() {
			count++
		}
	}
	return count
}

// intervals are the times from each run's first Job to that of the next one.
func intervals(calls []call, sb *v1alpha1.StorageBenchmark) []time.Duration {
	var all []time.Duration
	var last time.Time
	for i := range sb.Status.Runs {
		began := firstJob(calls, childmeta.RunName(sb, sb.Status.Runs[i].Name, 1, 0))
		if !last.IsZero() && !began.IsZero() {
			all = append(all, began.Sub(last))
		}
		last = began
	}
	return all
}

// took is the metric of how long passes took.
const took = "controller_runtime_reconcile_time_seconds"

// mostPass is how long a pass should take at the 99th percentile. The table has the share of passes within it. Nothing is held to that: machines are noisy.
const mostPass = 50 * time.Millisecond

// quantile returns which time that share of what a histogram has counted since took at most, by its buckets.
func quantile(before, after *dto.MetricFamily, share float64) time.Duration {
	bounds, counts := countedSince(before, after)
	for _, bound := range bounds {
		if counts[bound] >= share*counts[bounds[len(bounds)-1]] {
			return time.Duration(bound * float64(time.Second))
		}
	}
	return 0
}

// within returns the share of what a histogram has counted since that took at most a time, which is one of its bounds.
func within(before, after *dto.MetricFamily, most time.Duration) float64 {
	bounds, counts := countedSince(before, after)
	if len(bounds) == 0 || counts[bounds[len(bounds)-1]] == 0 {
		return 0
	}
	return counts[most.Seconds()] / counts[bounds[len(bounds)-1]]
}

// countedSince returns the bounds of a histogram's buckets, sorted, and how many are within each since.
func countedSince(before, after *dto.MetricFamily) (bounds []float64, counts map[float64]float64) {
	counts = map[float64]float64{}
	for sign, family := range map[float64]*dto.MetricFamily{-1: before, 1: after} {
		for _, metric := range family.GetMetric() {
			for _, bucket := range metric.GetHistogram().GetBucket() {
				bound := bucket.GetUpperBound()
				if _, known := counts[bound]; !known {
					bounds = append(bounds, bound)
				}
				counts[bound] += sign * float64(bucket.GetCumulativeCount())
			}
		}
	}
	slices.Sort(bounds)
	return bounds, counts
}

// untilIdle waits until the operator has made so many passes, and has nothing left to do.
func (o *operator) untilIdle(ctx context.Context, passes int) error {
	wait := await.Wait{For: "the operator to have looked at all", Patience: readPatience, Interval: lookInterval}
	return wait.Until(ctx, func(ctx context.Context) error {
		families, err := o.families(ctx)
		if err != nil {
			return err
		}
		made, left := sum(families["controller_runtime_reconcile_total"], (*dto.Metric).GetCounter), sum(families["workqueue_depth"], (*dto.Metric).GetGauge)
		if int(made) < passes || left > 0 {
			return fmt.Errorf("it has made %.0f passes of %d, and %.0f wait", made, passes, left)
		}
		return nil
	})
}

// untilRead waits until an operator has looked for changes in the histories of all schedules.
func untilRead(ctx context.Context, c client.Client) error {
	wait := await.Wait{For: "all histories to be read", Patience: readPatience, Interval: lookInterval}
	return wait.Until(ctx, func(ctx context.Context) error {
		var all v1alpha1.StorageBenchmarkScheduleList
		if err := c.List(ctx, &all); err != nil {
			return err
		}
		for i := range all.Items {
			if all.Items[i].Status.Condition(v1alpha1.ConditionRegressed).Status == "" {
				return fmt.Errorf("that of %s is not", all.Items[i].Name)
			}
		}
		return nil
	})
}

// addEnded makes benchmarks like the given one, which has ended, and a schedule for each twenty of them, with a history.
func addEnded(
	ctx context.Context, c client.Client, like *v1alpha1.StorageBenchmark, makeHistory historyMaker, from, until int,
) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(makers)
	for i := from; i < until; i++ {
		group.Go(func() error {
			if i%benchmarksOfSchedule == 0 {
				if err := addSchedule(ctx, c, like, makeHistory, i); err != nil {
					return err
				}
			}
			sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: like.Namespace, Name: fmt.Sprintf("ended-%d", i)}, Spec: like.Spec}
			if err := c.Create(ctx, sb); err != nil {
				return err
			}
			sb.Status = *like.Status.DeepCopy()
			return c.Status().Update(ctx, sb)
		})
	}
	return group.Wait()
}

// addSchedule makes a schedule that is not due while this goes on.
func addSchedule(
	ctx context.Context, c client.Client, like *v1alpha1.StorageBenchmark, makeHistory historyMaker, i int,
) error {
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: like.Namespace, Name: fmt.Sprintf("schedule-%d", i)},
		Spec:       v1alpha1.StorageBenchmarkScheduleSpec{Schedule: "0 0 29 2 *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: like.Spec}},
	}
	if err := c.Create(ctx, s); err != nil {
		return err
	}
	chunks, err := makeHistory(i)
	if err != nil {
		return err
	}
	return addHistory(ctx, c, s, chunks)
}

// runTogether makes benchmarks of one client, which each hold a node, and returns them when all have ended. They begin one after the other over the time
// that a pod measures, as those of people do, and then measure at the same time: if all began at once, all of their runs would end at once.
func runTogether(ctx context.Context, c client.WithWatch, count int, spread time.Duration) ([]*v1alpha1.StorageBenchmark, error) {
	ended := make([]*v1alpha1.StorageBenchmark, count)
	group, ctx := errgroup.WithContext(ctx)
	for i := range count {
		group.Go(func() (err error) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(i) * spread / time.Duration(count)):
			}
			sb := newBenchmark(1, fleetRuns)
			sb.Name = fmt.Sprintf("active-%d", i)
			ended[i], err = runBenchmark(ctx, c, sb, fleetRuns)
			return err
		})
	}
	return ended, group.Wait()
}

func removeAll(ctx context.Context, c client.Client, all []*v1alpha1.StorageBenchmark) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, sb := range all {
		if sb.Status.Condition(v1alpha1.ConditionSucceeded).Status != metav1.ConditionTrue {
			return fmt.Errorf("%s did not succeed", sb.Name)
		}
		group.Go(func() error { return removeBenchmark(ctx, c, sb.DeepCopy()) })
	}
	return group.Wait()
}
