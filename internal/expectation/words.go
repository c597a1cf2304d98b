package expectation

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// runsForInterval is from how many runs on a median has an interval.
const runsForInterval = 6

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

// Measured is what was measured for people, such as "fdatasync p99 14 ms".
func (f *Finding) Measured() string {
	words := f.Rule.Metric.Words(f.sync)
	if f.Figures == nil {
		return words + " was not measured"
	}
	text := words + " " + f.Rule.Metric.Text(f.Figures.Median)
	if f.Baseline != nil && f.Baseline.Median > 0 {
		text += fmt.Sprintf(", %s times the baseline's %s",
			legible.Significant(float64(f.Figures.Median)/float64(f.Baseline.Median)), f.Rule.Metric.Text(f.Baseline.Median))
	}
	return text
}

// String is the finding in one sentence that somebody can act on.
func (f *Finding) String() string {
	text := fmt.Sprintf("%s: %s, expected %s", f.Subject(), f.Measured(), f.Rule.Expected())
	switch {
	case f.Verdict == Missed:
		return text + "; " + f.Certainty()
	case f.Verdict == Unknown && f.Rule.Ratio > 0 && f.Figures != nil:
		return text + "; the baseline has no results of it"
	}
	return text
}

// Certainty says of a miss how many runs miss what is expected, and whether the median's interval does.
func (f *Finding) Certainty() string {
	limit := float64(f.Rule.Limit)
	if f.Baseline != nil {
		limit = f.Rule.Ratio * float64(f.Baseline.Median)
	}
	missed := 0
	for _, value := range f.Values {
		if f.Rule.misses(value, limit) {
			missed++
		}
	}
	text := fmt.Sprintf("%d of %s", missed, legible.Plural(len(f.Values), "run"))
	low, high, known := f.interval()
	if !known {
		return fmt.Sprintf("%s, too few for an interval, which needs %d", text, runsForInterval)
	}
	best := high
	if f.Rule.Metric.lessIsBetter() {
		best = low
	}
	word := "reaches what is expected, so that it may be chance"
	if f.Rule.missesBy(best) {
		word = "misses it as well"
	}
	return fmt.Sprintf("%s, and the interval from %s to %s %s", text, f.intervalText(low), f.intervalText(high), word)
}

// interval returns the interval of at least 95 % of what is held to the rule: the median, or its ratio to the baseline's. That one is
// from the lowest that it can be by the intervals of both to the highest.
func (f *Finding) interval() (low, high float64, known bool) {
	if f.Figures.ConfidenceLow == nil || f.Figures.ConfidenceHigh == nil {
		return 0, 0, false
	}
	low, high = float64(*f.Figures.ConfidenceLow), float64(*f.Figures.ConfidenceHigh)
	if f.Baseline == nil {
		return low, high, true
	}
	if f.Baseline.ConfidenceLow == nil || f.Baseline.ConfidenceHigh == nil || *f.Baseline.ConfidenceLow <= 0 {
		return 0, 0, false
	}
	return low / float64(*f.Baseline.ConfidenceHigh), high / float64(*f.Baseline.ConfidenceLow), true
}

func (f *Finding) intervalText(end float64) string {
	if f.Baseline != nil {
		return legible.Significant(end)
	}
	return f.Rule.Metric.Text(int64(end))
}

// missesBy says whether an end of the interval is not what is expected.
func (r *Rule) missesBy(end float64) bool {
	limit := float64(r.Limit)
	if r.Ratio > 0 {
		limit = r.Ratio
	}
	if r.Metric.lessIsBetter() {
		return end > limit
	}
	return end < limit
}

// maxMessage bounds the message of the condition, which shares the status with all results: TestLargestStatus of the API has it.
const maxMessage = 896

// Condition returns what condition ExpectationsMet says of findings; false if there are none, so that there is no condition.
func Condition(findings []Finding) (status metav1.ConditionStatus, reason, message string, expected bool) {
	missed, unknown := with(findings, Missed), with(findings, Unknown)
	all := legible.Plural(len(findings), "expectation")
	switch {
	case len(findings) == 0:
		return "", "", "", false
	case len(missed) > 0:
		return metav1.ConditionFalse, v1alpha1.ReasonNotMet, list(fmt.Sprintf("%d of %s not met: ", len(missed), all), append(missed, unknown...)), true
	case len(unknown) > 0:
		return metav1.ConditionUnknown, v1alpha1.ReasonNotMeasured, list(fmt.Sprintf("%d of %s not measured: ", len(unknown), all), unknown), true
	default:
		return metav1.ConditionTrue, v1alpha1.ReasonAllMet, list(all+" met: ", with(findings, Met)), true
	}
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
