package controllers

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/merge"
)

// collect takes the outcome of an attempt that has ended into the status.
func (s *scope) collect(ctx context.Context, run *v1alpha1.Run, parts []part) error {
	s.mayHaveFiles(run.Target)
	s.keepLogs(ctx, run, parts)
	whole, client := attempt.Together(statesOf(parts))
	why := cmp.Or(whole.Why, "its pod was ended from outside")
	if len(parts) > 1 {
		why = parts[client].String() + ": " + why
	}
	switch whole.Phase {
	case attempt.Succeeded:
		return s.record(ctx, run, parts)
	case attempt.Late:
		s.late(run, why)
	case attempt.Interrupted:
		s.disrupted(run, why)
	default:
		s.failRun(run, why)
	}
	return nil
}

// wrongPod says of a report that another pod has left what is wrong with it: a pod is of one client in one attempt of a run. It
// is "" for the pod's own.
func wrongPod(pod *corev1.Pod, report *digest.Report) string {
	switch {
	case report.Pod == string(pod.UID), report.Pod == "" && !job.IsNamedInReport(&pod.Spec):
		return ""
	case report.Pod == "":
		return "it does not name its pod"
	default:
		return "it is that of pod " + report.Pod
	}
}

// wrongGroups says of a report that has not the results that were planned what is wrong with it: it is of another run, or
// forged, and with more results the status could become larger than can be written. It is "" for one that has.
func (s *scope) wrongGroups(run *v1alpha1.Run, report *digest.Report) string {
	planned, known := s.planned(run)
	if !known {
		return ""
	}
	if got, want := len(report.Groups), len(planned.Job.Groups()); got != want {
		return fmt.Sprintf("it has %s, and the run has %d", legible.Plural(got, "result"), want)
	}
	return ""
}

// record takes the runners' reports into the status. They come from pods, so they may be anything: the worst that they
// can do is to fail their own run.
func (s *scope) record(ctx context.Context, run *v1alpha1.Run, parts []part) error {
	reports := make([]*digest.Report, len(parts))
	for i, p := range parts {
		report, err := digest.Decode(p.seen.Report)
		if err != nil {
			s.failRun(run, fmt.Sprintf("the runner of pod %s left no result: %v", p.pod.Name, err))
			return nil
		}
		// Before the others are decoded: those of a forged size would be there all at once.
		if why := cmp.Or(wrongPod(p.pod, report), s.wrongGroups(run, report)); why != "" {
			s.failRun(run, fmt.Sprintf("the report of pod %s is not of this run: %s", p.pod.Name, why))
			return nil
		}
		reports[i] = report
	}
	merged, err := merge.Reports(reports)
	if err != nil {
		s.failRun(run, fmt.Sprintf("the clients do not report the same: %v", err))
		return nil
	}
	if len(parts) > 1 {
		if err := s.keepClients(ctx, run, parts, reports); err != nil {
			return err
		}
		run.StartMarginMilliseconds = merged.Report.Environment.StartMarginMilliseconds
	}
	run.State = v1alpha1.RunSucceeded
	run.Message = ""
	run.CompletionTime = new(s.now())
	results := resultsOf(merged, len(parts))
	if len(results) == 1 {
		run.Result = &results[0]
	} else {
		for i := range results {
			run.Sections = append(run.Sections, v1alpha1.SectionResult{Name: merged.Report.Groups[i].Name, Result: results[i]})
		}
	}
	if planned, known := s.planned(run); known {
		s.analyse(run, planned, &merged.Report, clockSpread(reports))
	}
	return nil
}

// clockSpread returns how far apart in time clients heard of a start that was told to all at once.
func clockSpread(reports []*digest.Report) time.Duration {
	least, most := reports[0].Environment.StartMarginMilliseconds, reports[0].Environment.StartMarginMilliseconds
	for _, r := range reports {
		least, most = min(least, r.Environment.StartMarginMilliseconds), max(most, r.Environment.StartMarginMilliseconds)
	}
	return time.Duration(most-least) * time.Millisecond
}

// resultsOf returns a result for each group of what so many clients have measured.
func resultsOf(merged *merge.Merged, clients int) []v1alpha1.Result {
	results := make([]v1alpha1.Result, len(merged.Groups))
	for i := range merged.Groups {
		result := newResult(&merged.Report, &merged.Report.Groups[i])
		if clients > 1 {
			compareClients(&result, &merged.Groups[i], clients)
		}
		results[i] = result
	}
	return results
}

// compareClients adds to a result of several clients how they differ.
func compareClients(result *v1alpha1.Result, group *merge.Group, clients int) {
	result.Clients = int32(clients)
	result.StartSkewMilliseconds = group.StartSkewMilliseconds
	result.CommonMilliseconds = group.CommonMilliseconds
	for direction, spread := range group.Directions() {
		if io := result.Direction(direction); io != nil {
			io.PerClient = &v1alpha1.ClientSpread{
				MinIOPS: wholeIOPS(spread.MinMilliIOPS), MaxIOPS: wholeIOPS(spread.MaxMilliIOPS),
				CoefficientOfVariation: strconv.FormatFloat(spread.Variation, 'f', 3, 64),
			}
		}
	}
}

func newResult(report *digest.Report, g *digest.Group) v1alpha1.Result {
	return v1alpha1.Result{
		FioVersion:          report.FioVersion,
		ElapsedMilliseconds: g.ElapsedMilliseconds,
		Read:                newIOResult(g.Read),
		Write:               newIOResult(g.Write),
		Trim:                newIOResult(g.Trim),
		CPU: &v1alpha1.CPUResult{
			UserPercent: int32(g.UserPercent), SystemPercent: int32(g.SystemPercent), ThrottledPercent: throttledPercent(report),
		},
	}
}

func newIOResult(d *digest.Direction) *v1alpha1.IOResult {
	if d == nil {
		return nil
	}
	result := &v1alpha1.IOResult{
		IOs:            d.IOs,
		Bytes:          d.Bytes,
		IOPS:           wholeIOPS(d.MilliIOPS),
		BytesPerSecond: d.BytesPerSecond,
	}
	if d.Latency != nil {
		result.Latency = &v1alpha1.Latency{MeanNanoseconds: d.Latency.Mean, StddevNanoseconds: d.Latency.Stddev}
	}
	if c := d.Completion; c != nil {
		result.CompletionLatency = &v1alpha1.LatencyDistribution{
			MinNanoseconds:   c.Min,
			P50Nanoseconds:   c.Percentile(0),
			P90Nanoseconds:   c.Percentile(1),
			P95Nanoseconds:   c.Percentile(2),
			P99Nanoseconds:   c.Percentile(3),
			P999Nanoseconds:  c.Percentile(4),
			P9999Nanoseconds: c.Percentile(5),
			MaxNanoseconds:   c.Max,
		}
	}
	return result
}

// wholeIOPS rounds, without an overflow whatever a pod reports.
func wholeIOPS(milli int64) int64 { return milli/1000 + (milli%1000+500)/1000 }
