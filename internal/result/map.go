package result

import (
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/merge"
)

// resultsOf returns a result for each group of what so many clients have measured.
func resultsOf(merged *merge.Merged, clients int) []v1alpha1.Result {
	results := make([]v1alpha1.Result, len(merged.Groups))
	for i := range merged.Groups {
		result := newResult(&merged.Report, &merged.Report.Groups[i])
		if clients > 1 {
			compareClients(&result, &merged.Groups[i], clients)
			tellCoarsening(&result, int(merged.Report.Coarsening))
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
	for operation, spread := range group.Directions() {
		if f := result.Of(operation); f != nil {
			f.PerClient = newClientSpread(spread)
		}
	}
	if f := result.Of(v1alpha1.OperationMetadata); f != nil && group.Metadata != nil {
		f.PerClient = newClientSpread(group.Metadata)
	}
}

func newClientSpread(spread *merge.Spread) *v1alpha1.ClientSpread {
	return &v1alpha1.ClientSpread{
		MinMilliIOPS: spread.MinMilliIOPS, MaxMilliIOPS: spread.MaxMilliIOPS,
		CoefficientOfVariation: strconv.FormatFloat(spread.Variation, 'f', 3, 64),
	}
}

// tellCoarsening says of the percentiles of several clients that they were read from buckets that are so many bits coarser than fio's. Those of
// one client never are: it reports them beside its histogram.
func tellCoarsening(result *v1alpha1.Result, bits int) {
	if bits <= 0 {
		return
	}
	for i := range result.Figures {
		coarsened(result.Figures[i].CompletionLatency, bits)
	}
}

// coarsened says of one distribution how wide its buckets are. What is in the last one counts as beyond the histogram if anything is.
func coarsened(d *v1alpha1.LatencyDistribution, bits int) {
	if d == nil {
		return
	}
	const perGroup = 64 // buckets of fio's, in each power of two
	d.BucketPercent = int32((100<<bits + perGroup - 1) / perGroup)
	if !v1alpha1.IsBeyondHistogram(d.MaxNanoseconds) {
		return
	}
	last := int64(histogram.Value(histogram.LastBucket(bits)))
	for _, p := range []*int64{&d.P50Nanoseconds, &d.P90Nanoseconds, &d.P95Nanoseconds, &d.P99Nanoseconds, &d.P999Nanoseconds, &d.P9999Nanoseconds} {
		if *p == last {
			*p = v1alpha1.BeyondHistogramNanoseconds
		}
	}
}

func newResult(report *digest.Report, g *digest.Group) v1alpha1.Result {
	return v1alpha1.Result{
		FioVersion:           report.FioVersion,
		ElapsedMilliseconds:  g.ElapsedMilliseconds,
		Figures:              newFigures(g),
		LatencyTargetIODepth: latencyTargetDepth(g.LatencyTarget),
		CPU: &v1alpha1.CPUResult{
			UserPercent: int32(g.UserPercent), SystemPercent: int32(g.SystemPercent), ThrottledPercent: throttledPercent(report),
		},
	}
}

// newFigures returns the figures of each operation that a group has some of.
func newFigures(g *digest.Group) []v1alpha1.Figures {
	return v1alpha1.ListOf(
		newIOResult(g.Read).As(v1alpha1.OperationRead), newIOResult(g.Write).As(v1alpha1.OperationWrite),
		newIOResult(g.Trim).As(v1alpha1.OperationTrim), newSyncResult(g.Sync).As(v1alpha1.OperationSync),
		newMetadataResult(g.Metadata).As(v1alpha1.OperationMetadata),
	)
}

func newIOResult(d *digest.Direction) *v1alpha1.Figures {
	if d == nil {
		return nil
	}
	result := &v1alpha1.Figures{Count: d.IOs, Bytes: d.Bytes, MilliIOPS: d.MilliIOPS, BytesPerSecond: d.BytesPerSecond}
	if d.Latency != nil {
		result.Latency = &v1alpha1.Latency{
			MeanNanoseconds: d.Latency.Mean, StddevNanoseconds: d.Latency.Stddev, SubmissionNanoseconds: d.Submission,
		}
	}
	result.CompletionLatency = newDistribution(d.Completion)
	return result
}

func newSyncResult(s *digest.Sync) *v1alpha1.Figures {
	if s == nil {
		return nil
	}
	return &v1alpha1.Figures{
		Count: s.Count, Latency: &v1alpha1.Latency{MeanNanoseconds: s.Mean}, CompletionLatency: newDistribution(s.Completion),
	}
}

func newMetadataResult(m *digest.Metadata) *v1alpha1.Figures {
	if m == nil {
		return nil
	}
	return &v1alpha1.Figures{
		Count: m.Count, MilliIOPS: m.MilliPerSecond, Latency: &v1alpha1.Latency{MeanNanoseconds: m.Mean},
		CompletionLatency: newDistribution(m.Completion),
	}
}

func latencyTargetDepth(t *digest.LatencyTarget) int32 {
	if t == nil {
		return 0
	}
	return int32(t.Depth)
}

func newDistribution(c *digest.Completion) *v1alpha1.LatencyDistribution {
	if c == nil {
		return nil
	}
	return &v1alpha1.LatencyDistribution{
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

// throttledPercent returns the share of scheduling periods in which the container was held back, nil if it has
// no limit or that is not known.
func throttledPercent(report *digest.Report) *int32 {
	e := report.Environment
	if e.Periods == 0 {
		return nil
	}
	return new(int32(float64(e.ThrottledPeriods) / float64(e.Periods) * 100))
}
