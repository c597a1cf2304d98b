package history

import "testing"

// Each figure of a direction is kept under its own name.
func TestMetricNamed(t *testing.T) {
	for _, direction := range []string{"read", "write", "trim", "metadata"} {
		for _, figure := range []string{"iops", "p50", "p99"} {
			if m, isKept := MetricNamed(direction + "." + figure); !isKept || m.String() != direction+"."+figure {
				t.Errorf("%s of %s is kept as %s", figure, direction, m)
			}
		}
	}
}
