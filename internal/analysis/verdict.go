package analysis

import (
	"cmp"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// sameRatio is the margin within which a ratio counts as the same. It is half of what EBS volumes may fall short of without a fault: they are
// designed to deliver at least 90 % of what is provisioned, 99 % of the time (https://docs.aws.amazon.com/ebs/latest/userguide/ebs-optimization.html,
// read in November 2026). Less than two buckets of fio's histogram, 3.1 %, could not be said of percentiles.
const sameRatio = v1alpha1.SameRatio

// family are all figures of a benchmark that are compared with a baseline's. Of many that do not differ some look as if they did: that
// is corrected for their number. The correction is that of Benjamini and Hochberg (1995): of what is called a difference 5 % is
// wrong on average, and if nothing differs there is a wrong one in 5 % of benchmarks. Holm's would have a wrong one in 5 % of benchmarks
// whatever else differs, but of 24 differences it would find the first one only at p below 0.002, also where one cause makes all of them.
//
// Rows have a verdict each, which is what people read. They are corrected for the number of rows alone, so that those who look at IOPS do not pay
// for five more figures beside it. These others are corrected for their own number.
type family struct {
	members []member
	// unanswered says of what is added that some repetitions of a search have no answer. Nothing is shown by the others alone.
	unanswered bool
	// repetitions are those that measured what is added: of the target and of the baseline.
	repetitions, baseRepetitions []int32
	// depend says how much these depend on each other.
	depend dependences
	// hiding has the runs without which figures that rows have their verdict of would have another one.
	hiding map[*v1alpha1.Statistic]*oneRun
}

// member is a figure that is compared.
type member struct {
	statistic *v1alpha1.Statistic
	contrast  contrast
	own, base side
	depend    dependences
	// isRow says whether the verdict on the figure is the one that counts of its row.
	isRow bool
}

// compare returns the statistic of a target's values beside the baseline's, of which there are none for the baseline itself and
// where it has no such values.
func (f *family) compare(own, base []int64, y yardstick) *v1alpha1.Statistic {
	s := y.statisticOf(own)
	if len(base) == 0 {
		return &s
	}
	s.Ratio = y.ratio(s.Median, y.statisticOf(base).Median)
	if !f.unanswered && min(len(own), len(base)) >= minRuns {
		f.members = append(f.members, member{
			statistic: &s, contrast: contrastOf(own, base, y, f.depend), depend: f.depend,
			own: side{own, f.repetitions}, base: side{base, f.baseRepetitions},
		})
	}
	return &s
}

// addRow notes that the verdict on a statistic is the one that counts of so many results of the target and of the baseline. It is
// known already where nothing can be shown.
func (f *family) addRow(s *v1alpha1.Statistic, own, base int) {
	switch {
	case base == 0:
	case f.unanswered:
		s.Verdict = v1alpha1.VerdictNotShown
	case min(own, base) < minRuns:
		s.Verdict = v1alpha1.VerdictTooFewRuns
	default:
		if at := slices.IndexFunc(f.members, func(m member) bool { return m.statistic == s }); at >= 0 {
			f.members[at].isRow = true
		}
	}
}

// judge gives all figures their verdicts.
func (f *family) judge() {
	f.hiding = map[*v1alpha1.Statistic]*oneRun{}
	f.judgeTogether(true)
	f.judgeTogether(false)
}

// judgeTogether gives the figures that rows have their verdict of, or all others, theirs.
func (f *family) judgeTogether(ofRows bool) {
	var members []*member
	var ps []float64
	for i := range f.members {
		if m := &f.members[i]; m.isRow == ofRows {
			members, ps = append(members, m), append(ps, m.contrast.p)
		}
	}
	adjusted := adjust(ps)
	found := 0
	for _, p := range adjusted {
		if p < significance {
			found++
		}
	}
	for i, m := range members {
		// What is not found would have been the next one.
		level := significance * float64(min(found+1, len(ps))) / float64(len(ps))
		m.judge(adjusted[i], level)
		if one := m.hiding(level, len(ps)); one != nil && ofRows {
			f.hiding[m.statistic] = one
		}
	}
}

// judge completes the statistic. What is not shown tells what would have been found at a level of significance.
func (m *member) judge(p, level float64) {
	s, c := m.statistic, &m.contrast
	s.PValue, s.AdjustedPValue, s.Verdict = pText(c.p), pText(p), c.verdict(p)
	if len(c.ratios) > 0 {
		low, high := c.ratios.interval()
		s.RatioLow, s.RatioHigh = intervalText(low), intervalText(high)
	}
	if s.Verdict == v1alpha1.VerdictNotShown {
		s.DetectablePercent = c.detectable(level)
	}
}

// adjust returns p-values corrected for their number, by Benjamini and Hochberg: those below 0.05 are the ones that their procedure finds
// at 0.05.
func adjust(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ps[b], ps[a]) })
	adjusted := make([]float64, len(ps))
	least := 1.0
	for i, at := range order {
		rank := len(ps) - i
		least = min(least, ps[at]*float64(len(ps))/float64(rank))
		adjusted[at] = least
	}
	return adjusted
}
