package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestOverTimeInWords(t *testing.T) {
	for name, test := range map[string]struct {
		over *v1alpha1.OverTime
		want string
	}{
		"the same all the time": {nil, ""},
		"credits end": {
			&v1alpha1.OverTime{SteadySeconds: new(int32(213)), FirstTenthIOPS: 3001, LastTenthIOPS: 300, Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeIOPS: 3000, AfterIOPS: 300}},
			"3000 IOPS for 212 s, then 300; steady after 213 s.",
		},
		"a slow start": {
			&v1alpha1.OverTime{SteadySeconds: new(int32(12)), FirstTenthIOPS: 500, LastTenthIOPS: 3000},
			"500 IOPS in the first tenth of the time, 3000 in the last; steady after 12 s.",
		},
		"bursts": {
			&v1alpha1.OverTime{FirstTenthIOPS: 3000, LastTenthIOPS: 2000, SlowPercent: 20, Drops: []v1alpha1.RateDrop{{AtSeconds: 30, DurationSeconds: 4, IOPS: 100}, {AtSeconds: 60, DurationSeconds: 5}}},
			"3000 IOPS in the first tenth of the time, 2000 in the last; it was not steady at the end either; down to 100 IOPS for 4 s after 30 s; " +
				"down to 0 IOPS for 5 s after 60 s; less than half of the best that was usual for 20 % of the time.",
		},
		"steady": {&v1alpha1.OverTime{SteadySeconds: new(int32(0))}, "0 IOPS in the first tenth of the time, 0 in the last; steady from the start."},
	} {
		if got := overTimeInWords(test.over); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestExplainOverTime: what happened during a run is told of it, and of all of the same together.
func TestExplainOverTime(t *testing.T) {
	sb := largest()
	run := &sb.Status.Runs[0]
	run.Result.OverTime = &v1alpha1.OverTime{SteadySeconds: new(int32(213)), Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeIOPS: 3000, AfterIOPS: 300}}
	for of, want := range map[string]string{
		run.Name: "\n  Over time 3000 IOPS for 212 s, then 300; steady after 213 s.\n",
		"":       "\n  Over time It was not the same all the time in run " + run.Name + ": 3000 IOPS for 212 s, then 300; steady after 213 s.\n",
	} {
		var out bytes.Buffer
		if err := Explain(&out, sb, of, Style{}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "Over time") != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%q is explained without %q:\n%.2000s", of, want, out.String())
		}
	}
}
