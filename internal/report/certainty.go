package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// certainty says how sure the figures are, from the direction with the verdict.
func (e *explanation) certainty(t *v1alpha1.TargetComparison) string {
	all := cases.RatesAndTotal(t)
	if len(all) == 0 {
		return ""
	}
	iops := all[len(all)-1].MilliIOPS // of the total, if there is one
	if isUnanswered(all) {
		return "A search found no load in some repetitions, on this target or on the baseline. The answers of the others show nothing."
	}
	if t.Runs < 2 {
		return "One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval."
	}
	sentence := fmt.Sprintf("%d runs had from %s IOPS", t.Runs, wording.Range(iops.Least(), iops.Most(), " to "))
	if iops.Median > 0 {
		sentence += fmt.Sprintf(" (%s%s %%)", e.style.plusMinus(), wording.Deviation(iops))
	}
	sentences := []string{sentence + "."}
	if iops.ConfidenceLow != nil && iops.ConfidenceHigh != nil {
		sentences = append(sentences, fmt.Sprintf("With a confidence of at least 95 %% the median is from %s.", wording.Range(*iops.ConfidenceLow, *iops.ConfidenceHigh, " to ")))
	} else {
		sentences = append(sentences, "That is too few for a confidence interval, which needs 6.")
	}
	for _, d := range judgedIn(all) {
		s := d.Judged()
		if d.Verdict() == v1alpha1.VerdictTooFewRuns {
			sentences = append(sentences, "A verdict needs 4 runs of each target: with fewer, even the clearest difference may be chance. Set repetitions to 4 or more.")
			break
		}
		if s.PValue != "" {
			sentences = append(sentences, besideInterval(d), chance(s, d.Verdict()), shownFrom(s))
		}
	}
	return strings.Join(strings.Fields(strings.Join(sentences, " ")), " ")
}

// isUnanswered says whether nothing is shown because a search has no answer in some repetitions: then nothing was tested.
func isUnanswered(all []*v1alpha1.FiguresComparison) bool {
	return slices.ContainsFunc(judgedIn(all), func(d *v1alpha1.FiguresComparison) bool {
		return d.Verdict() == v1alpha1.VerdictNotShown && d.Judged().PValue == ""
	})
}

// judgedIn returns what has the verdict: the directions that are judged by their latency, or all of them together.
func judgedIn(all []*v1alpha1.FiguresComparison) []*v1alpha1.FiguresComparison {
	byLatency := slices.DeleteFunc(slices.Clone(all), func(d *v1alpha1.FiguresComparison) bool { return d.JudgedBy == "" })
	if len(byLatency) > 0 {
		return byLatency
	}
	return all[len(all)-1:]
}

// besideInterval says in which interval the ratio to the baseline lies, "" if that is not known.
func besideInterval(d *v1alpha1.FiguresComparison) string {
	s := d.Judged()
	if s.RatioLow == "" || s.RatioHigh == "" {
		return ""
	}
	of := ""
	if d.JudgedBy != "" {
		of = fmt.Sprintf(" of the %ss' %s", d.Name, d.JudgedBy)
	}
	return fmt.Sprintf("With a confidence of 95 %% the ratio%s is from %s to %s.", of, s.RatioLow, s.RatioHigh)
}

// latencyCertainty says how sure the latencies are that a target is compared by: the 99th percentile of each direction and of syncs, or of these the
// mean where there are no percentiles. It says nothing of too few runs, as certainty does.
func (e *explanation) latencyCertainty(t *v1alpha1.TargetComparison) []string {
	var sentences []string
	for i := range t.Figures {
		d := &t.Figures[i]
		what, ratio, s := "99th percentile", d.P99Nanoseconds.Multiple(), d.P99Nanoseconds
		if d.Name == v1alpha1.OperationSync && s == nil {
			what, ratio, s = "mean", d.MeanNanoseconds.Multiple(), d.MeanNanoseconds
		}
		if s == nil || s.PValue == "" {
			continue
		}
		of := d.Name + "s"
		if d.Name == v1alpha1.OperationMetadata {
			of = "operations"
		}
		interval := ", without an interval, as a run has none or one that is beyond fio's histogram"
		if s.RatioLow != "" && s.RatioHigh != "" {
			interval = fmt.Sprintf(", from %s to %s with a confidence of 95 %%", s.RatioLow, s.RatioHigh)
		}
		beside := fmt.Sprintf("is %s times that of %s%s", ratio, plan.Baseline(&e.sb.Spec), interval)
		if ratio == "" {
			beside = fmt.Sprintf("has no ratio to that of %s, as one of them is %s", plan.Baseline(&e.sb.Spec), noRatio)
		}
		values, _ := pValues(s)
		sentences = append(sentences, fmt.Sprintf("The %s of %s %s: %s (%s).", what, of, beside, e.style.verdict(s.Verdict), values))
	}
	return sentences
}

// pValues prints the p-values of a statistic, and returns the one that counts: the corrected one, if there is one. It is NaN if there is none.
func pValues(s *v1alpha1.Statistic) (string, float64) {
	p, err := strconv.ParseFloat(s.PValue, 64)
	if err != nil {
		return "p = " + s.PValue, math.NaN()
	}
	values := "p = " + s.PValue
	if adjusted, err := strconv.ParseFloat(s.AdjustedPValue, 64); err == nil && s.AdjustedPValue != s.PValue {
		return values + ", corrected for the number of comparisons " + s.AdjustedPValue, adjusted
	}
	return values, p
}

// chance says in words what the p-values of a statistic mean for the verdict.
func chance(s *v1alpha1.Statistic, verdict v1alpha1.Verdict) string {
	p, err := strconv.ParseFloat(s.PValue, 64)
	if err != nil {
		return ""
	}
	if verdict == v1alpha1.VerdictSame && s.RatioLow != "" {
		return "All of that is within 5 %, too little to matter."
	}
	often := fmt.Sprintf("%.0f of 100 such comparisons", math.Round(100*p))
	if p < 0.01 {
		often = "less than 1 of 100 such comparisons"
	}
	values, p := pValues(s)
	judgement := "so it is hardly chance"
	switch {
	case p >= significance:
		judgement = "so it may well be chance"
	case verdict == v1alpha1.VerdictSame:
		judgement = "so it is hardly chance; but it is 1 % at most, too little to matter"
	case s.IsSmall(verdict):
		judgement = "so it is hardly chance; but all of it is within 5 %, which seldom matters"
	case verdict == v1alpha1.VerdictNotShown:
		judgement = "so it is hardly chance; but it is smaller than the precision of the figures"
	}
	return fmt.Sprintf("If both were alike, chance alone would make a difference as large in %s (%s), %s.", often, values, judgement)
}

// shownFrom says from which difference on these runs would have shown one, "" where that says nothing.
func shownFrom(s *v1alpha1.Statistic) string {
	if s.DetectablePercent == 0 {
		return ""
	}
	return fmt.Sprintf("Such runs show a difference of %d %% in 4 of 5 cases: more repetitions show smaller ones.", s.DetectablePercent)
}

// significance is the p-value below which verdicts do not put a difference down to chance. A test holds it to the verdicts of
// internal/analysis.
const significance = 0.05
