package disk

import (
	"math"
	"testing"
	"time"
)

func TestParts(t *testing.T) {
	tests := map[string]struct {
		seen []float64
		want []float64
	}{
		"nobody":                      {seen: []float64{0, 0}, want: []float64{3000, 3000}},
		"one":                         {seen: []float64{0, 700}, want: []float64{3000, 3000}},
		"half and half":               {seen: []float64{50, 50}, want: []float64{1500, 1500}},
		"70 to 30":                    {seen: []float64{700, 300}, want: []float64{2100, 900}},
		"a little metadata":           {seen: []float64{990, 10}, want: []float64{3000, 3000}},
		"someone begins":              {seen: []float64{975, 25}, want: []float64{3000.0 * 31 / 32, 3000.0 / 32}},
		"two pods, one of them idle":  {seen: []float64{600, 400, 0, 0}, want: []float64{1800, 1200, 3000, 3000}},
		"two pods that read and that": {seen: []float64{100, 100, 100, 100}, want: []float64{750, 750, 750, 750}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := parts(3000, test.seen)
			for i := range got {
				if math.Abs(got[i]-test.want[i]) > 0.01 {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}

func TestSurplusIsMadeUpFor(t *testing.T) {
	now := 0.0
	for range 40 {
		now = surplus(now, 3300*0.025, 3000, 25*time.Millisecond)
	}
	if math.Abs(now-300) > 1 {
		t.Errorf("a second at 3,300 of 3,000 leaves %v too much", now)
	}
	if got := corrected(3000, now); math.Abs(got-2700) > 1 {
		t.Errorf("300 too much are made up for at %v", got)
	}
	if got := corrected(3000, 1e9); got != 1500 {
		t.Errorf("a huge surplus leaves %v", got)
	}
	if got := surplus(0, 0, 3000, time.Second); got != 0 {
		t.Errorf("what was not done counts %v", got)
	}
	if got := corrected(3000, 10); got != 3000 {
		t.Errorf("the kernel's rhythm is corrected to %v", got)
	}
}

func TestParseCounts(t *testing.T) {
	got, err := parseCounts("7:1 Read 5\n7:1 Write 7\n7:1 Sync 12\n7:10 Read 99\nTotal 123\n", "7:1")
	if err != nil || got["read"] != 5 || got["write"] != 7 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseCounts("7:1 Read x\n", "7:1"); err == nil {
		t.Error("a count that is no number is taken")
	}
}
