// Package summary tells the results of a benchmark in one line, for the columns of kubectl get.
package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// MaxSummary is the most characters of a summary: it has to fit into a printed column.
const MaxSummary = 240

// Summary says the results in one line, such as "randwrite bs=16k: gp3 3048 IOPS 5.34ms p50, efs 1560 (0.51x)":
// by comparison first the IOPS and the median latency of the baseline, then the IOPS of the others beside it. It
// is empty while there is no result.
func Summary(status *v1alpha1.StorageBenchmarkStatus) string {
	var lines []string
	for i := range status.Comparisons {
		c := &status.Comparisons[i]
		name := strings.TrimSpace(cases.Name(c) + " " + wording.Parameters(c.Parameters))
		var alone, beside []string
		for j := range c.Targets {
			t := &c.Targets[j]
			text := t.Name + " " + summarizeTarget(t)
			if s := cases.Search(status, t.Name, c.Workload, c.Parameters); s != nil {
				text += summarizeSearch(s)
			}
			if isCompared(t) {
				beside = append(beside, text)
			} else {
				alone = append(alone, text)
			}
		}
		lines = append(lines, name+": "+strings.Join(append(alone, beside...), ", "))
	}
	for i := range status.Searches {
		if s := &status.Searches[i]; s.Answer == nil && s.Message != "" {
			lines = append(lines, strings.TrimSpace(s.Workload+" "+wording.Parameters(s.Parameters))+": "+s.Target+" "+s.Message)
		}
	}
	return shorten(strings.Join(lines, "; "))
}

// isCompared says whether a target is beside the baseline.
func isCompared(t *v1alpha1.TargetComparison) bool {
	return slices.ContainsFunc(cases.Rates(t), func(d *v1alpha1.FiguresComparison) bool { return d.MilliIOPS.Multiple() != "" })
}

func summarizeTarget(t *v1alpha1.TargetComparison) string {
	all := cases.Rates(t)
	parts := make([]string, len(all))
	for i, d := range all {
		sync := t.Of(v1alpha1.OperationSync)
		if d.Name != v1alpha1.OperationWrite {
			sync = nil
		}
		if parts[i] = summarizeIO(d, sync); len(all) > 1 {
			parts[i] = d.Name + " " + parts[i]
		}
	}
	return strings.Join(parts, " + ")
}

func summarizeIO(io *v1alpha1.FiguresComparison, sync *v1alpha1.FiguresComparison) string {
	iops := wording.IOPS(io.MilliIOPS.Median)
	switch {
	case io.JudgedBy == v1alpha1.JudgedByP99 && io.P99Nanoseconds.Multiple() == "" && io.P99Nanoseconds != nil:
		return fmt.Sprintf("%s (%s %s)", iops, io.JudgedBy, wording.Percentile(io.P99Nanoseconds.Median))
	case io.JudgedBy != "":
		return fmt.Sprintf("%s (%s %s)", iops, io.JudgedBy, wording.Multiple(io.Judged().Multiple()))
	case io.MilliIOPS.Multiple() != "" && syncsPrevail(sync) && sync.P99Nanoseconds.Multiple() != "":
		return fmt.Sprintf("%s (%s, sync P99 %s)", iops, wording.Multiple(io.MilliIOPS.Multiple()), wording.Multiple(sync.P99Nanoseconds.Multiple()))
	case io.MilliIOPS.Multiple() != "":
		return fmt.Sprintf("%s (%s)", iops, wording.Multiple(io.MilliIOPS.Multiple()))
	default:
		return fmt.Sprintf("%s IOPS%s", iops, median(io, sync))
	}
}

// shorten cuts a line behind a whole target or comparison.
func shorten(line string) string {
	if len(line) <= MaxSummary {
		return line
	}
	cut := max(strings.LastIndex(line[:MaxSummary], ", "), strings.LastIndex(line[:MaxSummary], "; "), 0)
	return line[:cut] + " …"
}

// summarizeSearch is what a search has found in few words, such as "at read.p99 <= 5ms (iodepth 9)".
func summarizeSearch(s *v1alpha1.SearchResult) string {
	if s.Answer == nil {
		return ""
	}
	return fmt.Sprintf(" at %s<=%s (%s %d)", s.Objective, wording.Percentile(s.BudgetNanoseconds), s.Vary, s.Answer.Value.Median)
}
