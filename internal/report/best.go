package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

const (
	// maxBest is the most characters of what Best says: the columns of kubectl get have 100 in all.
	maxBest = 27
	// noClearBest is said where no target is ahead of all others.
	noClearBest = "no clear best"
	// samePercent is by how much IOPS may differ and still count as the same, as verdicts have it.
	samePercent = 1
)

// Best says in a few words which target did most I/Os per second: "gp3 3048 IOPS" of one comparison, "gp3 in 3 of 4" of
// several. Of a benchmark with a single target it says what that did. It is empty while there is nothing to say.
func Best(status *v1alpha1.StorageBenchmarkStatus) string {
	return legible.Cut(best(status), maxBest, "..")
}

func best(status *v1alpha1.StorageBenchmarkStatus) string {
	var all, contests []standing
	for i := range status.Comparisons {
		s := standingOf(&status.Comparisons[i])
		if len(s) > 0 {
			all = append(all, s)
		}
		if len(s) > 1 {
			contests = append(contests, s)
		}
	}
	switch {
	case len(contests) > 0 && len(all) > 1:
		return mostOften(contests, len(all))
	case len(contests) == 1:
		return contests[0].leader()
	case len(all) == 0 || len(status.Targets) > 1: // the others have not been measured
		return ""
	case len(all) == 1:
		return all[0][0].did()
	default:
		return "up to " + topOf(all).iops()
	}
}

// standing is the targets of a comparison, the one with most IOPS first.
type standing []place

// place is a target in a comparison, with all of its I/O together.
type place struct {
	target string
	io     *v1alpha1.IOComparison
}

func standingOf(c *v1alpha1.Comparison) standing {
	var s standing
	for i := range c.Targets {
		if all := withTotal(&c.Targets[i]); len(all) > 0 {
			s = append(s, place{c.Targets[i].Name, all[len(all)-1].io})
		}
	}
	slices.SortStableFunc(s, func(a, b place) int { return cmp.Compare(b.io.IOPS.Median, a.io.IOPS.Median) })
	return s
}

func (p place) iops() string { return fmt.Sprintf("%d IOPS", p.io.IOPS.Median) }

// did is what a target did, with the median latency if fio took it.
func (p place) did() string {
	if p.io.P50Nanoseconds == nil {
		return p.iops()
	}
	return p.iops() + " " + percentile(p.io.P50Nanoseconds.Median) + " p50"
}

// leader says which target is first.
func (s standing) leader() string {
	if !s.isClear() {
		return noClearBest
	}
	return named(s[0].target, s[0].iops())
}

// isClear says whether the first target is ahead of all others.
func (s standing) isClear() bool {
	return !slices.ContainsFunc(s[1:], func(other place) bool { return !isAhead(s[0].io, other.io) })
}

// clearRatio is how far apart targets are of which too few runs are there for a verdict: repetitions of the same may differ by so much, as warning
// Spread has it.
const clearRatio = 1.1

// isAhead says whether a target is ahead of another by the verdict on the two. Where there is none, each of its runs has to be ahead of each
// of the other's, and the medians as far apart as verdicts ask for.
func isAhead(first, other *v1alpha1.IOComparison) bool {
	switch verdictBetween(first, other) {
	case v1alpha1.VerdictSame, v1alpha1.VerdictNotShown:
		return false
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		return true
	case v1alpha1.VerdictTooFewRuns:
		return first.IOPS.Min > other.IOPS.Max && float64(first.IOPS.Median) > clearRatio*float64(other.IOPS.Median)
	default:
		return first.IOPS.Min > other.IOPS.Max && float64(first.IOPS.Median) > (1+samePercent/100.0)*float64(other.IOPS.Median)
	}
}

// verdictBetween returns the verdict on two targets, "" if neither is the baseline.
func verdictBetween(a, b *v1alpha1.IOComparison) v1alpha1.Verdict {
	switch {
	case a.IOPSRatio == "":
		return b.Verdict
	case b.IOPSRatio == "":
		return a.Verdict
	default:
		return ""
	}
}

// mostOften says which target is first in more than half of so many comparisons, of which some may have but one target.
func mostOften(contests []standing, comparisons int) string {
	wins := map[string]int{}
	best := ""
	for _, s := range contests {
		if s.isClear() {
			wins[s[0].target]++
		}
	}
	for target, n := range wins {
		if n > wins[best] {
			best = target
		}
	}
	if 2*wins[best] <= comparisons {
		return noClearBest
	}
	return named(best, fmt.Sprintf("in %d of %d", wins[best], comparisons))
}

// topOf returns the place with most IOPS of comparisons with a single target.
func topOf(all []standing) place {
	return slices.MaxFunc(all, func(a, b standing) int { return cmp.Compare(a[0].io.IOPS.Median, b[0].io.IOPS.Median) })[0]
}

// named puts the name of a target before what is said of it, as much of the name as there is room for.
func named(target, what string) string {
	const cut = ".." // which kubectl, other than …, gives the width that it has
	if room := maxBest - len(" ") - len(what); len(target) > room {
		target = target[:room-len(cut)] + cut
	}
	return target + " " + what
}
