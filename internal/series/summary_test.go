package series

import (
	"math"
	"math/rand/v2"
	"slices"
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

// On rates that vary, and neither fall nor rise, there is no false alarm: less than 1 in 1,000 runs, of whatever length.
func TestNoFalseAlarms(t *testing.T) {
	const runs = 1000
	for name, vary := range kindsOfNoise {
		random := rand.New(rand.NewPCG(1, 2))
		falls, rises, drops, unsteady, all := 0, 0, 0, 0, 0
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
				if s.Rise != nil {
					rises++
				}
				if len(s.Drops) > 0 {
					drops++
				}
				if s.SteadySeconds != 0 {
					unsteady++
				}
			}
		}
		t.Logf("%s: of %d runs %d fell, %d rose, %d had drops, %d were not steady from the start", name, all, falls, rises, drops, unsteady)
		if falls > all/1000 || rises > all/1000 {
			t.Errorf("%s: of %d runs %d fell and %d rose", name, all, falls, rises)
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
		"credits that end in a second": {
			append([]float64{3275, 3001, 3001, 319}, slices.Repeat([]float64{101}, 16)...),
			3, 1, 85, 4, true, 3138, 101,
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

// level returns rates: pairs of seconds and of a rate.
func level(parts ...float64) (rates []float64) {
	for i := 0; i < len(parts); i += 2 {
		rates = append(rates, slices.Repeat([]float64{parts[i+1]}, int(parts[i]))...)
	}
	return rates
}

// varied returns rates with noise of neighbours that are not alike.
func varied(r *rand.Rand, rates []float64, deviation float64) []float64 {
	noisy := alikeNoise(r, len(rates), deviation, 0)
	for i := range noisy {
		noisy[i] *= rates[i]
	}
	return noisy
}

// Storage that is throttled in bursts did not fall, whatever the phase in which a run ends: less than 1 in 1,000 runs. It was not steady either.
func TestBurstsAreNoFall(t *testing.T) {
	const runs = 1000
	random := rand.New(rand.NewPCG(5, 6))
	for _, tt := range []struct {
		fast, slow float64
		seconds    int
	}{{20, 5, 300}, {20, 5, 600}, {8, 4, 600}, {50, 10, 300}, {50, 10, 600}, {55, 5, 300}, {55, 5, 600}} {
		falls, steady := 0, 0
		for range runs {
			phase := random.Float64() * (tt.fast + tt.slow)
			rates := make([]float64, tt.seconds)
			for i := range rates {
				rates[i] = 3000
				if math.Mod(float64(i)+phase, tt.fast+tt.slow) > tt.fast {
					rates[i] = 300
				}
			}
			s := summaryOf(varied(random, rates, 0.02))
			if s.Fall != nil {
				falls++
			}
			if s.SteadySeconds >= 0 {
				steady++
			}
		}
		t.Logf("%+v: of %d runs %d fell, %d were steady", tt, runs, falls, steady)
		if falls > runs/1000 || steady > 0 {
			t.Errorf("%+v: of %d runs %d fell, %d were steady", tt, runs, falls, steady)
		}
	}
}

// Of several steps the last one is told, and the levels beside it: no rate is told that storage never had.
func TestSeveralSteps(t *testing.T) {
	const runs = 200
	random := rand.New(rand.NewPCG(7, 8))
	for name, tt := range map[string]struct {
		rates []float64
		want  Fall
	}{
		"3000/1000/300":  {level(200, 3000, 200, 1000, 200, 300), Fall{400, 1000, 300}},
		"3000/2000/300":  {level(200, 3000, 200, 2000, 200, 300), Fall{400, 2000, 300}},
		"12000/3000/300": {level(60, 12000, 150, 3000, 390, 300), Fall{210, 3000, 300}},
		"and up again":   {level(200, 3000, 200, 300, 200, 1000), Fall{200, 3000, 300}},
	} {
		found := 0
		for range runs {
			f := summaryOf(varied(random, tt.rates, 0.02)).Fall
			if f != nil && math.Abs(f.Seconds-tt.want.Seconds) <= 2 && math.Abs(f.Before/tt.want.Before-1) < 0.02 && math.Abs(f.After/tt.want.After-1) < 0.02 {
				found++
			} else if found == 0 {
				t.Logf("%s: %+v", name, f)
			}
		}
		if found < runs*99/100 {
			t.Errorf("%s: of %d runs %d are told as they were", name, runs, found)
		}
	}
	if s := summaryOf(varied(random, level(200, 3000, 200, 300, 200, 3000), 0.02)); s.Fall != nil {
		t.Errorf("a pause is a fall: %+v", s.Fall)
	}
}

// Times are from the start of the section, as a chart has them, or from that of what was measured.
func TestSinceMeasured(t *testing.T) {
	for name, rates := range map[string][]float64{
		"rise": level(40, 100, 12, 300, 48, 3000),
		"fall": level(40, 100, 12, 3000, 48, 300),
		"drop": level(40, 100, 12, 3000, 3, 0, 45, 3000),
	} {
		s := of(rates)
		s.Sections[0].FromPoint = 40
		of := func(s *Summary) (at float64) {
			switch {
			case s.Rise != nil:
				at = s.Rise.Seconds
			case s.Fall != nil:
				at = s.Fall.Seconds
			case len(s.Drops) == 1:
				at = s.Drops[0].Seconds
			}
			return at
		}
		whole := s.Summarize(&s.Sections[0])
		since := whole.SinceMeasured()
		if of(whole) != 52 || of(since) != 12 || whole.FromSeconds != 40 || since.FromSeconds != 0 || whole.SteadySeconds-since.SteadySeconds != 40 {
			t.Errorf("%s: %+v at %v, since it was measured %+v at %v", name, whole, of(whole), since, of(since))
		}
	}
}

// A second in which the rate fell belongs to neither level: of a short run it would be a good part of the mean.
func TestSecondOfTheFall(t *testing.T) {
	for name, tt := range map[string]struct {
		rates []float64
		want  Fall
	}{
		"seen on a gp2 volume whose credits ran out": {slices.Concat([]float64{2442, 3151, 2847, 1016}, level(16, 100)), Fall{3, 2813, 100}},
		"within a later second":                      {slices.Concat(level(10, 3000), []float64{1500}, level(10, 100)), Fall{10, 3000, 100}},
		"between two seconds":                        {slices.Concat(level(10, 3000), level(10, 100)), Fall{10, 3000, 100}},
	} {
		f := summaryOf(tt.rates).Fall
		if f == nil || math.Abs(f.Seconds-tt.want.Seconds) > 1 || math.Round(f.Before) != tt.want.Before || math.Round(f.After) != tt.want.After {
			t.Errorf("%s: %+v, want %+v", name, f, tt.want)
		}
	}
}

// A rate that was lower from the start has risen: when it became what it stayed, and how much less it was before.
func TestRise(t *testing.T) {
	const runs = 200
	random := rand.New(rand.NewPCG(11, 12))
	ramp := func(from, to float64, points int) (rates []float64) {
		for i := range points {
			rates = append(rates, from+(to-from)*float64(i)/float64(points))
		}
		return rates
	}
	for name, tt := range map[string]struct {
		rates  []float64
		want   *Rise
		within float64 // seconds
	}{
		"300, then 3000":            {level(12, 300, 48, 3000), &Rise{12, 300, 3000}, 2},
		"in two steps":              {level(20, 300, 40, 1500, 140, 3000), &Rise{60, 1100, 3000}, 2},
		"late":                      {level(50, 300, 10, 3000), &Rise{50, 300, 3000}, 2},
		"slowly":                    {slices.Concat(ramp(300, 3000, 60), level(240, 3000)), &Rise{50, 1500, 3000}, 20},
		"a stall":                   {level(5, 1000, 20, 0, 275, 1000), nil, 0},
		"a low time":                {level(5, 1000, 20, 300, 275, 1000), nil, 0},
		"as fast at first as later": {level(20, 3000, 40, 300, 140, 3000), nil, 0},
		"it falls":                  {level(100, 3000, 200, 300), nil, 0},
		"it rises and falls":        {level(50, 300, 50, 3000, 50, 300), nil, 0},
	} {
		right := 0
		for range runs {
			r := summaryOf(varied(random, tt.rates, 0.05)).Rise
			switch {
			case tt.want == nil && r == nil,
				tt.want != nil && r != nil && math.Abs(r.Seconds-tt.want.Seconds) <= tt.within && math.Abs(r.Before/tt.want.Before-1) < 0.25 && math.Abs(r.After/tt.want.After-1) < 0.1:
				right++
			case right == 0:
				t.Logf("%s: %+v", name, r)
			}
		}
		if right < runs*95/100 {
			t.Errorf("%s: of %d runs %d are told as they were", name, runs, right)
		}
	}
}

// The edge of what is steady is where the cliff is, also where rates vary. A rate that goes on falling is not steady.
func TestSteadyFrom(t *testing.T) {
	const runs = 200
	random := rand.New(rand.NewPCG(9, 10))
	for _, deviation := range []float64{0.01, 0.05, 0.1} {
		exact := 0
		for range runs {
			if s := summaryOf(varied(random, level(212, 3000, 388, 300), deviation)); math.Abs(s.SteadySeconds-212) <= 2 {
				exact++
			}
		}
		t.Logf("noise of %v: of %d runs %d are steady within 2 s of the cliff", deviation, runs, exact)
		if exact < runs*95/100 {
			t.Errorf("noise of %v: of %d runs %d are steady within 2 s of the cliff", deviation, runs, exact)
		}
	}
	ramp := make([]float64, 600)
	for i := range ramp {
		ramp[i] = 3000 - float64(i)*2935/600
	}
	if s := summaryOf(varied(random, ramp, 0.02)); s.SteadySeconds >= 0 {
		t.Errorf("a ramp is steady after %v s", s.SteadySeconds)
	}
}

// Storage that hangs for the rest of a run fell to nothing.
func TestFallToNothing(t *testing.T) {
	s := summaryOf(varied(rand.New(rand.NewPCG(11, 12)), level(212, 3000, 388, 0), 0.02))
	if s.Fall == nil || s.Fall.Seconds != 212 || s.Fall.After != 0 || s.SteadySeconds != 212 || len(s.Drops) != 1 {
		t.Errorf("fell %+v, steady after %v s, drops %v", s.Fall, s.SteadySeconds, s.Drops)
	}
}

// On rates that vary much and are alike from second to second as well there are more false alarms: docs/results.md has how many.
func TestAlarmsOfMuchThatIsAlike(t *testing.T) {
	const runs = 3000
	random := rand.New(rand.NewPCG(13, 14))
	for _, tt := range []struct {
		deviation, alike float64
		seconds          int
	}{{0.4, 0.8, 60}, {0.4, 0.8, 300}, {0.2, 0.95, 60}} {
		falls, drops := 0, 0
		for range runs {
			rates := alikeNoise(random, tt.seconds, tt.deviation, tt.alike)
			s := summaryOf(rates)
			if s.Fall != nil {
				falls++
			}
			if len(s.Drops) > 0 {
				drops++
			}
		}
		t.Logf("%+v: of %d runs %d fell, %d had drops", tt, runs, falls, drops)
		if falls > runs*2/100 {
			t.Errorf("%+v: of %d runs %d fell", tt, runs, falls)
		}
	}
}
