package report

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestSteadyStateInWords(t *testing.T) {
	window := &v1alpha1.Workload{Fio: &v1alpha1.FioParameters{}, Until: &v1alpha1.Until{}}
	ramp := &v1alpha1.Workload{Fio: &v1alpha1.FioParameters{RampTimeSeconds: new(intstr.FromString("auto"))}}
	for name, test := range map[string]struct {
		workload *v1alpha1.Workload
		state    *v1alpha1.SteadyState
		want     string
	}{
		"none": {window, nil, ""},
		"a window": {
			window, &v1alpha1.SteadyState{Attained: true, AfterSeconds: 70, RangePercent: 3, SlopePercent: 1},
			"It is steady: measured after 70 s of the same; its five rounds ranged over 3 % of their mean, and the line that fits them changed by 1 %.",
		},
		"warm": {
			ramp, &v1alpha1.SteadyState{Attained: true, AfterSeconds: 14, RangePercent: 3, SlopePercent: 1},
			"It was warm: measured after 14 s of the same; the last five rounds of that ranged over 3 % of their mean, and the line that fits them changed by 1 %.",
		},
		"not warm": {
			ramp, &v1alpha1.SteadyState{AfterSeconds: 60, RangePercent: 80, SlopePercent: 70},
			"It was NOT steady yet: measured after 60 s of the same; the last five rounds of that ranged over 80 % of their mean, and the line that fits them changed by 70 %.",
		},
		"no room for more": {ramp, &v1alpha1.SteadyState{Attained: true, AfterSeconds: 14}, "It was warm: measured after 14 s of the same."},
		"by fio":           {&v1alpha1.Workload{}, &v1alpha1.SteadyState{Criterion: "iops_slope:0.3%"}, "fio did not find it steady by iops_slope:0.3%."},
	} {
		if got := steadyStateInWords(test.workload, test.state); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
