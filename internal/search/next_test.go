package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// storage is storage of which the truth is known: at most of so much throughput, and with so much latency at least.
type storage struct {
	most    float64 // I/Os per second
	latency float64 // seconds
	budget  float64 // seconds
}

// at measures storage with so many I/Os in flight: a closed loop.
func (s storage) at(depth int32) Probe {
	throughput := min(float64(depth)/s.latency, s.most)
	return Probe{Value: depth, Within: float64(depth)/throughput <= s.budget, Throughput: throughput}
}

// rated measures storage that is asked for a rate by so many jobs that it always has enough to do.
func (s storage) rated(rate int32) Probe {
	throughput := min(float64(rate), s.most)
	return Probe{Value: rate, Within: float64(rate) <= s.most && s.latency <= s.budget, Throughput: throughput, Behind: float64(rate) > s.most}
}

// play searches until there is an answer.
func play(c Config, measure func(int32) Probe) (probes []Probe, a Answer) {
	for {
		d := Next(c, probes)
		if d.Value == 0 {
			return probes, d.Answer
		}
		probes = append(probes, measure(d.Value))
		if len(probes) > MostProbes(c) {
			panic(fmt.Sprintf("%d probes of at most %d: %v", len(probes), MostProbes(c), probes))
		}
	}
}

func valuesOf(probes []Probe) []int32 {
	var values []int32
	for _, p := range probes {
		values = append(values, p.Value)
	}
	return values
}

func TestSearch(t *testing.T) {
	gp3 := storage{most: 3000, latency: 0.0007, budget: 0.005}
	for _, test := range []struct {
		name    string
		config  Config
		measure func(int32) Probe
		values  []int32
		answer  Answer
	}{{
		name: "depth of a volume that paces", config: Config{1, 256}, measure: gp3.at,
		values: []int32{1, 2, 4, 8, 16, 12, 14, 15, 15, 16}, answer: Answer{Found, 15, true, nil},
	}, {
		name: "the budget is far below saturation", config: Config{1, 256}, measure: func(v int32) Probe {
			return Probe{Value: v, Within: v <= 5, Throughput: min(float64(v), 60)}
		},
		values: []int32{1, 2, 4, 8, 16, 32, 64, 128, 6, 5, 5, 6}, answer: Answer{Found, 5, true, nil},
	}, {
		name: "not even one", config: Config{1, 256}, measure: storage{most: 3000, latency: 0.007, budget: 0.005}.at,
		values: []int32{1, 1}, answer: Answer{MinBeyond, 0, true, nil},
	}, {
		name: "max is within", config: Config{1, 10}, measure: gp3.at,
		values: []int32{1, 2, 4, 8, 10, 10}, answer: Answer{MaxWithin, 10, true, nil},
	}, {
		name: "one load", config: Config{7, 7}, measure: gp3.at,
		values: []int32{7, 7}, answer: Answer{MaxWithin, 7, true, nil},
	}, {
		name: "rate", config: Config{100, 6400}, measure: storage{most: 3000, latency: 0.0007, budget: 0.005}.rated,
		values: []int32{100, 200, 400, 800, 1600, 3200, 2400, 2800, 3000, 3100, 3050, 3000, 3050}, answer: Answer{Found, 3000, true, nil},
	}} {
		t.Run(test.name, func(t *testing.T) {
			probes, answer := play(test.config, test.measure)
			if diff := cmp.Diff(test.answer, answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.values, valuesOf(probes)); diff != "" {
				t.Errorf("probes (-want +got):\n%s", diff)
			}
		})
	}
}

// A probe that says something else than the first at the same load is decided by a third.
func TestOutliers(t *testing.T) {
	within := func(v int32, ok bool, throughput float64) Probe {
		return Probe{Value: v, Within: ok, Throughput: throughput}
	}
	for _, test := range []struct {
		name   string
		probes []Probe
		value  int32
		answer Answer
	}{{
		name: "a lowest load that was slow once is asked again", probes: []Probe{within(1, false, 10)}, value: 1,
	}, {
		name: "and once more when it is fast", probes: []Probe{within(1, false, 10), within(1, true, 10)}, value: 1,
	}, {
		name: "and then goes on", probes: []Probe{within(1, false, 10), within(1, true, 10), within(1, true, 10)}, value: 2,
	}, {
		name: "a load that was slow once is passed by", probes: []Probe{within(1, true, 10), within(2, false, 20)}, value: 4,
	}, {
		name:   "and is told",
		probes: []Probe{within(1, true, 10), within(2, false, 20), within(4, true, 40), within(8, true, 80), within(8, true, 80)},
		answer: Answer{MaxWithin, 8, true, []int32{2}},
	}, {
		name:   "an answer that was fast once is asked a third time",
		probes: []Probe{within(1, true, 10), within(2, true, 20), within(4, false, 20), within(3, true, 20), within(3, false, 20)}, value: 3,
	}, {
		name:   "and is none if it is slow",
		probes: []Probe{within(1, true, 10), within(2, true, 20), within(4, false, 20), within(3, true, 20), within(3, false, 20), within(3, false, 20)}, value: 2,
	}} {
		t.Run(test.name, func(t *testing.T) {
			d := Next(Config{1, 8}, test.probes)
			if d.Value != test.value || (d.Why == "") != (d.Value == 0) {
				t.Errorf("next is %+v, want %d", d, test.value)
			}
			if diff := cmp.Diff(test.answer, d.Answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMostProbes(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   int
	}{
		{Config{1, 1}, 6}, {Config{5, 5}, 6}, {Config{1, 2}, 7}, {Config{1, 4}, 9}, {Config{1, 256}, 19}, {Config{250, 16000}, 17},
		{Config{1, math.MaxInt32}, 42},
	} {
		if got := MostProbes(test.config); got != test.want {
			t.Errorf("%+v takes %d probes at most, want %d", test.config, got, test.want)
		}
	}
}

// wantRight checks that the answer is the highest load within the budget, but for a grain.
func wantRight(c Config, a Answer, isWithin func(int32) bool) error {
	switch {
	case !a.Confirmed:
		return fmt.Errorf("it is not confirmed: %+v", a)
	case a.Outcome == MinBeyond && !isWithin(c.Min), a.Outcome == MaxWithin && isWithin(c.Max):
		return nil
	case a.Outcome != Found || !isWithin(a.Value):
		return fmt.Errorf("it is not within the budget: %+v", a)
	case isWithin(a.Value + (a.Value+grain-1)/grain):
		return fmt.Errorf("a higher load is within the budget: %+v", a)
	case len(a.Violations) > 0:
		return fmt.Errorf("it has violations: %+v", a)
	}
	return nil
}

// For each curve on which more load never has less latency the answer is right, and found within the bound.
func TestMonotoneCurves(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 3))
	for range 20000 {
		c := anyConfig(random)
		edge, knee := anyLoad(random, c), anyLoad(random, c)
		isWithin := func(v int32) bool { return v < edge }
		_, a := play(c, func(v int32) Probe {
			return Probe{Value: v, Within: isWithin(v), Throughput: float64(min(v, knee)), Behind: v > knee && random.IntN(2) == 0}
		})
		if err := wantRight(c, a, isWithin); err != nil {
			t.Fatalf("%+v, of which %d is beyond, and %d is saturation: %v", c, edge, knee, err)
		}
	}
}

// For curves that are noisy the answer is right in most cases: it is where the latency without noise is within the budget, or beyond it, by no more than the noise.
func TestNoisyCurves(t *testing.T) {
	const plays, noise = 4000, 0.05
	random := rand.New(rand.NewPCG(21, 4))
	right, probes := 0, 0
	for range plays {
		c := Config{1, 1 << (4 + random.Int32N(8))}
		s := storage{most: 3000, latency: 0.0005 + random.Float64()*0.003, budget: 0.001 + random.Float64()*0.02}
		measured, a := play(c, func(v int32) Probe {
			p := s.at(v)
			latency := float64(v) / p.Throughput * math.Exp(random.NormFloat64()*noise)
			if random.IntN(50) == 0 {
				latency *= 4 // an outlier
			}
			p.Within, p.Throughput = latency <= s.budget, p.Throughput*math.Exp(random.NormFloat64()*noise/5)
			return p
		})
		if probes += len(measured); isAbout(s, c, a) {
			right++
		}
	}
	t.Logf("%d of %d are right, with %.1f probes each", right, plays, float64(probes)/plays)
	if share := float64(right) / plays; share < 0.95 {
		t.Errorf("%.1f %% of the answers are right, want 95", 100*share)
	}
}

// isAbout says whether the answer's latency is near the budget as noise lets it be, or the answer is at an end of what was searched.
func isAbout(s storage, c Config, a Answer) bool {
	const off = 0.15
	latency := func(v int32) float64 { return float64(v) / s.at(v).Throughput }
	switch a.Outcome {
	case MinBeyond:
		return latency(c.Min)*(1+off) > s.budget
	case MaxWithin:
		return latency(c.Max)*(1-off) < s.budget
	default:
		return latency(a.Value)*(1-off) < s.budget && latency(a.Value+1+a.Value/grain)*(1+off) > s.budget
	}
}

// However storage answers, a search ends within the bound, with an answer that was measured, and goes on in the same way from any point.
func FuzzNext(f *testing.F) {
	f.Add(int32(1), int32(256), []byte{1, 1, 1, 1, 0, 0, 1, 0, 1, 1})
	f.Add(int32(100), int32(101), []byte{0, 1, 0, 1, 0, 1})
	f.Add(int32(1), int32(math.MaxInt32), []byte{255})
	f.Fuzz(func(t *testing.T, low, high int32, said []byte) {
		c := Config{Min: min(max(low, 1), max(high, 1)), Max: max(low, high, 1)}
		i := 0
		probes, a := play(c, func(v int32) Probe {
			if v < c.Min || v > c.Max {
				t.Fatalf("%+v: %d is asked for", c, v)
			}
			said := append(slices.Clone(said), 0)[i%(len(said)+1)]
			i++
			return Probe{Value: v, Within: said&1 != 0, Behind: said&2 != 0, Throughput: float64(said >> 2)}
		})
		if a.Outcome == Unknown || (a.Value == 0) != (a.Outcome == MinBeyond) {
			t.Fatalf("%+v ended with %+v", c, a)
		}
		if a.Value != 0 && !slices.Contains(valuesOf(probes), a.Value) {
			t.Fatalf("%+v: the answer %d was not measured: %v", c, a.Value, probes)
		}
	})
}

// anyConfig returns bounds of all sizes.
func anyConfig(random *rand.Rand) Config {
	a, b := 1+random.Int32N(1<<(1+random.Int32N(20))), 1+random.Int32N(1<<(1+random.Int32N(20)))
	return Config{Min: min(a, b), Max: max(a, b)}
}

// anyLoad returns a load between the bounds, or just beyond.
func anyLoad(random *rand.Rand, c Config) int32 {
	v := float64(c.Min) * math.Pow(float64(c.Max)/float64(c.Min), random.Float64())
	return int32(v) + random.Int32N(3) - 1
}
