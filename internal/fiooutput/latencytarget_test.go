package fiooutput

import "testing"

// fio prints latency_target in nanoseconds, and a depth of jobs without one, too.
func TestLatencyTarget(t *testing.T) {
	const job = `{"jobname": "a", "groupid": 0, "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 1}, `
	for _, test := range []struct {
		name, jobs string
		want       *LatencyTarget
	}{
		{"a target", job + `"latency_depth": 16, "latency_target": 50000, "latency_percentile": 99.000000, "latency_window": 200000}`, &LatencyTarget{50000, 16}},
		{"none", job + `"latency_depth": 1, "latency_target": 0, "latency_percentile": 100.000000, "latency_window": 0}`, nil},
		{"of clones", job + `"latency_depth": 16, "latency_target": 50000}, ` + job + `"latency_depth": 9, "latency_target": 50000}`, &LatencyTarget{50000, 9}},
		{"an fio that does not say", job + `"ctx": 1}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			output, err := Parse([]byte(`{"fio version": "fio-3.33", "jobs": [` + test.jobs + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			got := output.Groups[0].LatencyTarget
			if (got == nil) != (test.want == nil) || (got != nil && *got != *test.want) {
				t.Errorf("latency target is %+v, want %+v", got, test.want)
			}
		})
	}
}
