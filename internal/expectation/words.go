package expectation

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// runsForInterval is from how many runs on a median has an interval.
	runsForInterval = 6
	// runsForRatio is from how many runs of each target on their ratio has one.
	runsForRatio = 4
)

// Subject says which results a finding is about, such as "etcd on gp3".
func (f *Finding) Subject() string {
	if f.Target != "" {
		return f.What() + " on " + f.Target
	}
	return f.What()
}

// What is the workload of a finding, with the choice of its matrix and its section, such as "files clients=2".
func (f *Finding) What() string {
	parts := []string{f.Workload, parametersText(f.Parameters)}
	if f.Workload == "" {
		parts[0] = "any workload"
	}
	if f.Section != "" {
		parts = append(parts, "section "+f.Section)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// Answer is the verdict for people. Where figures were measured that do not tell, Doubt says why.
func (f *Finding) Answer() string {
	switch {
	case f.Verdict == Met:
		return "Met"
	case f.Verdict == Missed:
		return "Not met"
	case f.Figures == nil:
		return "Not measured"
	default:
		return "Undecided"
	}
}

// Measured is what was measured for people, such as "fdatasync p99 14 ms".
func (f *Finding) Measured() string {
	words := f.Rule.Metric.Words(f.sync)
	if f.Figures == nil {
		return words + " was not measured"
	}
	text := words + " " + f.figure()
	if f.Baseline != nil && f.Baseline.Median > 0 {
		text += fmt.Sprintf(", %s the baseline's %s", f.times(), f.Rule.Metric.measuredText(f.Baseline.Median))
	}
	return text
}

// times says how many times the baseline's the figure is, as far as that is known.
func (f *Finding) times() string {
	own, base := f.isBeyond(), f.Rule.Metric.isPercentile() && v1alpha1.IsBeyondHistogram(f.Baseline.Median)
	switch {
	case own && base:
		return "beside"
	case own:
		return "at least " + f.ratio() + " times"
	case base:
		return "at most " + f.ratio() + " times"
	default:
		return f.ratio() + " times"
	}
}

// figure is the median. It has all its digits where it looks like the limit and is another figure.
func (f *Finding) figure() string {
	m, median := f.Rule.Metric, f.Figures.Median
	if f.isBeyond() {
		return m.measuredText(v1alpha1.BeyondHistogramNanoseconds)
	}
	text := m.measuredText(median)
	if f.Rule.Ratio == 0 && median != f.Rule.Limit && text == m.Text(f.Rule.Limit) {
		return text + " (" + m.exact(median) + ")"
	}
	return text
}

// isBeyond says whether the median rests on what is beyond fio's histogram. It is at least what Figures has then, by which it is held to the rule.
func (f *Finding) isBeyond() bool {
	return f.Rule.Metric.isPercentile() && v1alpha1.IsMedianBeyondHistogram(f.Values)
}

// ratio is the one to the baseline, with more digits where it looks like the one that is expected and is another.
func (f *Finding) ratio() string {
	ratio := float64(f.Figures.Median) / float64(f.Baseline.Median)
	text := humanize.Significant(ratio)
	if ratio != f.Rule.Ratio && text == ratioText(f.Rule.Ratio) {
		return strconv.FormatFloat(ratio, 'g', 6, 64)
	}
	return text
}

// String is the finding in one sentence that somebody can act on.
func (f *Finding) String() string {
	text := fmt.Sprintf("%s: %s, expected %s", f.Subject(), f.Measured(), f.Rule.Expected())
	switch {
	case f.Figures == nil:
		return text
	case f.Verdict == Unknown:
		return text + "; " + f.Doubt
	default:
		return text + "; " + f.Certainty()
	}
}

// Certainty says how many runs miss or meet what is expected, as the median does, and whether the median's interval does. Of what is met
// it says also what may flatter it.
func (f *Finding) Certainty() string {
	text := fmt.Sprintf("%s, %s", f.count(), f.intervalWords())
	if f.Verdict != Met {
		return text
	}
	if f.Rule.Scaled != "" {
		text += "; " + f.Rule.Scaled
	}
	if len(f.Warned) > 0 {
		text += "; warned of " + strings.Join(f.Warned, ", ")
	}
	return text
}

// count says how many of the runs are what the median is, such as "2 of 3 runs" that miss, and "2 of 3 runs meet it".
func (f *Finding) count() string {
	missed := 0
	for _, value := range f.Values {
		if f.misses(value) {
			missed++
		}
	}
	runs := humanize.Plural(len(f.Values), "run")
	if f.Verdict == Met {
		verb := "meet"
		if len(f.Values) == 1 {
			verb = "meets"
		}
		return fmt.Sprintf("%d of %s %s it", len(f.Values)-missed, runs, verb)
	}
	if f.Runs > len(f.Values) {
		runs += fmt.Sprintf(" (of %d; the others did not measure it)", f.Runs)
	}
	return fmt.Sprintf("%d of %s", missed, runs)
}

// intervalWords says whether the interval is on the side of the limit on which the median is.
func (f *Finding) intervalWords() string {
	low, high, known := f.interval()
	if !known {
		return f.withoutInterval()
	}
	best, worst := high, low
	if f.Rule.Metric.lessIsBetter() {
		best, worst = low, high
	}
	var word string
	switch {
	case f.Verdict == Met && f.Rule.missesBy(worst):
		word = "reaches beyond what is expected, so that it may be chance"
	case f.Verdict == Met:
		word = "meets it as well"
	case f.Rule.missesBy(best):
		word = "misses it as well"
	default:
		word = "reaches what is expected, so that it may be chance"
	}
	return fmt.Sprintf("and the interval from %s to %s %s", f.intervalText(low), f.intervalText(high), word)
}

// withoutInterval says why there is no interval.
func (f *Finding) withoutInterval() string {
	switch {
	case f.Baseline == nil:
		return fmt.Sprintf("too few for an interval, which needs %d", runsForInterval)
	case min(len(f.Values), f.baselineRuns) < runsForRatio:
		return fmt.Sprintf("too few for an interval, which needs %d of each target", runsForRatio)
	default:
		return "and without an interval, because one of them has 0 or is beyond fio's histogram"
	}
}

// interval returns the interval of at least 95 % of what is held to the rule: the median, or its ratio to the baseline's. That one is
// the same as verdicts have.
func (f *Finding) interval() (low, high float64, known bool) {
	switch {
	case f.Baseline != nil && f.ratioInterval != nil:
		return f.ratioInterval.low, f.ratioInterval.high, true
	case f.Baseline != nil || f.Figures.ConfidenceLow == nil || f.Figures.ConfidenceHigh == nil:
		return 0, 0, false
	default:
		return float64(*f.Figures.ConfidenceLow), float64(*f.Figures.ConfidenceHigh), true
	}
}

func (f *Finding) intervalText(end float64) string {
	if f.Baseline != nil {
		return humanize.Significant(end)
	}
	return f.Rule.Metric.Text(int64(end))
}

// missesBy says whether an end of the interval is not what is expected.
func (r *Rule) missesBy(end float64) bool {
	limit := r.leastKept()
	if r.Ratio > 0 {
		limit = r.Ratio
	}
	return r.Metric.isWorse(end, limit)
}

// maxMessage bounds the message of the condition, which shares the status with all results: TestLargestStatus of the API has it.
const maxMessage = 896

// Condition returns what condition ExpectationsMet says of findings; false if there are none, so that there is no condition.
func Condition(findings []Finding) (status metav1.ConditionStatus, reason, message string, expected bool) {
	missed, unknown := with(findings, Missed), with(findings, Unknown)
	all := humanize.Plural(len(findings), "expectation")
	switch {
	case len(findings) == 0:
		return "", "", "", false
	case len(missed) > 0:
		return metav1.ConditionFalse, v1alpha1.ReasonNotMet, list(fmt.Sprintf("%d of %s not met: ", len(missed), all), append(missed, unknown...)), true
	case len(unknown) > 0:
		return metav1.ConditionUnknown, v1alpha1.ReasonNotMeasured, list(fmt.Sprintf("%d of %s undecided: ", len(unknown), all), unknown), true
	default:
		return metav1.ConditionTrue, v1alpha1.ReasonAllMet, list(all+" met: ", with(findings, Met)), true
	}
}

// Short summarizes findings in a few words: Met, or how many are missed or undecided; "" if there are none.
func Short(findings []Finding) string {
	missed, unknown := len(with(findings, Missed)), len(with(findings, Unknown))
	switch {
	case len(findings) == 0:
		return ""
	case missed > 0:
		return fmt.Sprintf("%d of %d missed", missed, len(findings))
	case unknown > 0:
		return fmt.Sprintf("%d of %d undecided", unknown, len(findings))
	}
	return Met.Name()
}

func with(findings []Finding, v Verdict) []Finding {
	var some []Finding
	for i := range findings {
		if findings[i].Verdict == v {
			some = append(some, findings[i])
		}
	}
	return some
}

// list puts as many findings behind a beginning as there is room for, and says how many are left out.
func list(beginning string, findings []Finding) string {
	text := beginning
	for i := range findings {
		separator := "; "
		if i == 0 {
			separator = ""
		}
		rest := fmt.Sprintf("; and %d more", len(findings)-i)
		next := separator + findings[i].String()
		if len(text)+len(next)+len(rest) > maxMessage && i > 0 {
			return text + rest
		}
		text += next
	}
	return text
}
