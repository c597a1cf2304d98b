package analysis

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/internal/legible"
)

// storageBursts warns of a result that the storage could do only with burst credits.
func storageBursts(s seen) string {
	all, _ := s.known.atStorage(s.known.Company.with(s.result), s.load)
	base := greatest(limitSet{limits: BaselineOf(s.known.storageLimits()), owners: s.known.volumes()}.uses(all))
	if base.percent() <= baselinePercent || s.known.cached(s.result, s.load, s.client) {
		return ""
	}
	measured, baseline := base.figures()
	unit, _, _ := strings.Cut(base.unit, " ")
	rate := fmt.Sprintf("%s %s%s, where the %s baseline is %s %s", measured, base.unit, s.known.Company.ofAll(), base.whose(), baseline, unit)
	c := s.known.Credits
	switch p := s.known.phase(all); {
	case p == exhausted:
		return "" // The few credits that came back do not mislead.
	case p == ranOut:
		return fmt.Sprintf("burst credits ran out during the run, after %s s at the earliest%s: its average of %s %s shows neither the burst nor the %s baseline of %s",
			legible.Significant(c.SecondsToEmpty), c.assumption(), measured, base.unit, base.whose(), baseline)
	case c == nil || c.After <= 0:
		return fmt.Sprintf("ran at %s: it can keep this up only as long as it has burst credits", rate)
	}
	whose := "its credits"
	if base.owners > 1 {
		whose = "the first's" // that volume is in use in every run
	}
	return fmt.Sprintf("ran on burst credits at %s; %d %% of %s are left%s; a run on a full bucket shows the baseline after %s s",
		rate, percent(c.After), whose, c.assumption(), legible.Significant(c.SecondsToBaseline))
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
	return fmt.Sprintf("%s %s %s%s, where the %s baseline is %s %s: it can keep this up only for a time",
		did, measured, base.unit, s.known.Company.ofAll(), base.whose(), baseline, unit)
}
