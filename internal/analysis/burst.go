package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// storageBursts warns of a result that the storage could do only with burst credits.
func storageBursts(s seen) string {
	all, load := s.known.atStorage(s.known.Company.with(s.result), s.known.Company.loadWith(s.load))
	base := greatest(limitSet{limits: BaselineOf(s.known.storageLimits()), owners: s.known.volumes()}.usesAsCounted(all, load))
	if base.percent() <= baselinePercent || s.known.cached(s.result, s.load, s.client) {
		return ""
	}
	measured, baseline := base.figures()
	unit, _, _ := strings.Cut(base.unit, " ")
	rate := fmt.Sprintf("%s %s%s, where the %s baseline is %s %s", measured, base.unit, s.known.Company.ofAll(), base.whose(), baseline, unit)
	c := s.known.Credits
	switch p := s.known.phase(all, load); {
	case p == exhausted:
		return "" // The few credits that came back do not mislead.
	case p == ranOut:
		return fmt.Sprintf("burst credits ran out during the run, after %s s at the earliest%s: its average of %s %s shows neither the burst nor the %s baseline of %s",
			humanize.Significant(c.SecondsToEmpty), c.assumption(), measured, base.unit, base.whose(), baseline)
	case s.known.isLong(all, load):
		return "" // Few runs would use such a bucket up: what the target has left is information.
	case c == nil || c.After <= 0:
		return fmt.Sprintf("ran at %s: it can keep this up only as long as it has burst credits", rate)
	}
	whose := "its credits"
	if base.owners > 1 {
		whose = "the first's" // that volume is in use in every run
	}
	return fmt.Sprintf("ran on burst credits at %s; %d %% of %s are left%s%s", rate, percent(c.After), whose, c.assumption(), s.known.untilBaseline(all, load))
}

// isLong reports whether a full bucket lasts a day or more at such rates. One that never becomes empty is none: something
// is not known of it, as it cannot be above the baseline.
func (k Known) isLong(all *v1alpha1.Result, load Load) bool {
	const day = 24 * 60 * 60
	seconds := k.lastsFor(all, load)
	return seconds >= day && !math.IsInf(seconds, 1)
}

// lastsFor returns how many seconds a full bucket lasts at such rates. It is 0 if that is not known, and infinite if the
// bucket never becomes empty.
func (k Known) lastsFor(all *v1alpha1.Result, load Load) float64 {
	bucket, known := BucketOf(k.Storage)
	if !known {
		return 0
	}
	perSecond := creditUnits(inASecond(all), bucket.Unit, k.Storage.Scope, !countsEach(*k.Storage, load, all)) / float64(max(k.volumes(), 1))
	return bucket.SecondsAt(perSecond, bucket.Max)
}

// untilBaseline tells after how long at such rates a full bucket is empty, "" if that is not known.
func (k Known) untilBaseline(all *v1alpha1.Result, load Load) string {
	seconds := k.lastsFor(all, load)
	if seconds == 0 || math.IsInf(seconds, 1) {
		return ""
	}
	return fmt.Sprintf("; a full bucket lasts for %s s at this rate", humanize.Significant(seconds))
}

// inASecond is what results with such rates do in one second.
func inASecond(r *v1alpha1.Result) *v1alpha1.Result {
	second := &v1alpha1.Result{}
	for direction, io := range r.Directions() {
		second.Figures = append(second.Figures, v1alpha1.Figures{Name: direction, Count: io.IOPS(), Bytes: io.BytesPerSecond})
	}
	return second
}

// assumption says what must be true for the credits to be right, "" if that is known.
func (c *Credits) assumption() string {
	if !c.Assumed {
		return ""
	}
	return ", if full when the benchmark began"
}

// clientBursts warns of a result that is above what a limit of the client leaves for as long as one likes.
func clientBursts(s seen) string {
	if s.known.cached(s.result, s.load, s.client) {
		return ""
	}
	var uses []use
	all, _ := s.known.atStorage(s.known.Company.with(s.result), s.load)
	for _, set := range s.known.clientSets() {
		uses = append(uses, limitSet{limits: BaselineOf(set.limits), owners: set.owners}.uses(all)...)
	}
	base := greatest(uses)
	if base.percent() <= baselinePercent {
		return ""
	}
	measured, baseline := base.figures()
	did := "did"
	if base.inMiB {
		did = "moved"
	}
	unit, _, _ := strings.Cut(base.unit, " ")
	return fmt.Sprintf("%s %s %s%s, where the %s baseline is %s %s: %s",
		did, measured, base.unit, s.known.Company.ofAll(), base.whose(), baseline, unit, s.known.clientBurst(base.reason))
}

// clientBurst tells for how long a client can do more than its baseline. AWS documents it for paths of instances to EBS
// ("at least once in 24 hours") and for their network ("typically").
func (k Known) clientBurst(reason string) string {
	switch {
	case reason != v1alpha1.BoundInstanceIOPS && reason != v1alpha1.BoundInstanceThroughput:
		return "it can keep this up only for a time"
	case reason == v1alpha1.BoundInstanceThroughput && (k.Storage == nil || k.Storage.Scope == v1alpha1.ScopeFileSystem):
		return "its network can keep this up for 5 to 60 minutes"
	default:
		return "it can keep this up for 30 minutes, at least once in 24 hours"
	}
}
