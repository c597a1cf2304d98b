package result

import (
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

// compareClients adds to a result of several clients when they measured.
func compareClients(result *v1alpha1.Result, group *merge.Group, clients int) {
	result.Clients = int32(clients)
	result.StartSkewMilliseconds = group.StartSkewMilliseconds
	result.CommonMilliseconds = group.CommonMilliseconds
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
	for _, percentile := range d.Percentiles() {
		if *percentile == last {
			*percentile = v1alpha1.BeyondHistogramNanoseconds
		}
	}
}

func newResult(report *digest.Report, g *digest.Group) v1alpha1.Result {
	return v1alpha1.Result{
		FioVersion:           report.FioVersion,
		ElapsedMilliseconds:  g.ElapsedMilliseconds,
		Figures:              figuresOf(g),
		LatencyTargetIODepth: latencyTargetDepth(g.LatencyTarget),
		CPU: &v1alpha1.CPUResult{
			UserPercent: int32(g.UserPercent), SystemPercent: int32(g.SystemPercent), ThrottledPercent: throttledPercent(report),
		},
	}
}

// figuresOf returns the figures of each operation that a group has some of, as the status has them.
func figuresOf(g *digest.Group) []v1alpha1.Figures {
	var figures []v1alpha1.Figures
	for i := range g.Figures {
		figures = append(figures, g.Figures[i].Figures)
	}
	return figures
}

func latencyTargetDepth(t *digest.LatencyTarget) int32 {
	if t == nil {
		return 0
	}
	return int32(t.Depth)
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
