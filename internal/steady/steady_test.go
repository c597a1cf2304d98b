package steady

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var snia = &Until{Metric: IOPS, WindowSeconds: 60, SlopePercent: 10, RangePercent: 20, MostSeconds: 3600, Judged: true}

func TestRule(t *testing.T) {
	for _, test := range []struct {
		name         string
		rounds       []float64
		rangeP, rise float64
		steady       bool
	}{
		{"constant", []float64{300, 300, 300, 300, 300}, 0, 0, true},
		{"range of exactly 20 %", []float64{100, 110, 90, 110, 90}, 20, 8, true},
		{"range of more than 20 %", []float64{100, 111, 89, 100, 100}, 22, 4.4, false},
		{"rises by exactly 10 %", []float64{95, 97.5, 100, 102.5, 105}, 10, 10, true},
		{"rises by 12 % within the range", []float64{94, 97, 100, 103, 106}, 12, 12, false},
		{"falls by 12 % within the range", []float64{106, 103, 100, 97, 94}, 12, 12, false},
		{"a cliff", []float64{3000, 3000, 3000, 300, 300}, 140.625, 168.75, false},
		{"a pause", []float64{300, 300, 0, 300, 300}, 125, 0, false},
		{"nothing", []float64{0, 0, 0, 0, 0}, math.Inf(1), math.Inf(1), false},
		{"no number", []float64{300, math.NaN(), 300, 300, 300}, math.Inf(1), math.Inf(1), false},
		{"endless", []float64{300, math.Inf(1), 300, 300, 300}, math.Inf(1), math.Inf(1), false},
		{"no rounds", nil, math.Inf(1), math.Inf(1), false},
		{"one round", []float64{300}, math.Inf(1), math.Inf(1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := Judge(test.rounds)
			if !near(seen.Range, test.rangeP) || !near(seen.Slope, test.rise) || seen.Within(snia) != test.steady {
				t.Errorf("%+v, steady %t; want a range of %g, a rise of %g, steady %t", seen, seen.Within(snia), test.rangeP, test.rise, test.steady)
			}
		})
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-6 }

func TestWindowRounds(t *testing.T) {
	for _, test := range []struct {
		name    string
		samples []Sample
		want    []float64
	}{
		{"none", nil, nil},
		{"one", every(time.Second, 100), nil},
		{"too short", every(time.Second, 100, 100, 100, 100, 100), nil},
		{"just long enough: the first says only when the second begins", every(time.Second, 9, 1, 2, 3, 4, 5), []float64{1, 2, 3, 4, 5}},
		{"only the last ones", every(time.Second, 9, 9, 9, 1, 2, 3, 4, 5), []float64{1, 2, 3, 4, 5}},
		{"finer than rounds", every(time.Second/2, 9, 1, 3, 2, 2, 3, 3, 4, 4, 5, 5), []float64{2, 2, 3, 4, 5}},
		{"one that came late is of all the time before it", []Sample{{at(0), 9}, {at(3), 6}, {at(5), 1}}, []float64{6, 6, 6, 1, 1}},
		{"between two rounds", []Sample{{at(0), 9}, {at(2.5), 10}, {at(5), 20}}, []float64{10, 10, 15, 20, 20}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := WindowRounds(test.samples, 5*time.Second)
			if len(got) != len(test.want) {
				t.Fatalf("rounds are %v, want %v", got, test.want)
			}
			for i := range got {
				if !near(got[i], test.want[i]) {
					t.Errorf("rounds are %v, want %v", got, test.want)
				}
			}
		})
	}
}

func at(seconds float64) time.Time { return time.Unix(0, int64(seconds*float64(time.Second))) }

func every(interval time.Duration, rates ...float64) []Sample {
	var samples []Sample
	for i, rate := range rates {
		samples = append(samples, Sample{at(0).Add(time.Duration(i) * interval), rate})
	}
	return samples
}

// Storage that varies by 10 % from second to second is found to be steady in the first window, and storage that gets slower by 4 % in each round never is.
func TestSimulatedNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	const runs = 200
	for range runs {
		noisy := func(int) float64 { return 1000 * (1 + 0.1*random.NormFloat64()) }
		if reached(noisy, 60) {
			found++
		}
		falling := func(second int) float64 {
			return 1000 * math.Pow(0.96, float64(second)/12) * (1 + 0.02*random.NormFloat64())
		}
		if reached(falling, 300) {
			t.Error("a rate that falls by 15 % in a window is steady")
		}
	}
	if found < runs*95/100 {
		t.Errorf("%d of %d noisy rates are steady in the first window", found, runs)
	}
}

// reached says whether the rule holds at any second until one.
func reached(rate func(second int) float64, until int) bool {
	samples := []Sample{{At: at(0)}}
	for second := 1; second <= until; second++ {
		samples = append(samples, Sample{at(float64(second)), rate(second)})
		samples = samples[max(0, len(samples)-61):]
		if rounds := WindowRounds(samples, snia.Window()); rounds != nil && Judge(rounds).Within(snia) {
			return true
		}
	}
	return false
}

func TestUntilAsArgument(t *testing.T) {
	got, err := Parse(snia.String())
	if err != nil || *got != *snia {
		t.Errorf("%q is read as %+v, error %v", snia, got, err)
	}
	for _, wrong := range []string{"", "60", "60:10:20:3600:true:", "4:10:20:3600:true:iops", "60:10:20:-1:true:iops", "a:10:20:3600:true:iops"} {
		if got, err := Parse(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, got)
		}
	}
}
