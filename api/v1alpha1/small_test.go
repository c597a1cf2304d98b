package v1alpha1

import "testing"

// TestIsSmall: a difference is small if it is shown and its whole interval is within 5 %.
func TestIsSmall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		verdict   Verdict
		low, high string
		want      bool
	}{
		"1 % faster":                 {VerdictFaster, "1.005", "1.015", true},
		"1 % slower":                 {VerdictSlower, "0.985", "0.995", true},
		"the ends of the margin":     {VerdictFaster, "0.952", "1.050", true},
		"faster by up to 6 %":        {VerdictFaster, "1.005", "1.060", false},
		"slower by up to 6 %":        {VerdictSlower, "0.940", "0.995", false},
		"no interval":                {VerdictFaster, "", "", false},
		"the same, which says so":    {VerdictSame, "0.990", "1.010", false},
		"not shown, within a margin": {VerdictNotShown, "0.990", "1.010", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (&Statistic{RatioLow: tt.low, RatioHigh: tt.high}).IsSmall(tt.verdict); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
