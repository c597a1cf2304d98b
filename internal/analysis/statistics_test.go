package analysis

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestPValue compares with scipy 1.17.1: mannwhitneyu(a, b, method="exact") where no two values are alike,
// method="asymptotic" where there are more of them than benchmath takes exactly, and where some are alike,
// for which scipy's exact method is none, permutation_test(n_resamples=inf) of U.
func TestPValue(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b []int64
		want float64
	}{{
		// R. Shier, "Statistics: 2.3 The Mann-Whitney U Test", Mathematics Learning Support Centre, 2004:
		// ages of 5 men and 4 women, U = 17 and 3, p = 0.11.
		name: "Shier", a: []int64{19, 22, 16, 29, 24}, b: []int64{20, 11, 17, 12}, want: 0.1111111111111111,
	}, {
		// M. Hollander, D. A. Wolfe, "Nonparametric Statistical Methods", 1973, page 69: permeability
		// constants (here in hundredths), U = 35, one-sided p = 0.1272.
		name: "Hollander and Wolfe", a: []int64{80, 83, 189, 104, 145, 138, 191, 164, 73, 146}, b: []int64{115, 88, 90, 74, 121},
		want: 0.2544122544122544,
	}, {
		name: "4 and 4 apart", a: []int64{3048, 3051, 3047, 3050}, b: []int64{1560, 1571, 1549, 1566}, want: 0.02857142857142857,
	}, {
		name: "4 and 4 but for one", a: []int64{3048, 3051, 1565, 3050}, b: []int64{1560, 1571, 1549, 1566}, want: 0.11428571428571428,
	}, {
		name: "5 and 7", a: []int64{410, 433, 455, 391, 470}, b: []int64{402, 388, 379, 395, 420, 360, 371}, want: 0.030303030303030304,
	}, {
		name: "8 and 6", a: []int64{12, 15, 11, 18, 19, 14, 13, 17}, b: []int64{16, 21, 22, 20, 25, 24}, want: 0.004662004662004662,
	}, {
		name: "10 and 10", a: []int64{1560, 1571, 1549, 1566, 1602, 1533, 1588, 1555, 1579, 1541},
		b: []int64{1601, 1620, 1567, 1590, 1611, 1574, 1633, 1585, 1598, 1562}, want: 0.011496243694386109,
	}, {
		name: "ties", a: []int64{5, 5, 6, 7}, b: []int64{7, 8, 8, 9}, want: 0.05714285714285714,
	}, {
		name: "two values", a: []int64{1, 1, 1, 1}, b: []int64{2, 2, 2, 2}, want: 0.02857142857142857,
	}, {
		name: "ties, 5 and 5", a: []int64{3, 3, 3, 4, 4}, b: []int64{4, 4, 4, 4, 5}, want: 0.11904761904761904,
	}, {
		name: "ties, 6 and 7", a: []int64{2, 4, 4, 6, 7, 8}, b: []int64{0, 2, 3, 6, 6, 7, 9}, want: 0.7902097902097902,
	}, {
		name: "ties, 4 and 5", a: []int64{1, 1, 2, 2}, b: []int64{1, 1, 1, 1, 3}, want: 0.8095238095238095,
	}, {
		name: "ties, 5 and 4", a: []int64{0, 1, 2, 2, 2}, b: []int64{0, 1, 2, 2}, want: 1,
	}, {
		name: "buckets, 4 and 6", a: []int64{5024, 5024, 5056, 5088}, b: []int64{5088, 5088, 5152, 5152, 5152, 5216}, want: 0.02857142857142857,
	}, {
		name: "60 and 60", a: progression(60, 1000, 37, 101), b: progression(60, 1013, 53, 103), want: 0.04963416107004091,
	}, {
		name: "30 and 40 with ties", a: progression(30, 10, 37, 11), b: progression(40, 11, 5, 13), want: 0.03262440947800065,
	}, {
		name: "60 and 60 apart", a: progression(60, 5000, 1, 100), b: progression(60, 1000, 1, 100), want: 3.5565709749847226e-21,
	}, {
		name: "all alike", a: []int64{7, 7, 7, 7}, b: []int64{7, 7, 7, 7, 7}, want: 1,
	}} {
		t.Run(test.name, func(t *testing.T) {
			for _, got := range []float64{pValue(test.a, test.b), pValue(test.b, test.a)} {
				if math.Abs(got-test.want) > 1e-9*test.want {
					t.Errorf("p = %v, want %v", got, test.want)
				}
			}
		})
	}
}

// progression are the values from + i*step mod modulus.
func progression(n, from, step, modulus int64) []int64 {
	values := make([]int64, n)
	for i := range n {
		values[i] = from + i*step%modulus
	}
	return values
}

// TestPValueIsExact counts, for random values with many ties, how many ways to deal them out to the two
// sides differ as much. Sides that do not differ at all have p = 1.
func TestPValueIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a, b := randomValues(random, 4+random.IntN(3), 6), randomValues(random, 4+random.IntN(3), 7)
		if got, want := pValue(a, b), permutationP(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("p of %v and %v is %v, want %v", a, b, got, want)
		}
	}
}

func randomValues(random *rand.Rand, n int, below int64) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = random.Int64N(below)
	}
	return values
}

func permutationP(a, b []int64) float64 {
	all := append(append([]int64{}, a...), b...)
	observed := above(a, b)
	if observed == 0 {
		return 1
	}
	less, more, ways := 0, 0, 0
	for set := range uint(1) << len(all) {
		if bits.OnesCount(set) != len(a) {
			continue
		}
		var x, y []int64
		for i, value := range all {
			if set>>i&1 == 1 {
				x = append(x, value)
			} else {
				y = append(y, value)
			}
		}
		ways++
		if above(x, y) <= observed {
			less++
		}
		if above(x, y) >= observed {
			more++
		}
	}
	return min(1, 2*float64(min(less, more))/float64(ways))
}

// TestStatisticOf compares with numpy 2.4.6's median and scipy 1.17.1's quantile_test(p=0.5), of numbers of
// values for which its interval, with at most 2.5 % on each side, is the shortest as well.
func TestStatisticOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []int64
		want   v1alpha1.Statistic
	}{
		{"one", []int64{3048}, v1alpha1.Statistic{Median: 3048}},
		{"two", []int64{10, 13}, v1alpha1.Statistic{Median: 12, Min: new(int64(10)), Max: new(int64(13))}},
		{"four", []int64{9, 1, 2, 4}, v1alpha1.Statistic{Median: 3, Min: new(int64(1)), Max: new(int64(9))}},
		// Of 5 benchmath's interval has an end on one side only.
		{"five", []int64{9, 1, 2, 4, 7}, v1alpha1.Statistic{Median: 4, Min: new(int64(1)), Max: new(int64(9))}},
		{"six", []int64{3048, 3051, 3047, 3050, 3049, 2990}, v1alpha1.Statistic{Median: 3049, Min: new(int64(2990)), Max: new(int64(3051)), ConfidenceLow: new(int64(2990)), ConfidenceHigh: new(int64(3051))}},
		{"seven", []int64{3048, 3051, 3047, 3050, 3049, 2990, 3100}, v1alpha1.Statistic{Median: 3049, Min: new(int64(2990)), Max: new(int64(3100)), ConfidenceLow: new(int64(2990)), ConfidenceHigh: new(int64(3100))}},
		{"nine", []int64{9, 1, 8, 2, 7, 3, 6, 4, 50}, v1alpha1.Statistic{Median: 6, Min: new(int64(1)), Max: new(int64(50)), ConfidenceLow: new(int64(2)), ConfidenceHigh: new(int64(9))}},
		{"ten", []int64{1560, 1571, 1549, 1566, 1602, 1533, 1588, 1555, 1579, 1541}, v1alpha1.Statistic{Median: 1563, Min: new(int64(1533)), Max: new(int64(1602)), ConfidenceLow: new(int64(1541)), ConfidenceHigh: new(int64(1588))}},
		{"nanoseconds", []int64{5_247_200_001, 5_247_200_003, 5_247_200_004, 5_247_200_009}, v1alpha1.Statistic{Median: 5_247_200_004, Min: new(int64(5_247_200_001)), Max: new(int64(5_247_200_009))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, StatisticOf(test.values)); diff != "" {
				t.Errorf("statistic (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStatisticOfEveryNumber has half of the values 0 and the other half 1, and then each its own order, so
// that the bounds of the interval are the orders. An interval covers the true median as often as a binomial
// distribution says.
func TestStatisticOfEveryNumber(t *testing.T) {
	for n := int64(1); n <= 256; n++ {
		halves, orders := make([]int64, n), make([]int64, n)
		for i := range n {
			halves[i], orders[i] = 2*i/n, i+1
		}
		if want := (n + 1) % 2; n%2 == 0 && StatisticOf(halves).Median != want {
			t.Errorf("median of %d zeros and %d ones is %d, want %d", n/2, n/2, StatisticOf(halves).Median, want)
		}
		s := StatisticOf(orders)
		if want := n/2 + 1; s.Median != want {
			t.Errorf("median of 1 to %d is %d, want %d", n, s.Median, want)
		}
		if (s.ConfidenceLow != nil) != (n >= 6) || (s.ConfidenceHigh != nil) != (n >= 6) {
			t.Errorf("%d values: interval %v to %v", n, s.ConfidenceLow, s.ConfidenceHigh)
		}
		if n < 6 {
			continue
		}
		if covered := coverage(n, *s.ConfidenceLow, *s.ConfidenceHigh); covered < confidenceLevel {
			t.Errorf("%d values: interval from %d to %d covers the median in %v of cases", n, *s.ConfidenceLow, *s.ConfidenceHigh, covered)
		}
	}
}

// coverage is the probability that the median is between the low-th and the high-th of n values.
func coverage(n, low, high int64) float64 {
	probability := math.Pow(0.5, float64(n))
	sum := 0.0
	for below := range n + 1 {
		if low <= below && below < high {
			sum += probability
		}
		probability *= float64(n-below) / float64(below+1)
	}
	return sum
}

func TestRatio(t *testing.T) {
	for _, test := range []struct {
		own, base int64
		want      string
	}{
		{51, 100, "0.51"}, {102, 100, "1.02"}, {123, 10, "12.30"}, {123, 10_000, "0.0123"},
		{1, 0, ""}, {0, 0, ""}, {0, 5, "0.00"}, {1, 1, "1.00"}, {100_000, 1, "100000.00"},
		{1, 10, "0.10"}, {9999, 100_000, "0.10"}, {9996, 100_000, "0.10"}, {9994, 100_000, "0.0999"}, {99, 1000, "0.0990"},
		{1, 100, "0.0100"}, {9_996, 1_000_000, "0.0100"}, {1, 1000, "0.00100"}, {1, 3_000_000_000, "0.000000000333"},
		{123, 100_000_000_000_000, "0.00000000000123"}, {123, 1_000_000_000_000_000, "1.23e-13"},
		{9_999_999_999_999, 1, "9999999999999.00"}, {math.MaxInt64, 1, "9.22e+18"}, {1, math.MaxInt64, "1.08e-19"},
	} {
		if got := ratio(test.own, test.base); got != test.want || len(got) > 16 {
			t.Errorf("ratio(%d, %d) is %q, want %q", test.own, test.base, got, test.want)
		}
	}
}
