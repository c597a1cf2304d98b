package report

import (
	"slices"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/test/builder"
)

// reads returns a target that only reads: the baseline, if there is no ratio.
func reads(name string, iops int64, ratio string, verdict v1alpha1.Verdict) v1alpha1.TargetComparison {
	runs := int32(summary.RunsForVerdict)
	if verdict == v1alpha1.VerdictTooFewRuns {
		runs--
	}
	figures := beside(compared(iops, 5_342_000), iops, iops, ratio, verdict).As(v1alpha1.OperationRead)
	return v1alpha1.TargetComparison{Name: name, Runs: runs, Figures: v1alpha1.ListOf(figures)}
}

// ranging returns a target whose runs differ.
func ranging(name string, least, median, most int64, ratio string, verdict v1alpha1.Verdict) v1alpha1.TargetComparison {
	target := reads(name, median, ratio, verdict)
	io := target.Of(v1alpha1.OperationRead).MilliIOPS
	io.Min, io.Max = new(1000*least), new(1000*most)
	return target
}

func TestBest(t *testing.T) {
	const faster, slower, same, few = v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictSame, v1alpha1.VerdictTooFewRuns
	gp3Wins := []v1alpha1.TargetComparison{reads("gp3", 3048, "", ""), reads("efs", 1560, "0.51", slower)}
	sameButOne := []v1alpha1.TargetComparison{reads("gp3", 3000, "", ""), reads("efs", 9000, "3.00", few)}
	efsWins := []v1alpha1.TargetComparison{reads("gp3", 100, "", ""), reads("efs", 200, "2.00", faster)}
	alike := []v1alpha1.TargetComparison{reads("gp3", 3000, "", ""), reads("efs", 3200, "1.07", same)}
	mixed := v1alpha1.TargetComparison{
		Name: "gp3", Figures: v1alpha1.ListOf(compared(3048, 5_342_000).As(v1alpha1.OperationRead), compared(1306, 840).As(v1alpha1.OperationWrite), (&v1alpha1.FiguresComparison{MilliIOPS: builder.Milli(statistic(4354))}).As(v1alpha1.OperationTotal)),
	}
	// synced returns a target whose writes memory takes in 4 us, and whose syncs take longer.
	synced := func(name string, p50, p99 int64, ratio string, verdict v1alpha1.Verdict) v1alpha1.TargetComparison {
		p99s := statistic(p99)
		target := v1alpha1.TargetComparison{Name: name, Runs: 6, Figures: v1alpha1.ListOf(beside(compared(1759, 3600), 1759, 1759, ratio, "").As(v1alpha1.OperationWrite))}
		if ratio != "" {
			target.Of(v1alpha1.OperationWrite).Judged().Verdict = same
		}
		target.Figures = append(target.Figures, *(&v1alpha1.FiguresComparison{P50Nanoseconds: new(statistic(p50)), P99Nanoseconds: builder.Compared(new(p99s), ratio, verdict), Prevails: new(true)}).As(v1alpha1.OperationSync))
		return target
	}
	const long = "a-target-with-a-name-of-32-chars"
	for name, test := range map[string]struct {
		comparisons [][]v1alpha1.TargetComparison
		want        string
	}{
		"no result":                  {nil, ""},
		"nothing of the target":      {[][]v1alpha1.TargetComparison{{{Name: "gp3"}}}, ""},
		"one target":                 {[][]v1alpha1.TargetComparison{{reads("gp3", 3048, "", "")}}, "3048 IOPS 5.34ms p50"},
		"writes that wait for syncs": {[][]v1alpha1.TargetComparison{{synced("gp3", 210_000, 4_690_000, "", "")}}, "1759 IOPS"},
		"syncs that take less":       {[][]v1alpha1.TargetComparison{{synced("gp3", 210_000, 4_690_000, "", ""), synced("gp2", 210_000, 2_000_000, "0.43", faster)}}, "gp2 2.00ms sync P99"},
		"syncs of several":           {[][]v1alpha1.TargetComparison{{synced("gp3", 210_000, 4_690_000, "", ""), synced("gp2", 210_000, 2_000_000, "0.43", faster)}, {synced("gp3", 210_000, 4_690_000, "", ""), synced("gp2", 210_000, 2_000_000, "0.43", faster)}}, "gp2 in 2 of 2"},
		"syncs alike":                {[][]v1alpha1.TargetComparison{{synced("gp3", 210_000, 4_690_000, "", ""), synced("gp2", 210_000, 4_000_000, "0.85", v1alpha1.VerdictNotShown)}}, "no clear best"},
		"more than can be":           {[][]v1alpha1.TargetComparison{{reads("gp3", 9_223_372_036_854_775, "", "")}}, "9223372036854775 IOPS"},
		"reads and writes":           {[][]v1alpha1.TargetComparison{{mixed}}, "4354 IOPS"},
		"one target in several":      {[][]v1alpha1.TargetComparison{{reads("gp3", 3048, "", "")}, {reads("gp3", 250_000, "", "")}, {mixed}}, "up to 250000 IOPS"},
		"the baseline":               {[][]v1alpha1.TargetComparison{gp3Wins}, "gp3 3048 IOPS"},
		"another than the baseline":  {[][]v1alpha1.TargetComparison{efsWins}, "efs 200 IOPS"},
		"as good as the baseline":    {[][]v1alpha1.TargetComparison{alike}, "no clear best"},
		"no difference is shown":     {[][]v1alpha1.TargetComparison{{reads("gp3", 3000, "", ""), reads("efs", 3600, "1.20", v1alpha1.VerdictNotShown)}}, "no clear best"},
		"too few runs":               {[][]v1alpha1.TargetComparison{sameButOne}, "too few runs to tell"},
		"too few runs of all":        {[][]v1alpha1.TargetComparison{sameButOne, sameButOne}, "too few runs to tell"},
		"too few runs of some":       {[][]v1alpha1.TargetComparison{sameButOne, alike}, "no clear best"},
		"too few in the minority":    {[][]v1alpha1.TargetComparison{gp3Wins, gp3Wins, sameButOne}, "gp3 in 2 of 3"},
		"neither is the baseline":    {[][]v1alpha1.TargetComparison{{reads("gp2", 1, "", ""), reads("gp3", 3000, "3000", faster), reads("efs", 3029, "3029", faster)}}, "no clear best"},
		"in all":                     {[][]v1alpha1.TargetComparison{gp3Wins, gp3Wins}, "gp3 in 2 of 2"},
		"in half of them":            {[][]v1alpha1.TargetComparison{gp3Wins, efsWins, efsWins, alike}, "no clear best"},
		"in most":                    {[][]v1alpha1.TargetComparison{gp3Wins, efsWins, efsWins, efsWins}, "efs in 3 of 4"},
		"ranges that meet":           {[][]v1alpha1.TargetComparison{{ranging("gp3", 2500, 3040, 3500, "", ""), ranging("efs", 2400, 3000, 3600, "0.99", few)}}, "too few runs to tell"},
		"ranges apart":               {[][]v1alpha1.TargetComparison{{ranging("gp3", 2500, 3040, 3500, "", ""), ranging("efs", 2300, 2400, 2499, "0.79", few)}}, "too few runs to tell"},
		"the same as the third":      {[][]v1alpha1.TargetComparison{{reads("c", 3000, "", ""), reads("a", 3200, "1.07", same), reads("b", 3100, "1.03", same)}}, "no clear best"},
		"as often":                   {[][]v1alpha1.TargetComparison{gp3Wins, efsWins}, "no clear best"},
		"in none":                    {[][]v1alpha1.TargetComparison{alike, alike}, "no clear best"},
		"none beside another":        {[][]v1alpha1.TargetComparison{{reads("gp3", 3048, "", "")}, {reads("efs", 1560, "", "")}}, ""},
		"only some beside others":    {[][]v1alpha1.TargetComparison{gp3Wins, {reads("efs", 9999, "", "")}}, "no clear best"},
		"a long name":                {[][]v1alpha1.TargetComparison{{reads(long, 9_999_999, "2.00", faster), reads("b", 1, "", slower)}}, "a-targe.. 9999999 IOPS"},
		"a long name in most":        {[][]v1alpha1.TargetComparison{{reads(long, 2, "2.00", faster), reads("b", 1, "", "")}, {reads(long, 2, "2.00", faster), reads("b", 1, "", "")}}, "a-target-w.. in 2 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			status := &v1alpha1.StorageBenchmarkStatus{}
			for _, targets := range test.comparisons {
				for _, target := range targets {
					if !slices.ContainsFunc(status.Targets, func(t v1alpha1.TargetStatus) bool { return t.Name == target.Name }) {
						status.Targets = append(status.Targets, v1alpha1.TargetStatus{Name: target.Name})
					}
				}
				status.Comparisons = append(status.Comparisons, v1alpha1.Comparison{Workload: "w", Targets: targets})
			}
			got := summary.Best(status)
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if n := len(got); n > summary.MaxBest {
				t.Errorf("%q has %d characters", got, n)
			}
		})
	}
}

// A target on which some repetitions of a search found no load is best in nothing: its figures are those of the others.
func TestBestOfSearches(t *testing.T) {
	status := &v1alpha1.StorageBenchmarkStatus{
		Comparisons: []v1alpha1.Comparison{{Workload: "w", Targets: []v1alpha1.TargetComparison{reads("gp3", 2000, "", ""), reads("io2", 3010, "1.51", v1alpha1.VerdictFaster)}}},
		Searches:    []v1alpha1.SearchResult{{Target: "io2", Workload: "w", Outcome: v1alpha1.SearchMixed, Searches: 2}},
	}
	if got := summary.Best(status); got != summary.NoClearBest {
		t.Errorf("best is %q", got)
	}
	status.Searches[0].Outcome = v1alpha1.SearchFound
	if got := summary.Best(status); got != "io2 3010 IOPS" {
		t.Errorf("best is %q where all repetitions have an answer", got)
	}
}
