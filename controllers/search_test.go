package controllers

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// searching is a benchmark that looks for the iodepth that keeps reads below 5 ms.
func searching(w *testWorld, change ...func(*v1alpha1.LoadSearch)) *builder.Benchmark {
	s := &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 64, Objective: v1alpha1.SearchObjective{Metric: "read.mean", Max: "5ms"}}
	for _, c := range change {
		c(s)
	}
	workload := builder.NewWorkload("reads")
	workload.Fio.IOEngine, workload.Fio.Direct, workload.Search = new("libaio"), new(true), s
	return builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(workload)
}

// depthOf returns the iodepth in the job file of a pod that measures.
func depthOf(pod *corev1.Pod) int64 {
	for _, c := range pod.Spec.Containers {
		for _, v := range c.Env {
			if found := regexp.MustCompile(`(?m)^iodepth=([0-9]+)$`).FindStringSubmatch(v.Value); v.Name == digest.JobFileVariable && found != nil {
				n, _ := strconv.ParseInt(found[1], 10, 64)
				return n
			}
		}
	}
	return 0
}

// inFlight is what a closed loop of so many I/Os measures on storage of 3,000 IOPS that takes a millisecond.
func inFlight(depth int64) digest.Report {
	const most, leastMicros = 3000, 1000
	iops := min(depth*1_000_000/leastMicros, most)
	return reportOf(iops, depth*1_000_000_000/iops)
}

// reportOf is the report of a runner that has read so many blocks a second, which took so many nanoseconds each.
func reportOf(iops, nanoseconds int64) digest.Report {
	report := builder.Report()
	read := report.Groups[0].Of(v1alpha1.OperationRead)
	read.MilliIOPS, read.BytesPerSecond = 1000*iops, 4096*iops
	read.SetLatency(read.Count, nanoseconds, 1_200_000)
	buckets := &histogram.Histogram{}
	buckets.Add(uint64(nanoseconds), uint64(read.Count))
	read.SetHistogram(nanoseconds, nanoseconds, buckets)
	return report
}

// A search measures at loads that follow from what was measured, takes the answer, and drops the steps that it does not
// need.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		return fakecluster.Succeed(inFlight(depthOf(pod)))
	})
	sb := create(w, searching(w).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "10 runs on 1 target")

	var steps []string
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		steps = append(steps, fmt.Sprintf("%s %d %s %s", run.Name, run.Search.Value, run.Parameters["iodepth"], run.Search.Verdict))
	}
	want := []string{
		"reads.fast.step-1 1 1 Within", "reads.fast.step-2 2 2 Within", "reads.fast.step-3 4 4 Within", "reads.fast.step-4 8 8 Within",
		"reads.fast.step-5 16 16 Beyond", "reads.fast.step-6 12 12 Within", "reads.fast.step-7 14 14 Within", "reads.fast.step-8 15 15 Within",
		"reads.fast.step-9 15 15 Answer", "reads.fast.step-10 16 16 Beyond",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if sb.Status.PlannedRuns != 10 || sb.Status.Progress != "10/10" {
		t.Errorf("%d runs are planned, progress %s", sb.Status.PlannedRuns, sb.Status.Progress)
	}
	one := func(n int64) v1alpha1.Range { return v1alpha1.Range{Median: n} }
	found := []v1alpha1.SearchResult{{
		Target: "fast", Workload: "reads", Vary: "iodepth", Objective: "read.mean", BudgetNanoseconds: 5_000_000,
		Outcome: v1alpha1.SearchFound, Searches: 1,
		Answer: &v1alpha1.SearchFigures{
			Value: one(15), MilliIOPS: one(3_000_000), BytesPerSecond: one(3000 * 4096), ObjectiveNanoseconds: one(5_000_000),
		},
		Saturation: &v1alpha1.SearchFigures{
			Value: one(4), MilliIOPS: one(3_000_000), BytesPerSecond: one(3000 * 4096), ObjectiveNanoseconds: one(1_333_333),
		},
		Message: "3000 IOPS at read.mean <= 5 ms (iodepth 15); at saturation 3000 IOPS and 1.33 ms",
	}}
	if diff := cmp.Diff(found, sb.Status.Searches); diff != "" {
		t.Errorf("searches (-want +got):\n%s", diff)
	}
	if c := sb.Status.Comparisons; len(c) != 1 || len(c[0].Parameters) > 0 || c[0].Targets[0].Runs != 1 || c[0].Targets[0].Of(v1alpha1.OperationRead).IOPS().Median != 3000 {
		t.Errorf("compared is more than the answer: %+v", c)
	}
}

// A step that fails ends its search, which has no answer then, and no other.
func TestSearchFails(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if depthOf(pod) == 4 && pod.Annotations[v1alpha1.AnnotationRun] == "reads.fast.step-3" {
			return fakecluster.Fail(digest.ExitFailed, "fio: No space left on device")
		}
		return fakecluster.Succeed(inFlight(depthOf(pod)))
	})
	sb := create(w, searching(w).Target(builder.NewTarget("slow")).Build())
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 13 runs failed: reads.fast.step-3")
	var outcomes []v1alpha1.SearchOutcome
	for _, s := range sb.Status.Searches {
		outcomes = append(outcomes, s.Outcome)
	}
	if diff := cmp.Diff([]v1alpha1.SearchOutcome{v1alpha1.SearchFailed, v1alpha1.SearchFound}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// A benchmark that ends before its searches leaves none that seems to go on.
func TestSearchIsCutShort(t *testing.T) {
	s := writerOf(searching(&testWorld{World: &harness.World{Namespace: "default"}}).Build())
	step := func(target string, number int32, state v1alpha1.RunState) v1alpha1.Run {
		return v1alpha1.Run{
			Name: fmt.Sprintf("reads.%s.step-%d", target, number), Target: target, Workload: "reads", Repetition: 1, State: state,
			Search: &v1alpha1.RunSearch{Step: number, Vary: v1alpha1.VaryIODepth},
		}
	}
	s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}, {Name: "slow"}}
	s.SB.Status.Runs = []v1alpha1.Run{step("fast", 1, v1alpha1.RunFailed), step("slow", 1, v1alpha1.RunPending)}
	outcomes := func() []string {
		summarize(s)
		var all []string
		for _, found := range s.SB.Status.Searches {
			all = append(all, fmt.Sprintf("%s %s: %s", found.Target, found.Outcome, found.Message))
		}
		return all
	}
	if diff := cmp.Diff([]string{"fast Failed: a run of the search failed", "slow Searching: "}, outcomes()); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	s.Fail(v1alpha1.ReasonDeadlineExceeded, "no node was free")
	if diff := cmp.Diff([]string{"fast Failed: a run of the search failed", "slow Failed: the benchmark ended before the search did"}, outcomes()); diff != "" {
		t.Errorf("outcomes of a benchmark that has ended (-want +got):\n%s", diff)
	}
}

// A step that is disrupted is made once more with the load that it had.
func TestSearchIsDisrupted(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "reads.fast.step-5" && pod.Labels[v1alpha1.LabelAttempt] == "1" {
			return fakecluster.Evict()
		}
		return fakecluster.Succeed(inFlight(depthOf(pod)))
	})
	sb := create(w, searching(w).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "10 runs")
	if run := sb.Status.Runs[4]; run.Attempts != 2 || run.Search.Value != 16 || sb.Status.Searches[0].Answer.Value.Median != 15 {
		t.Errorf("run is %+v, searches %+v", run, sb.Status.Searches)
	}
}

// Clients are searched as well: as many measure as the step says.
func TestSearchOfClients(t *testing.T) {
	w := newWorld(t)
	seen := map[string]map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		run := pod.Annotations[v1alpha1.AnnotationRun]
		if seen[run] == nil {
			seen[run] = map[string]bool{}
		}
		seen[run][clientOf(pod)] = true
		return fakecluster.Succeed(reportOf(1000, int64(len(seen[run]))*1_000_000))
	})
	sb := create(w, searching(w, func(s *v1alpha1.LoadSearch) { s.Vary, s.Max, s.Objective.Max = v1alpha1.VaryClients, 3, "2.5ms" }).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "runs")
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if int(run.Search.Value) != len(seen[run.Name]) {
			t.Errorf("%s was measured by %v", run.Name, seen[run.Name])
		}
	}
}
