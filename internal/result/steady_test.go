package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/steady"
)

func TestSteadyState(t *testing.T) {
	until := &steady.Until{Metric: steady.IOPS, WindowSeconds: 60, SlopePercent: 10, RangePercent: 20, MostSeconds: 3600, Judged: true}
	seen := func(after int64, rounds ...int64) *digest.Report {
		return &digest.Report{Steady: &digest.Steady{AfterMilliseconds: after, Rounds: rounds}}
	}
	for _, test := range []struct {
		name    string
		reports []*digest.Report
		want    v1alpha1.SteadyState
		warning string
	}{
		{"steady", []*digest.Report{seen(212_400, 300, 310, 290, 300, 300)}, v1alpha1.SteadyState{Attained: true, AfterSeconds: 212, RangePercent: 7, SlopePercent: 2}, ""},
		{"a little more than 20 %", []*digest.Report{seen(1000, 1000, 1101, 900, 1000, 1000)}, v1alpha1.SteadyState{AfterSeconds: 1, RangePercent: 21, SlopePercent: 5},
			"not steady after 1 s: in the 60 s that were measured then, IOPS ranged over 21 % of the mean (at most 20 % may be)"},
		{"clients whose sum is steady", []*digest.Report{seen(1000, 100, 200, 100, 200, 100), seen(2000, 200, 100, 200, 100, 200)},
			v1alpha1.SteadyState{Attained: true, AfterSeconds: 2}, ""},
		{"a client that does not know", []*digest.Report{seen(1000, 100, 100, 100, 100, 100), seen(1000)},
			v1alpha1.SteadyState{AfterSeconds: 1, RangePercent: 10_000, SlopePercent: 10_000}, "fio told too little"},
		{"a client that says nothing", []*digest.Report{seen(1000, 100, 100, 100, 100, 100), {}},
			v1alpha1.SteadyState{AfterSeconds: 1, RangePercent: 10_000, SlopePercent: 10_000}, "fio told too little"},
		{"nothing was done", []*digest.Report{seen(1000, 0, 0, 0, 0, 0)}, v1alpha1.SteadyState{AfterSeconds: 1, RangePercent: 10_000, SlopePercent: 10_000}, "not steady"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &Measured{Result: &v1alpha1.Result{}, reports: test.reports}
			m.addSteadyState(&plan.Run{Until: until})
			if diff := cmp.Diff(&test.want, m.Result.SteadyState); diff != "" {
				t.Error(diff)
			}
			if (test.warning == "") != (m.notSteady == "") || !strings.Contains(m.notSteady, test.warning) {
				t.Errorf("it warns %q, want %q", m.notSteady, test.warning)
			}
		})
	}
}

// Of what is to begin warm, what ran right before is judged.
func TestWarm(t *testing.T) {
	until := &steady.Until{Metric: steady.IOPS, WindowSeconds: 10, SlopePercent: 10, RangePercent: 20, MostSeconds: 60}
	for want, rounds := range map[string][]int64{
		"": {300, 310, 290, 300, 300},
		"not steady after 60 s: in the 10 s right before that, IOPS ranged over 100 % of the mean":            {100, 150, 200, 250, 300},
		"fio told too little of its rate in the 10 s before what was measured to say whether they are steady": {},
	} {
		m := &Measured{Result: &v1alpha1.Result{}, reports: []*digest.Report{{Steady: &digest.Steady{AfterMilliseconds: 60_000, Rounds: rounds}}}}
		m.addSteadyState(&plan.Run{Until: until})
		if !strings.HasPrefix(m.notSteady, want) || (want == "") != (m.notSteady == "") || m.Result.SteadyState.Attained != (want == "") {
			t.Errorf("of %v it says %q, want %q; %+v", rounds, m.notSteady, want, m.Result.SteadyState)
		}
	}
}

// Who reports a steady state of a run that waited for none has forged it.
func TestForgedSteadyState(t *testing.T) {
	m := &Measured{Result: &v1alpha1.Result{}, reports: []*digest.Report{{Steady: &digest.Steady{Rounds: []int64{1, 1, 1, 1, 1}}}}}
	m.addSteadyState(&plan.Run{Job: &fio.JobFile{}})
	if m.Result.SteadyState != nil {
		t.Errorf("it has %+v", m.Result.SteadyState)
	}
}
