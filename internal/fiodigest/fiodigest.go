// Package fiodigest turns what fio printed into the report that a runner sends. It needs no Linux, so that the plugin
// reads fio's output on every platform.
package fiodigest

import (
	"fmt"
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Parse returns the report of fio's output of --output-format=json+, without what a runner sees of the machine.
func Parse(data []byte) (*digest.Report, error) {
	output, err := fiooutput.Parse(data)
	if err != nil {
		return nil, err
	}
	return New(output)
}

// New returns the report of what fio printed, without what a runner sees of the machine.
func New(output *fiooutput.Output) (*digest.Report, error) {
	report := &digest.Report{FioVersion: output.Version}
	for _, g := range output.Groups {
		group := digest.Group{
			Name:                g.Name,
			JobStart:            g.JobStart,
			ElapsedMilliseconds: g.ElapsedMilliseconds,
			UserPercent:         round(g.UserCPUPercent),
			SystemPercent:       round(g.SystemCPUPercent),
			Figures:             newFigures(&g),
			LatencyTarget:       newLatencyTarget(g.LatencyTarget),
		}
		if g.Steady != nil {
			group.Steady = &digest.FioSteady{Criterion: humanize.Cut(g.Steady.Criterion, digest.MaxCriterion, ""), Attained: g.Steady.Attained}
		}
		if group.IsEmpty() {
			return nil, fmt.Errorf(
				"fio completed no I/O in job %q: is its runtime longer than 0, and its size at least one block?", g.Name)
		}
		report.Groups = append(report.Groups, group)
	}
	return report, nil
}

// newFigures returns the figures of each operation that a group has some of.
func newFigures(g *fiooutput.Group) []digest.Figures {
	var all []digest.Figures
	for operation, d := range g.Directions() {
		f := digest.Figures{ShortIOs: d.ShortIOs, DroppedIOs: d.DropIOs, Figures: v1alpha1.Figures{
			Name: operation, Count: d.IOs, Bytes: d.Bytes, MilliIOPS: round(d.IOPS * 1000), BytesPerSecond: round(d.BytesPerSecond),
		}}
		setLatencies(&f, d.Latency, d.CompletionLatency)
		if f.Latency != nil {
			f.Latency.SubmissionNanoseconds = submission(d)
		}
		all = append(all, f)
	}
	if s := g.Sync; s != nil && s.Count > 0 {
		all = append(all, newCalls(v1alpha1.OperationSync, s, 0))
	}
	if m := g.Metadata; m != nil {
		all = append(all, newCalls(v1alpha1.OperationMetadata, m.CompletionLatency, round(m.IOPS*1000)))
	}
	return all
}

// newCalls returns figures of calls that move no bytes, which fio counts by their latencies.
func newCalls(operation string, latency *fiooutput.LatencyStats, milliPerSecond int64) digest.Figures {
	f := digest.Figures{Figures: v1alpha1.Figures{Name: operation, Count: latency.Count, MilliIOPS: milliPerSecond}}
	setLatencies(&f, latency, latency)
	return f
}

// setLatencies sets what fio measured of a latency, and how another one is distributed.
func setLatencies(f *digest.Figures, mean, distribution *fiooutput.LatencyStats) {
	if l := mean; l != nil && l.Count > 0 {
		f.SetLatency(l.Count, round(l.MeanNanoseconds), round(l.StddevNanoseconds))
	}
	if l := distribution; l != nil && l.Count > 0 && l.Histogram != nil {
		f.SetHistogram(l.MinNanoseconds, l.MaxNanoseconds, l.Histogram)
	}
}

func newLatencyTarget(t *fiooutput.LatencyTarget) *digest.LatencyTarget {
	if t == nil {
		return nil
	}
	return &digest.LatencyTarget{Nanoseconds: t.Nanoseconds, Depth: t.Depth}
}

func round(f float64) int64 { return int64(math.Round(f)) }

// leastSubmission is the share of one job's time from which on it is reported how long submissions took. Less can be nothing
// that a job waits for, and each figure takes room.
const leastSubmission = 0.05

// submission returns the mean time of a submission in nanoseconds, 0 if all of them took next to no time.
func submission(d *fiooutput.Direction) int64 {
	s := d.SubmissionLatency
	if s == nil || d.IOPS*s.MeanNanoseconds/1e9 < leastSubmission {
		return 0
	}
	return round(s.MeanNanoseconds)
}
