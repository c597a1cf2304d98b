package resultmetrics

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/humanize"
)

// maxLabel is the most bytes of the value of a label. Names of objects are no longer.
const maxLabel = 253

// Result is what a benchmark has measured, as metrics have it.
type Result struct {
	// Time is when the benchmark ended.
	Time time.Time
	// Expectations is the status of condition ExpectationsMet. Empty: nothing is expected.
	Expectations metav1.ConditionStatus

	series []series
}

// family is a metric that has figures of results.
type family uint8

const (
	operations family = iota
	bandwidth
	latency
)

// series is a figure of a result with the labels that tell it apart.
type series struct {
	key
	value float64
}

// key is what tells figures of a result apart.
type key struct {
	family                              family
	target, name, operation, percentile string
}

// FromBenchmark returns what a benchmark has measured.
func FromBenchmark(sb *v1alpha1.StorageBenchmark) Result {
	point := history.FromBenchmark(sb, history.Environment{Baseline: "none"})
	result := FromPoint(&point)
	result.Expectations = sb.Status.Condition(v1alpha1.ConditionExpectationsMet).Status
	next := 0 // a point has a case for each target of each comparison, in their order
	for i := range sb.Status.Comparisons {
		targets := sb.Status.Comparisons[i].Targets
		for j := range targets {
			for operation, f := range targets[j].Directions() {
				result.add(&point.Cases[next], bandwidth, operation, "", bytesOf(&point.Cases[next], f))
			}
			next++
		}
	}
	return result
}

// bytesOf returns the bytes per second of a case: none where its search found no load within the budget, in most of its
// repetitions. Such a case has a rate of 0, whatever the other repetitions did.
func bytesOf(measured *history.Measured, f *v1alpha1.FiguresComparison) float64 {
	metric, _ := history.MetricNamed(f.Name + ".iops")
	rate, _ := measured.Of(metric)
	isNoAnswer := rate == 0 && f.MilliIOPS != nil && f.MilliIOPS.Median > 0
	if isNoAnswer || f.BytesPerSecond == nil {
		return 0
	}
	return float64(max(f.BytesPerSecond.Median, 0))
}

// FromPoint returns what is left of a benchmark in the history of its schedule: no bytes per second, and nothing of
// expectations.
func FromPoint(point *history.Point) Result {
	result := Result{Time: point.Time}
	for i := range point.Cases {
		measured := &point.Cases[i]
		for _, figure := range measured.Figures {
			in, operation, percentile, value := figureOf(figure)
			result.add(measured, in, operation, percentile, value)
		}
	}
	return result
}

// add adds a figure.
func (r *Result) add(of *history.Measured, in family, operation, percentile string, value float64) {
	r.series = append(r.series, series{key{in, label(of.Target), label(of.WorkloadText()), operation, percentile}, value})
}

// label returns a text as the value of a label can be: printable, and not long. One that is too long ends in a hash of
// all of it: it may differ from another one in what is cut off.
func label(text string) string {
	if len(text) <= maxLabel {
		return humanize.Line(text)
	}
	sum := sha256.Sum256([]byte(text))
	hash := " " + hex.EncodeToString(sum[:8])
	return humanize.Line(humanize.Cut(text, maxLabel-len(hash), "")) + hash
}

// figureOf returns the metric that a figure of a history is in, and its value there: operations per second, or seconds.
func figureOf(f history.Figure) (in family, operation, percentile string, value float64) {
	operation, figure := f.Metric.Parts()
	if f.Metric.IsLatency() {
		return latency, operation, strings.TrimPrefix(figure, "p"), float64(f.Value) / float64(time.Second)
	}
	return operations, operation, "", float64(f.Value) / 1000
}

// cut returns the first figures of a result, at most so many, and each once: a scrape with two of the same labels fails
// as a whole.
func (r *Result) cut(most int) (cut *Result, isWhole bool) {
	seen := map[key]bool{}
	cut = &Result{Time: r.Time, Expectations: r.Expectations}
	for _, s := range r.series {
		if seen[s.key] {
			continue
		}
		if len(cut.series) == most {
			return cut, false
		}
		seen[s.key] = true
		cut.series = append(cut.series, s)
	}
	return cut, true
}
