package export

import (
	"fmt"
	"io"
	"slices"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/compare"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// PairDocument is two benchmarks beside each other, for programs.
type PairDocument struct {
	Baseline Benchmark `json:"baseline"`
	Other    Benchmark `json:"other"`
	// Comparisons are what both have, direction by direction, and Only what one of them has.
	Comparisons []ComparedIO `json:"comparisons"`
	Only        []ComparedIO `json:"only"`
	// Differences are what differs beside the results.
	Differences []compare.Difference `json:"differences"`
}

// PairJSON prints a PairDocument.
func PairJSON(w io.Writer, p *compare.Pair) error {
	compared, only := comparedIn(p)
	return writeJSON(w, PairDocument{
		Baseline: benchmarkOf(p.Benchmarks[0]), Other: benchmarkOf(p.Benchmarks[1]),
		Comparisons: compared, Only: only, Differences: orEmpty(p.Differences()),
	})
}

// comparedIn returns what both have, and what only one has.
func comparedIn(p *compare.Pair) (both, only []ComparedIO) {
	only = []ComparedIO{}
	for i := range p.Only {
		only = append(only, comparedIO(p.Only[i], func(int) string { return p.Labels[i] })...)
	}
	return comparedIO(p.Both, func(target int) string { return p.Labels[target] }), only
}

// PairCSV prints a row with all figures for each direction of each benchmark. Rows without a counterpart come last.
func PairCSV(w io.Writer, p *compare.Pair) error {
	both, only := comparedIn(p)
	all := slices.Concat(both, only)
	return writeCSV(w, slices.Concat(
		[]field[ComparedIO]{
			{"workload", func(c *ComparedIO) string { return c.Workload }},
			{"section", func(c *ComparedIO) string { return c.Section }},
			{"benchmark", func(c *ComparedIO) string { return c.Benchmark }},
			{"target", func(c *ComparedIO) string { return c.Target }},
		},
		parameterFields(all, func(c *ComparedIO) map[string]string { return c.Parameters }),
		[]field[ComparedIO]{
			{"direction", func(c *ComparedIO) string { return c.Figures.Name }},
			{"runs", func(c *ComparedIO) string { return whole(int64(c.Runs)) }},
			{"verdict", func(c *ComparedIO) string { return string(c.Verdict) }},
			{"judged_by", func(c *ComparedIO) string { return string(c.Figures.JudgedBy) }},
			{"warnings", func(c *ComparedIO) string { return Reasons(c.Warnings) }},
		},
		comparedFields("iops", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.IOPS() }),
		comparedFields("bytes_per_second", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.BytesPerSecond }),
		comparedFields("lat_mean_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.MeanNanoseconds }),
		comparedFields("clat_p50_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P50Nanoseconds }),
		comparedFields("clat_p90_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P90Nanoseconds }),
		comparedFields("clat_p99_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P99Nanoseconds }),
	), all)
}

// comparedFields are all that there is of one figure.
func comparedFields(name string, of func(*ComparedIO) *v1alpha1.Statistic) []field[ComparedIO] {
	build := func(suffix string, cell func(*v1alpha1.Statistic) string) field[ComparedIO] {
		return field[ComparedIO]{name + "_" + suffix, func(c *ComparedIO) string {
			if of(c) == nil {
				return ""
			}
			return cell(of(c))
		}}
	}
	return []field[ComparedIO]{
		build("median", func(f *v1alpha1.Statistic) string { return whole(f.Median) }),
		build("min", func(f *v1alpha1.Statistic) string { return whole(f.Least()) }),
		build("max", func(f *v1alpha1.Statistic) string { return whole(f.Most()) }),
		build("confidence_low", func(f *v1alpha1.Statistic) string { return wholeOrNone(f.ConfidenceLow) }),
		build("confidence_high", func(f *v1alpha1.Statistic) string { return wholeOrNone(f.ConfidenceHigh) }),
		build("ratio", func(f *v1alpha1.Statistic) string { return f.Ratio }),
		build("ratio_low", func(f *v1alpha1.Statistic) string { return f.RatioLow }),
		build("ratio_high", func(f *v1alpha1.Statistic) string { return f.RatioHigh }),
		build("p_value", func(f *v1alpha1.Statistic) string { return f.PValue }),
		build("adjusted_p_value", func(f *v1alpha1.Statistic) string { return f.AdjustedPValue }),
		build("detectable_percent", func(f *v1alpha1.Statistic) string { return wholeIfSet(int64(f.DetectablePercent)) }),
		build("verdict", func(f *v1alpha1.Statistic) string { return string(f.Verdict) }),
	}
}

// PairJUnit prints a comparison as JUnit does: a test for each figure of the second benchmark that has a verdict. A slower
// one is a failure, and an unknown one is skipped: see Unknown.
func PairJUnit(w io.Writer, p *compare.Pair) error {
	suite := junit.Testsuite{Name: fmt.Sprintf("%s beside %s", p.Labels[1], p.Labels[0])}
	names := uniqueNames{}
	for _, j := range p.Judged() {
		test := junit.Testcase{Classname: "compare", Name: names.of(j.Subject)}
		switch j.Worst() {
		case v1alpha1.VerdictSlower:
			test.Failure = problem(string(v1alpha1.VerdictSlower), j.InWords())
		case v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictNotShown:
			test.Skipped = problem(string(j.Worst()), j.InWords())
		default:
			test.SystemOut = &junit.Output{Data: wording.Harmless(j.InWords())}
		}
		suite.AddTestcase(test)
	}
	for _, missing := range p.Missing() {
		suite.AddTestcase(junit.Testcase{Classname: "compare", Name: names.of(wording.Harmless(missing)), Skipped: problem("Missing", missing)})
	}
	return writeJUnit(w, suite)
}
