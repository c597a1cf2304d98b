package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	return append(all, remark{"Measured", p.when() + p.where() + ". Verdicts count as a difference whatever else was not the same."})
}

// when says how far apart two benchmarks were measured. Each has all of its repetitions in its own time, so that none of them shows what changed in
// between: to a verdict that is a difference of the storage.
func (p *Pair) when() string {
	first, second := &p.Benchmarks[0].Status, &p.Benchmarks[1].Status
	name, next := p.Labels[0], p.Labels[1]
	if first.StartTime == nil || second.StartTime == nil {
		return "at unknown times"
	}
	if second.StartTime.Before(first.StartTime) {
		first, second, name, next = second, first, next, name
	}
	if first.CompletionTime == nil || second.StartTime.Before(first.CompletionTime) {
		return fmt.Sprintf("at the same time in part, %s from %s on and %s from %s on", name, minute(first.StartTime), next, minute(second.StartTime))
	}
	apart := second.StartTime.Sub(first.CompletionTime.Time)
	return fmt.Sprintf("%s until %s and %s from %s on, %s apart", name, minute(first.CompletionTime), next, minute(second.StartTime), roughly(apart))
}

// roughly prints a time in the unit of which there are at least two.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := d / unit.of; n >= 2 {
			return legible.Plural(int(n), unit.name)
		}
	}
	return legible.Plural(int(d.Seconds()), "second")
}

// where says whether what is compared was measured on the same volumes, "" if that is not known of all.
func (p *Pair) where() string {
	same, other := false, false
	for i := range p.Both {
		targets := p.Both[i].Targets
		own, others := targetStatusOf(p.Benchmarks[0], targets[0].Name).Volumes, targetStatusOf(p.Benchmarks[1], targets[1].Name).Volumes
		if len(own) == 0 || len(others) == 0 {
			return ""
		}
		for j := range own {
			isThere := slices.ContainsFunc(others, func(v v1alpha1.VolumeStatus) bool { return isVolume(&own[j], &v) })
			same, other = same || isThere, other || !isThere
		}
	}
	switch {
	case same && other:
		return ", in part on other volumes"
	case other:
		return ", on other volumes"
	case same:
		return ", on the same volumes"
	default:
		return ""
	}
}

// isVolume says whether two volumes are one. A volume that was there before can have another PersistentVolume in each benchmark.
func isVolume(a, b *v1alpha1.VolumeStatus) bool {
	if a.Handle != "" && b.Handle != "" {
		return a.Handle == b.Handle
	}
	return a.Name == b.Name
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
