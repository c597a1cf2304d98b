package expectation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Parse reads an expectation of one line, such as sync.p99=10ms or write.iops=2700: a metric, and the most that a
// latency may be, or the least that another figure may be.
func Parse(text string) (v1alpha1.Expectation, error) {
	name, bound, _ := strings.Cut(text, "=")
	metric, known := FindMetric(name)
	if !known || bound == "" {
		return v1alpha1.Expectation{}, fmt.Errorf("%q: write a metric and its bound, such as sync.p99=10ms (at most), "+
			"write.iops=2700 or total.bandwidth=125Mi (at least)", text)
	}
	e := v1alpha1.Expectation{Metric: name, Min: new(intstr.Parse(bound))}
	if metric.lessIsBetter() {
		e.Min, e.Max = nil, &bound
	}
	if _, err := ruleOf(&e); err != nil {
		return e, fmt.Errorf("%q: %w", text, err)
	}
	return e, nil
}
