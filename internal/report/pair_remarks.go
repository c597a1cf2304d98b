package report

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// remark is what is said of how two benchmarks were measured, below what they measured. Head is one word.
type remark struct{ head, text string }

// remarks say what the verdicts rest on.
func (p *Pair) remarks() []remark {
	var all []remark
	for i, sb := range p.Benchmarks {
		if text := incomplete(&sb.Status, p.Labels[i]); text != "" {
			all = append(all, remark{"Incomplete", text})
		}
	}
	for i, sb := range p.Benchmarks {
		if text := abandonedCount(&sb.Status, p.Labels[i]); text != "" {
			all = append(all, remark{"Abandoned", text})
		}
	}
	return all
}

// incomplete says how many runs of a benchmark have a result, "" if all have. Those that failed may have done so because the storage is bad, so that a
// verdict on the others is one on survivors.
func incomplete(status *v1alpha1.StorageBenchmarkStatus, label string) string {
	counts := map[v1alpha1.RunState]int{}
	for i := range status.Runs {
		counts[status.Runs[i].State]++
	}
	measured, failed, all := counts[v1alpha1.RunSucceeded], counts[v1alpha1.RunFailed], len(status.Runs)
	if measured == all {
		return ""
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if missing := all - measured - failed; missing > 0 {
		word := "not made yet"
		if status.CompletionTime != nil {
			word = "not made"
		}
		parts = append(parts, fmt.Sprintf("%d %s", missing, word))
	}
	return fmt.Sprintf("%d of %s of %s have a result (%s). Verdicts are on these alone.", measured, legible.Plural(all, "run"), label, strings.Join(parts, ", "))
}

// maxAbandoned is the most attempts without a result that a status keeps.
const maxAbandoned = 32

// abandonedCount says how many attempts of a benchmark were ended without a result, "" if none was.
func abandonedCount(status *v1alpha1.StorageBenchmarkStatus, label string) string {
	switch n := len(status.AbandonedAttempts); {
	case n == 0:
		return ""
	case n >= maxAbandoned:
		return fmt.Sprintf("%d attempts or more of %s ended without a result.", n, label)
	default:
		return fmt.Sprintf("%s of %s ended without a result.", legible.Plural(n, "attempt"), label)
	}
}
