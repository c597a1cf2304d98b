package summary

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

const (
	// MaxBest is the most characters of what Best says, so that the columns of kubectl get fit 80 in most cases.
	MaxBest = 22
	// NoClearBest is said where no target is ahead of all others.
	NoClearBest = "no clear best"
	// TooFewRuns is said instead where even the clearest difference may be chance.
	TooFewRuns = "too few runs to tell"
	// sameRatio is by how much IOPS may differ and still count as the same, as verdicts have it.
	sameRatio = 1.01
	// clearRatio is how far apart latencies have to be where neither target is the baseline: buckets of a histogram can be wide.
	clearRatio = 1.1
	// RunsForVerdict is from how many runs of each target on verdicts judge them. A test holds it to internal/analysis.
	RunsForVerdict = 4
)

// Best tells in a few words which target did most I/Os per second: "gp3 3048 IOPS" for one comparison, "gp3 in 3 of 4" for
// several. If all targets did the rate that the workload asks for, it is the one with the lowest latency: "gp3 936us P99".
// No target is named if the difference can be chance. For a single target it tells what that did. It is empty while there
// is nothing to tell.
func Best(status *v1alpha1.StorageBenchmarkStatus) string {
	return humanize.Cut(best(status), MaxBest, "..")
}

func best(status *v1alpha1.StorageBenchmarkStatus) string {
	var all, contests []standing
	for i := range status.Comparisons {
		s := standingOf(status, &status.Comparisons[i])
		if len(s) > 0 {
			all = append(all, s)
		}
		if len(s) > 1 {
			contests = append(contests, s)
		}
	}
	switch {
	case len(contests) > 0 && len(all) > 1:
		return orTooFew(mostOften(contests, len(all)), contests)
	case len(contests) == 1:
		return orTooFew(contests[0].leader(), contests)
	case len(all) == 0 || len(status.Targets) > 1: // the others have not been measured
		return ""
	case len(all) == 1:
		return all[0][0].did()
	default:
		return "up to " + topOf(all).iops()
	}
}

// orTooFew returns what is said of contests, or that there are too few runs if that is why none has a winner.
func orTooFew(said string, contests []standing) string {
	if said == NoClearBest && !slices.ContainsFunc(contests, func(s standing) bool { return !s.isTooFew() }) {
		return TooFewRuns
	}
	return said
}

// standing is the targets of a comparison, the one with most IOPS first.
type standing []place

// place is a target in a comparison, with all of its I/O together, and each direction of it.
type place struct {
	target     string
	runs       int32
	io         *v1alpha1.FiguresComparison
	directions []*v1alpha1.FiguresComparison
	sync       *v1alpha1.FiguresComparison
	// unanswered says that some repetitions of a search found no load. Those with an answer are what the target did when it did well.
	unanswered bool
}

func standingOf(status *v1alpha1.StorageBenchmarkStatus, c *v1alpha1.Comparison) standing {
	var s standing
	for i := range c.Targets {
		if all := cases.RatesAndTotal(&c.Targets[i]); len(all) > 0 {
			t := &c.Targets[i]
			search := cases.Search(status, t.Name, c.Workload, c.Parameters)
			s = append(s, place{t.Name, t.Runs, all[len(all)-1], cases.Rates(t), t.Of(v1alpha1.OperationSync), search != nil && search.Outcome == v1alpha1.SearchMixed})
		}
	}
	slices.SortStableFunc(s, func(a, b place) int { return cmp.Compare(b.io.MilliIOPS.Median, a.io.MilliIOPS.Median) })
	return s
}

// isTooFew reports whether a target has too few runs for a verdict.
func (s standing) isTooFew() bool {
	return slices.ContainsFunc(s, func(p place) bool { return p.runs < RunsForVerdict })
}

func (p *place) iops() string { return wording.IOPS(p.io.MilliIOPS.Median) + " IOPS" }

// did is what a target did, with the median latency if fio took it and there is room for it.
func (p *place) did() string {
	if whole := p.iops() + median(p.io, p.sync); len(whole) <= MaxBest {
		return whole
	}
	return p.iops()
}

// median is the median latency of a target as it follows IOPS: that of syncs where these prevail; "" if fio took none.
func median(io, sync *v1alpha1.FiguresComparison) string {
	switch {
	case io.P50Nanoseconds == nil:
		return ""
	case syncsPrevail(sync):
		return " " + wording.Percentile(sync.P50Nanoseconds.Median) + " sync p50"
	default:
		return " " + wording.Percentile(io.P50Nanoseconds.Median) + " p50"
	}
}

// syncsPrevail says whether who writes waits for syncs, and hardly for the writes between them.
func syncsPrevail(sync *v1alpha1.FiguresComparison) bool {
	return sync != nil && ptr.Deref(sync.Prevails, false) && sync.P50Nanoseconds != nil && sync.P99Nanoseconds != nil
}

// leader says which target is ahead of all others, and by what.
func (s standing) leader() string {
	first := s.firstBy((*place).isAhead)
	if first == nil {
		return s.leaderBySyncs()
	}
	for _, other := range s {
		if other.target != first.target && first.isJudgedByLatency(&other) {
			return named(first.target, first.latency())
		}
	}
	return named(first.target, first.iops())
}

// leaderBySyncs says which target is ahead of all others by the time that syncs take, where none is by anything else.
func (s standing) leaderBySyncs() string {
	if first := s.firstBy((*place).syncsFaster); first != nil {
		return named(first.target, wording.Percentile(first.sync.P99Nanoseconds.Median)+" sync P99")
	}
	return NoClearBest
}

// winner returns the target that is ahead of all others, by syncs where none is by anything else; nil if there is none.
func (s standing) winner() *place {
	return cmp.Or(s.firstBy((*place).isAhead), s.firstBy((*place).syncsFaster))
}

// firstBy returns the target that is ahead of each other one, nil if there is none.
func (s standing) firstBy(isAhead func(own, other *place) bool) *place {
	for i := range s {
		if s[i].unanswered {
			continue
		}
		behind := func(other place) bool { return other.target == s[i].target || isAhead(&s[i], &other) }
		if !slices.ContainsFunc(s, func(other place) bool { return !behind(other) }) {
			return &s[i]
		}
	}
	return nil
}

// latency is that of a target's only direction, or says that latencies decide.
func (p *place) latency() string {
	switch io := p.directions[0]; {
	case len(p.directions) == 1 && p.waitsForSyncs(p.directions[0]):
		return wording.Percentile(p.sync.P99Nanoseconds.Median) + " sync P99"
	case len(p.directions) == 1 && io.P99Nanoseconds != nil:
		return wording.Percentile(io.P99Nanoseconds.Median) + " P99"
	case len(p.directions) == 1 && io.MeanNanoseconds != nil:
		return wording.Latency(io.MeanNanoseconds.Median) + " mean"
	default:
		return "by latency"
	}
}

// isBaseline says whether the others are compared with the target.
func (p *place) isBaseline() bool { return p.io.MilliIOPS.Multiple() == "" }

// isAtRate says whether the target and the baseline did the rate that the workload asks for.
func (p *place) isAtRate() bool {
	return slices.ContainsFunc(p.directions, func(d *v1alpha1.FiguresComparison) bool { return d.JudgedBy != "" })
}

// isJudgedByLatency says whether two targets both did the rate that the workload asks for, so that their IOPS are alike whatever they are.
func (p *place) isJudgedByLatency(other *place) bool {
	return (p.isAtRate() || p.isBaseline()) && (other.isAtRate() || other.isBaseline()) && (p.isAtRate() || other.isAtRate())
}

// isAhead says whether a target is ahead of another: by IOPS, or by the latency of each direction.
func (p *place) isAhead(other *place) bool {
	few := min(p.runs, other.runs) < RunsForVerdict
	if !p.isJudgedByLatency(other) {
		return isAhead(p.io.MilliIOPS, other.io.MilliIOPS, verdictBetween(p.io, other.io), few, sameRatio)
	}
	for _, own := range p.directions {
		at := slices.IndexFunc(other.directions, func(d *v1alpha1.FiguresComparison) bool { return d.Name == own.Name })
		if at < 0 {
			return false
		}
		io, otherIO := own, other.directions[at]
		if p.waitsForSyncs(own) || other.waitsForSyncs(other.directions[at]) {
			if !p.syncsTakeLess(other) {
				return false
			}
			continue
		}
		latency, otherLatency := io.P99Nanoseconds, otherIO.P99Nanoseconds
		if latency == nil || otherLatency == nil {
			latency, otherLatency = io.MeanNanoseconds, otherIO.MeanNanoseconds
		}
		if latency == nil || otherLatency == nil || !isAhead(otherLatency, latency, verdictBetween(io, otherIO), few, clearRatio) {
			return false
		}
	}
	return true
}

// waitsForSyncs says whether what a direction takes is waiting for syncs.
func (p *place) waitsForSyncs(d *v1alpha1.FiguresComparison) bool {
	return d.Name == v1alpha1.OperationWrite && syncsPrevail(p.sync)
}

// syncsFaster says whether a target is ahead of another by the time that syncs take, and the other one is not ahead by anything else.
func (p *place) syncsFaster(other *place) bool { return !other.isAhead(p) && p.syncsTakeLess(other) }

// syncsTakeLess says whether syncs of a target take less time than another's, by p99.
func (p *place) syncsTakeLess(other *place) bool {
	if p.sync == nil || other.sync == nil || p.sync.P99Nanoseconds == nil || other.sync.P99Nanoseconds == nil {
		return false
	}
	verdict := p.sync.Verdict()
	if p.isBaseline() {
		verdict = other.sync.Verdict()
	} else if !other.isBaseline() {
		verdict = ""
	}
	return isAhead(other.sync.P99Nanoseconds, p.sync.P99Nanoseconds, verdict, min(p.runs, other.runs) < RunsForVerdict, clearRatio)
}

// isAhead reports whether a figure is more than another by the verdict on the two. Between two targets neither of which is
// the baseline there is no verdict: then the figure of each run has to be more than each of the other's, and the medians
// have to be as far apart as verdicts ask for. With few runs even that can be chance.
func isAhead(more, less *v1alpha1.Statistic, verdict v1alpha1.Verdict, few bool, leastRatio float64) bool {
	switch verdict {
	case v1alpha1.VerdictSame, v1alpha1.VerdictNotShown, v1alpha1.VerdictTooFewRuns:
		return false
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		return more.Median > less.Median
	}
	return !few && more.Least() > less.Most() && float64(more.Median) > leastRatio*float64(less.Median)
}

// verdictBetween returns the verdict on two targets, "" if neither is the baseline.
func verdictBetween(a, b *v1alpha1.FiguresComparison) v1alpha1.Verdict {
	switch {
	case a.MilliIOPS.Multiple() == "":
		return b.Verdict()
	case b.MilliIOPS.Multiple() == "":
		return a.Verdict()
	default:
		return ""
	}
}

// mostOften says which target is first in more than half of so many comparisons, of which some may have but one target.
func mostOften(contests []standing, comparisons int) string {
	wins := map[string]int{}
	best := ""
	for _, s := range contests {
		if first := s.winner(); first != nil {
			wins[first.target]++
		}
	}
	for target, n := range wins {
		if n > wins[best] {
			best = target
		}
	}
	if 2*wins[best] <= comparisons {
		return NoClearBest
	}
	return named(best, fmt.Sprintf("in %d of %d", wins[best], comparisons))
}

// topOf returns the place with most IOPS of comparisons with a single target.
func topOf(all []standing) *place {
	return &slices.MaxFunc(all, func(a, b standing) int { return cmp.Compare(a[0].io.MilliIOPS.Median, b[0].io.MilliIOPS.Median) })[0]
}

// named puts the name of a target before what is said of it, as much of the name as there is room for. An absurd figure
// leaves no room for it.
func named(target, what string) string {
	const cut = ".." // which kubectl, other than …, gives the width that it has
	room := MaxBest - len(" ") - len(what)
	switch {
	case len(target) <= room:
	case room <= len(cut):
		return what
	default:
		target = target[:room-len(cut)] + cut
	}
	return target + " " + what
}
