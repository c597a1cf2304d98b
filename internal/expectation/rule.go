package expectation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/preset"
)

// Rule is an expectation that can be computed with.
type Rule struct {
	// Target and Workload are what it is about, "" for all.
	Target, Workload string
	Metric           Metric
	// Limit is the most that a latency may be, or the least that the others may be, in the metric's unit. With a ratio it is 0.
	Limit int64
	// Ratio is the same as a multiple of the baseline's, 0 without one.
	Ratio float64
	// Preset is the version of the preset that expects it, "" if the spec itself does.
	Preset string
	// Scaled says how the workload does less or more than the preset, "" if it does not.
	Scaled string
}

// Expected says what is expected, such as "at most 10 ms".
func (r *Rule) Expected() string {
	word := "at least "
	if r.Metric.lessIsBetter() {
		word = "at most "
	}
	if r.Ratio > 0 {
		return word + ratioText(r.Ratio) + " times the baseline's"
	}
	return word + r.Metric.Text(r.Limit)
}

// wholeFrom is from how many IOPS on a limit is met by what rounds to it: a volume of 3,000 IOPS does 2,999.9 in some minutes.
const wholeFrom = 100

// leastKept is Limit as values are held to it.
func (r *Rule) leastKept() float64 {
	if r.Metric.Unit == IOPS && r.Limit >= wholeFrom*milli {
		return float64(r.Limit) - milli/2
	}
	return float64(r.Limit)
}

func ratioText(ratio float64) string { return strconv.FormatFloat(ratio, 'f', -1, 64) }

// ruleOf returns the rule of an expectation. The error says what is wrong with one that no API server has seen.
func ruleOf(e *v1alpha1.Expectation) (Rule, error) {
	metric, known := FindMetric(e.Metric)
	if !known {
		return Rule{}, fmt.Errorf("metric %q is not known: use one such as sync.p99, read.p99, write.iops or total.bandwidth", e.Metric)
	}
	r := Rule{Target: e.Target, Workload: e.Workload, Metric: metric}
	switch atMost := e.Max != nil || e.MaxRatioToBaseline != nil; {
	case bounds(e) != 1:
		return Rule{}, errors.New("set exactly one of max, min, maxRatioToBaseline and minRatioToBaseline; give another expectation for another bound")
	case atMost && !metric.lessIsBetter():
		return Rule{}, fmt.Errorf("max and maxRatioToBaseline are for latencies: of %s set min or minRatioToBaseline", metric)
	case !atMost && metric.lessIsBetter():
		return Rule{}, fmt.Errorf("min and minRatioToBaseline are for iops and bandwidth: of %s set max or maxRatioToBaseline", metric)
	}
	err := r.setBound(e)
	return r, err
}

// bounds counts those that are set.
func bounds(e *v1alpha1.Expectation) int {
	count := 0
	for _, isSet := range []bool{e.Max != nil, e.Min != nil, e.MaxRatioToBaseline != nil, e.MinRatioToBaseline != nil} {
		if isSet {
			count++
		}
	}
	return count
}

// setBound reads the one bound that is set.
func (r *Rule) setBound(e *v1alpha1.Expectation) (err error) {
	switch {
	case e.Max != nil:
		r.Limit, err = latency(*e.Max)
	case e.Min != nil:
		r.Limit, err = least(r.Metric.Unit, e.Min)
	case e.MaxRatioToBaseline != nil:
		r.Ratio, err = ratio(*e.MaxRatioToBaseline)
	default:
		r.Ratio, err = ratio(*e.MinRatioToBaseline)
	}
	return err
}

// Forms of bounds, as the API has them.
var (
	latencyForm = regexp.MustCompile(`^[0-9]+([.][0-9]+)?(ns|us|ms|s)$`)
	leastForm   = regexp.MustCompile(`^[0-9]+([.][0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$`)
	ratioForm   = regexp.MustCompile(`^[0-9]+([.][0-9]+)?$`)
)

// Budget returns the metric of a latency and the most that it may be. The error says what is wrong with one that no API server has seen.
func Budget(metric, most string) (Metric, int64, error) {
	r, err := ruleOf(&v1alpha1.Expectation{Metric: metric, Max: &most})
	return r.Metric, r.Limit, err
}

func latency(text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || !latencyForm.MatchString(text) {
		return 0, fmt.Errorf("max %q is no latency: give one with its unit, ns, us, ms or s, such as 10ms", text)
	}
	return d.Nanoseconds(), nil
}

// least reads I/Os per second, of which it returns thousandths, or bytes per second.
func least(unit Unit, text *intstr.IntOrString) (int64, error) {
	if unit == IOPS {
		n, err := strconv.ParseInt(text.String(), 10, 64)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("min %q is no number of I/Os per second: give a whole number such as 2700", text)
		}
		return min(n, math.MaxInt64/milli) * milli, nil
	}
	q, err := resource.ParseQuantity(text.String())
	if err != nil || !leastForm.MatchString(text.String()) {
		return 0, fmt.Errorf("min %q is no bandwidth: give bytes per second such as 125Mi", text)
	}
	return q.Value(), nil
}

func ratio(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f == 0 || !ratioForm.MatchString(text) {
		return 0, fmt.Errorf("ratio %q is no number above 0, such as 1.2", text)
	}
	return f, nil
}

// rules returns what the spec expects, and behind it what its presets do. What cannot be read is left out: such a spec was refused.
func rules(spec *v1alpha1.StorageBenchmarkSpec) []Rule {
	var all []Rule
	for i := range spec.Expectations {
		if r, err := ruleOf(&spec.Expectations[i]); err == nil {
			all = append(all, r)
		}
	}
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		if p, known := preset.Of(w); known {
			for _, r := range OfPreset(w.Name, p) {
				r.Scaled = scaled(p, w.Scale)
				all = append(all, r)
			}
		}
	}
	return all
}

// scaled says how a preset is scaled, "" if it is not.
func scaled(p *preset.Preset, s *v1alpha1.PresetScale) string {
	var to []string
	if s != nil && s.Size != nil {
		to = append(to, "size "+*s.Size)
	}
	if s != nil && s.RuntimeSeconds != nil {
		to = append(to, fmt.Sprintf("%d s", *s.RuntimeSeconds))
	}
	if len(to) == 0 {
		return ""
	}
	return p.ID() + " is scaled to " + strings.Join(to, " and ")
}

// OfPreset returns what a preset expects of the workload that has it.
func OfPreset(workload string, p *preset.Preset) []Rule {
	var all []Rule
	for _, threshold := range p.Thresholds {
		r, err := ruleOf(&v1alpha1.Expectation{Workload: workload, Metric: threshold.Metric, Max: threshold.Max, Min: threshold.Min})
		if err == nil { // which a test holds the data to
			r.Preset = p.ID()
			all = append(all, r)
		}
	}
	return all
}
