package series

import (
	"math"
	"math/rand/v2"
	"testing"
)

// of returns a series of one section that writes at these rates, a point a second.
func of(rates []float64) *Series {
	ranges := make([]Range, len(rates))
	for i, r := range rates {
		ranges[i] = Steady(max(r, 0))
	}
	r := &Recording{IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1, Sections: []RecordedSection{{Name: "job", Write: &Recorded{IOPS: ranges, Bytes: ranges}}}}
	return r.Series()
}

func summaryOf(rates []float64) *Summary {
	s := of(rates)
	return s.Summarize(&s.Sections[0])
}

// kindsOfNoise are of stationary rates with a mean of 1, as multiples of it.
var kindsOfNoise = map[string]func(*rand.Rand, int) []float64{
	"as on the stand-ins, 1 %":          func(r *rand.Rand, n int) []float64 { return alikeNoise(r, n, 0.01, 0) },
	"10 %":                              func(r *rand.Rand, n int) []float64 { return alikeNoise(r, n, 0.1, 0) },
	"40 %":                              func(r *rand.Rand, n int) []float64 { return alikeNoise(r, n, 0.4, 0) },
	"10 %, alike from second to second": func(r *rand.Rand, n int) []float64 { return alikeNoise(r, n, 0.1, 0.8) },
	"now and then much more": func(r *rand.Rand, n int) []float64 {
		rates := alikeNoise(r, n, 0.05, 0)
		for i := range rates {
			if r.IntN(20) == 0 {
				rates[i] *= 3
			}
		}
		return rates
	},
	"skewed": func(r *rand.Rand, n int) []float64 {
		rates := make([]float64, n)
		for i := range rates {
			rates[i] = math.Exp(r.NormFloat64() * 0.4)
		}
		return rates
	},
}

// alikeNoise returns rates with a standard deviation, each like the one before to some extent.
func alikeNoise(r *rand.Rand, n int, deviation, alike float64) []float64 {
	rates, last := make([]float64, n), r.NormFloat64()
	for i := range rates {
		last = alike*last + math.Sqrt(1-alike*alike)*r.NormFloat64()
		rates[i] = 1 + deviation*last
	}
	return rates
}

// On rates that vary and do not fall there is no false alarm: less than 1 in 1,000 runs, of whatever length.
func TestNoFalseAlarms(t *testing.T) {
	const runs = 500
	for name, vary := range kindsOfNoise {
		random := rand.New(rand.NewPCG(1, 2))
		falls, drops, unsteady, all := 0, 0, 0, 0
		for _, n := range []int{10, 30, 60, 300, 1000} {
			for range runs {
				rates := vary(random, n)
				for i := range rates {
					rates[i] *= 3000
				}
				s := summaryOf(rates)
				all++
				if s.Fall != nil {
					falls++
				}
				if len(s.Drops) > 0 {
					drops++
				}
				if s.SteadySeconds != 0 {
					unsteady++
				}
			}
		}
		t.Logf("%s: of %d runs %d fell, %d had drops, %d were not steady from the start", name, all, falls, drops, unsteady)
		if falls > all/1000 {
			t.Errorf("%s: %d of %d runs fell", name, falls, all)
		}
	}
}

// A cliff is found within 2 s of where it is, in nearly all runs, however the rate varies beside.
func TestCliffsAreFound(t *testing.T) {
	const runs, n = 200, 300
	for name, vary := range kindsOfNoise {
		random := rand.New(rand.NewPCG(3, 4))
		found, exact := 0, 0
		for range runs {
			rates, at := vary(random, n), 20+random.Float64()*(n-40) // which is within a point
			for i := range rates {
				lower := min(max(float64(i+1)-at, 0), 1)
				rates[i] *= 3000 * (1 - 0.9*lower)
			}
			if s := summaryOf(rates); s.Fall != nil {
				found++
				if math.Abs(s.Fall.Seconds-at) <= 2 {
					exact++
				}
			}
		}
		t.Logf("%s: of %d cliffs %d were found, %d within 2 s", name, runs, found, exact)
		if found < runs*99/100 || exact < runs*95/100 {
			t.Errorf("%s: of %d cliffs %d were found, %d within 2 s", name, runs, found, exact)
		}
	}
}

func TestSummary(t *testing.T) {
	level := func(parts ...float64) (rates []float64) { // pairs of seconds and rates
		for i := 0; i < len(parts); i += 2 {
			for range int(parts[i]) {
				rates = append(rates, parts[i+1])
			}
		}
		return rates
	}
	for name, tt := range map[string]struct {
		rates     []float64
		fall      float64 // 0: none
		drops     int
		slow      float64
		steady    float64
		eventful  bool
		first, to float64
	}{
		"steady": {level(60, 100), 0, 0, 0, 0, false, 100, 100},
		"credits of E3": {
			[]float64{3150, 2990, 2882, 550.5, 100.5, 100.5, 100.5, 99.5, 101.5, 99.5, 99.5, 101.5, 100.5, 99.51, 100.5, 100.5, 99.51, 100.5, 99.51, 100.5},
			3, 1, 85, 4, true, 3070, 100.005,
		},
		"a cliff":        {level(30, 3000, 30, 300), 30, 1, 50, 30, true, 3000, 300},
		"slow at last":   {level(57, 3000, 3, 300), 57, 1, 5, -1, true, 3000, 1650},
		"a pause":        {level(20, 100, 5, 0, 35, 100), 0, 1, 100 * 5.0 / 60, 24, true, 100, 100},
		"warm-up":        {level(12, 50, 48, 100), 0, 0, 0, 11, true, 50, 100},
		"throttled":      {level(10, 100, 5, 10, 10, 100, 5, 10, 10, 100, 5, 10, 10, 100, 5, 10), 0, 3, 100 * 20.0 / 60, -1, true, 100, 25},
		"a little lower": {level(30, 100, 30, 85), 0, 0, 0, 30, false, 100, 85},
		"rising":         {level(30, 100, 30, 1000), 0, 1, 50, 29, true, 100, 1000},
	} {
		s := summaryOf(tt.rates)
		if (s.Fall != nil) != (tt.fall > 0) || s.Fall != nil && s.Fall.Seconds != tt.fall {
			t.Errorf("%s: fell %+v", name, s.Fall)
		}
		if len(s.Drops) != tt.drops || math.Abs(s.SlowPercent-tt.slow) > 0.01 {
			t.Errorf("%s: %d drops, %v %% of the time", name, len(s.Drops), s.SlowPercent)
		}
		if math.Abs(s.SteadySeconds-tt.steady) > 1 {
			t.Errorf("%s: steady after %v s", name, s.SteadySeconds)
		}
		if got := s.IsEventful(float64(len(tt.rates))); got != tt.eventful {
			t.Errorf("%s: eventful: %v", name, got)
		}
		if math.Abs(s.FirstTenth-tt.first) > 0.01 || math.Abs(s.LastTenth-tt.to) > 0.01 {
			t.Errorf("%s: first tenth %v, last tenth %v", name, s.FirstTenth, s.LastTenth)
		}
	}
	if summaryOf(level(9, 100)) != nil {
		t.Error("9 points say something")
	}
}

// Jobs that end when they are through with their files leave the others alone: that is no fall of the storage's.
func TestSummaryOfJobsThatEnd(t *testing.T) {
	s := of(append(make([]float64, 0), 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 10, 10, 10, 10, 10, 10))
	s.Sections[0].WholePoints = 11
	if got := s.Summarize(&s.Sections[0]); got.Fall != nil || len(got.Drops) > 0 {
		t.Errorf("fell %+v, drops %v", got.Fall, got.Drops)
	}
}
