// Package fiodigest turns what fio printed into the report that a runner sends. It needs no Linux, so that the plugin
// reads fio's output on every platform.
package fiodigest

import (
	"fmt"
	"math"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/direction"
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
			Sync:                newSync(g.Sync),
			Metadata:            newMetadata(g.Metadata),
			LatencyTarget:       newLatencyTarget(g.LatencyTarget),
		}
		group.Read, group.Write, group.Trim = direction.Map(g.Read, g.Write, g.Trim, newDirection)
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

func newDirection(d *fiooutput.Direction) *digest.Direction {
	out := &digest.Direction{
		IOs:            d.IOs,
		Bytes:          d.Bytes,
		ShortIOs:       d.ShortIOs,
		DroppedIOs:     d.DropIOs,
		MilliIOPS:      round(d.IOPS * 1000),
		BytesPerSecond: round(d.BytesPerSecond),
	}
	if l := d.Latency; l != nil && l.Count > 0 {
		out.Latency = &digest.Latency{Count: l.Count, Mean: round(l.MeanNanoseconds), Stddev: round(l.StddevNanoseconds)}
	}
	out.Submission = submission(d)
	if c := d.CompletionLatency; c != nil && c.Count > 0 && c.Histogram != nil {
		out.Completion = digest.NewCompletion(c.MinNanoseconds, c.MaxNanoseconds, c.Histogram)
	}
	return out
}

func newSync(l *fiooutput.LatencyStats) *digest.Sync {
	if l == nil || l.Count <= 0 {
		return nil
	}
	out := &digest.Sync{Count: l.Count, Mean: round(l.MeanNanoseconds)}
	if l.Histogram != nil {
		out.Completion = digest.NewCompletion(l.MinNanoseconds, l.MaxNanoseconds, l.Histogram)
	}
	return out
}

func newMetadata(m *fiooutput.Metadata) *digest.Metadata {
	if m == nil {
		return nil
	}
	latency := newSync(m.Latency)
	if latency == nil {
		return nil
	}
	return &digest.Metadata{
		Count: latency.Count, MilliPerSecond: round(m.PerSecond * 1000), Mean: latency.Mean, Completion: latency.Completion,
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
