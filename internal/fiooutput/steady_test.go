package fiooutput

import "testing"

func TestShortCriterion(t *testing.T) {
	for printed, want := range map[string]string{
		"iops:30.000000%": "iops:30%", "iops_slope:0.300000%": "iops_slope:0.3%", "bw:100.000000": "bw:100", "bw:12.500000": "bw:12.5", "": "",
	} {
		if got := shortCriterion(printed); got != want {
			t.Errorf("%q becomes %q, want %q", printed, got, want)
		}
	}
}
