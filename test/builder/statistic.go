package builder

import "github.com/storagebench/storagebench/api/v1alpha1"

// Milli returns a statistic of whole operations per second in thousandths of them.
func Milli(s v1alpha1.Statistic) *v1alpha1.Statistic {
	s.Median *= 1000
	for _, figure := range []**int64{&s.Min, &s.Max, &s.ConfidenceLow, &s.ConfidenceHigh} {
		if *figure != nil {
			*figure = new(1000 * **figure)
		}
	}
	return &s
}

// Compared returns a statistic with its ratio to the baseline's, and a verdict.
func Compared(s *v1alpha1.Statistic, ratio string, verdict v1alpha1.Verdict) *v1alpha1.Statistic {
	compared := *s
	compared.Ratio, compared.Verdict = ratio, verdict
	return &compared
}
