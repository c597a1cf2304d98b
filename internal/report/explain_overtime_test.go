package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestExplainOverTime: what happened during a run is told of it, and of all of the same together.
func TestExplainOverTime(t *testing.T) {
	sb := largest()
	run := &sb.Status.Runs[0]
	run.Result.OverTime = &v1alpha1.OverTime{SteadySeconds: new(int32(212)), Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}}
	for of, want := range map[string]string{
		run.Name: "\n  Over time 3000 IOPS until second 212, then 300; steady after 212 s.\n",
		"":       "\n  Over time It was not the same all the time in run " + run.Name + ": 3000 IOPS until second 212, then 300; steady after 212 s.\n",
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
