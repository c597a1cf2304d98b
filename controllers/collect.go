package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// collect takes the outcome of an attempt that has ended into the status.
func (s *scope) collect(ctx context.Context, run *v1alpha1.Run, pod *corev1.Pod, seen observation) {
	s.mayHaveFiles(run.Target)
	if pod != nil {
		s.keepLog(ctx, run, pod)
	}
	switch {
	case seen.succeeded:
		s.record(run, pod, seen.message)
	case seen.disrupted:
		s.disrupted(run, orElse(seen.message, "its pod was ended from outside"))
	default:
		s.failRun(run, seen.message)
	}
}

// record takes a runner's report into the status. The report comes from a pod, so it may be anything: the
// worst that it can do is to fail its own run.
func (s *scope) record(run *v1alpha1.Run, pod *corev1.Pod, message string) {
	report, err := digest.Decode(message)
	if err != nil {
		s.failRun(run, fmt.Sprintf("the runner of pod %s left no result: %v", pod.Name, err))
		return
	}
	run.State = v1alpha1.RunSucceeded
	run.Message = ""
	run.CompletionTime = new(s.now())
	if len(report.Groups) == 1 {
		run.Result = new(newResult(report, &report.Groups[0]))
	} else {
		for i := range report.Groups {
			group := &report.Groups[i]
			run.Sections = append(run.Sections, v1alpha1.SectionResult{Name: group.Name, Result: newResult(report, group)})
		}
	}
	if planned := s.planned(run); planned != nil {
		s.analyse(run, planned, report)
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
		IOPS:           d.MilliIOPS/1000 + (d.MilliIOPS%1000+500)/1000, // rounded, and no overflow whatever a pod reports
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
