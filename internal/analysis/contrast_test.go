package analysis

import (
	"math"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestQuantile compares with tables of Student's t.
func TestQuantile(t *testing.T) {
	for _, test := range []struct{ probability, freedom, want float64 }{
		{0.05, 3, 3.1824}, {0.05, 6, 2.4469}, {0.05, 10, 2.2281}, {0.05, 120, 1.9799}, {0.002, 6, 5.2076}, {0.001, 3, 12.9240}, {0.4, 3, 0.9785}, {0.4, 10, 0.8791},
	} {
		if got := quantile(test.probability, test.freedom); math.Abs(got-test.want) > 1e-4 {
			t.Errorf("%v of %v degrees of freedom is %v, want %v", test.probability, test.freedom, got, test.want)
		}
	}
	for _, probability := range []float64{0.45, 0.05, 1e-3, 1e-6, 1e-12} {
		for _, freedom := range []float64{3, 3.7, 10, 126, 398} {
			if got := beyond(quantile(probability, freedom), freedom); math.Abs(got-probability) > 1e-6*probability {
				t.Errorf("beyond the quantile of %v with %v degrees of freedom is %v", probability, freedom, got)
			}
		}
	}
}

// Verdicts go by the corrected p-value, by how far apart the medians are, and by the interval.
func TestVerdict(t *testing.T) {
	const p = 0.0286
	fio := yardstick{better: lessIsFaster, bucketPercent: bucketPercent}
	coarse := yardstick{better: lessIsFaster, bucketPercent: 4}
	coarsest := yardstick{better: lessIsFaster, bucketPercent: 100}
	for _, test := range []struct {
		name      string
		own, base int64
		p         float64
		yardstick yardstick
		deviation float64
		want      v1alpha1.Verdict
	}{
		{"more IOPS", 1011, 1000, p, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictFaster},
		{"fewer IOPS", 989, 1000, p, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictSlower},
		{"more latency", 1011, 1000, p, yardstick{better: lessIsFaster}, 0.001, v1alpha1.VerdictSlower},
		{"less latency", 989, 1000, p, yardstick{better: lessIsFaster}, 0.001, v1alpha1.VerdictFaster},
		{"1 % more", 1010, 1000, p, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictSame},
		{"1 % less", 990, 1000, p, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictSame},
		{"1 % more, and much of spread", 1010, 1000, p, yardstick{better: moreIsFaster}, 0.03, v1alpha1.VerdictNotShown},
		{"chance", 2000, 1000, 0.05, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictNotShown},
		{"hardly chance", 2000, 1000, 0.0499, yardstick{better: moreIsFaster}, 0.001, v1alpha1.VerdictFaster},
		{"chance, and nothing that matters", 1020, 1000, 0.3, yardstick{better: moreIsFaster}, 0.01, v1alpha1.VerdictSame},
		{"chance, and it may matter", 1020, 1000, 0.3, yardstick{better: moreIsFaster}, 0.02, v1alpha1.VerdictNotShown},
		{"from nothing", 1, 0, p, yardstick{better: moreIsFaster}, 0, v1alpha1.VerdictFaster},
		{"to nothing", 0, 1, p, yardstick{better: moreIsFaster}, 0, v1alpha1.VerdictSlower},
		{"nothing", 0, 0, p, yardstick{better: moreIsFaster}, 0, v1alpha1.VerdictNotShown},
		{"percentiles one bucket apart", 655, 645, p, fio, 0.001, v1alpha1.VerdictSame},
		{"percentiles two of the widest buckets apart", 665, 645, p, fio, 0.001, v1alpha1.VerdictSlower},
		{"percentiles two of the widest buckets less", 645, 665, p, fio, 0.001, v1alpha1.VerdictFaster},
		{"coarse percentiles, 8 % apart", 1080, 1000, p, coarse, 0.001, v1alpha1.VerdictNotShown},
		{"coarse percentiles, more apart", 1081, 1000, p, coarse, 0.001, v1alpha1.VerdictSlower},
		{"the coarsest, a tenth", 100, 1000, p, coarsest, 0.001, v1alpha1.VerdictFaster},
		{"the coarsest, twice", 2000, 1000, p, coarsest, 0.001, v1alpha1.VerdictNotShown},
	} {
		c := contrast{yardstick: test.yardstick, own: test.own, base: test.base}
		if test.deviation > 0 {
			c.ratios = ratios{{difference: math.Log(float64(test.own) / float64(test.base)), deviation: test.deviation, freedom: 6, share: 1}}
		}
		if got := c.verdict(test.p); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	against := contrast{yardstick: rates, own: 2000, base: 1000, ratios: ratios{{difference: -1, deviation: 0.1, freedom: 6, share: 1}}}
	if got := against.verdict(p); got != v1alpha1.VerdictNotShown {
		t.Errorf("medians and means that contradict each other: %s", got)
	}
}

// What has no logarithm is compared by ranks, and has no interval. What is beyond fio's histogram is not the same for that.
func TestContrastWithoutLogarithms(t *testing.T) {
	const over = v1alpha1.BeyondHistogramNanoseconds
	percentile := yardstick{better: lessIsFaster, bucketPercent: bucketPercent}
	for name, test := range map[string]struct {
		own, base []int64
		yardstick yardstick
		ranks     bool
		want      v1alpha1.Verdict
	}{
		"no I/O in one run":     {[]int64{0, 101, 102, 103}, []int64{200, 201, 202, 203}, rates, true, v1alpha1.VerdictSlower},
		"bytes are not beyond":  {[]int64{over, over, over, over}, []int64{over, over, over, over}, rates, false, v1alpha1.VerdictSame},
		"means are not beyond":  {[]int64{over, over, over, over}, []int64{over, over, over, over}, yardstick{better: lessIsFaster}, false, v1alpha1.VerdictSame},
		"all beyond":            {[]int64{over, over, over, over}, []int64{over, over, over, over}, percentile, true, v1alpha1.VerdictNotShown},
		"the target's beyond":   {[]int64{over, over, over, over}, []int64{1e9, 1e9, 1e9, 1e9}, percentile, true, v1alpha1.VerdictSlower},
		"the baseline's beyond": {[]int64{1e9, 1e9, 1e9, 1e9}, []int64{over, over, over, over}, percentile, true, v1alpha1.VerdictFaster},
	} {
		c := contrastOf(test.own, test.base, test.yardstick, dependences{})
		if (len(c.ratios) == 0) != test.ranks {
			t.Errorf("%s: ratios %+v", name, c.ratios)
		}
		if test.ranks && c.p != pValue(test.own, test.base) {
			t.Errorf("%s: p = %v", name, c.p)
		}
		if got := c.verdict(c.p); got != test.want || test.ranks && c.detectable(significance) != 0 {
			t.Errorf("%s: %s, from %d %% on; want %s", name, got, c.detectable(significance), test.want)
		}
	}
}

// Runs that agree by chance are not believed to be that exact, and percentiles no more than their buckets.
func TestLeastDeviation(t *testing.T) {
	alike, others := []int64{1000, 1000, 1000, 1000}, []int64{1020, 1020, 1020, 1020}
	for name, test := range map[string]struct {
		yardstick yardstick
		percent   float64 // half of the interval
	}{
		// t of 4.5 degrees of freedom, halfway from 6 to 3, is 2.659: times 0.1 % times the root of 2/4.
		"rates":              {rates, 0.188},
		"percentiles":        {yardstick{bucketPercent: bucketPercent}, 0.841},
		"coarse percentiles": {yardstick{bucketPercent: 25}, 13.569},
	} {
		c := contrastOf(others, alike, test.yardstick, dependences{})
		low, high := c.ratios.interval()
		if got := 50 * math.Log(high/low); math.Abs(got-test.percent) > 0.001*test.percent+0.001 {
			t.Errorf("%s: the interval is %.3f %% on each side, want %.3f %%", name, got, test.percent)
		}
	}
}

// For groups of 6 with equal variances, 80 % of differences of 1.8 standard deviations are found at 5 % (J. Cohen, "Statistical Power
// Analysis for the Behavioral Sciences").
func TestDetectable(t *testing.T) {
	const sd = 0.03
	r := logRatio{deviation: sd * math.Sqrt(2.0/6), freedom: 10, share: 1}
	if got := math.Log(1+r.detectablePercent(significance)/100) / sd; math.Abs(got-1.8) > 0.01 {
		t.Errorf("%v standard deviations are detectable, want 1.8", got)
	}
	exact := contrast{yardstick: rates, ratios: ratios{{deviation: 1e-9, freedom: 6, share: 1}}}
	if got := exact.detectable(significance); got != 1 {
		t.Errorf("of exact figures %d %% are detectable, want 1", got)
	}
	wild := contrast{yardstick: rates, ratios: ratios{{deviation: 1000, freedom: 3, share: 1}}}
	if got := wild.detectable(significance); got != maxDetectablePercent {
		t.Errorf("of wild figures %d %% are detectable", got)
	}
}

// rates is how rates are judged.
var rates = yardstick{better: moreIsFaster}
