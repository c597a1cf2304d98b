// Package steady says when a rate is steady, by the rule of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.1, definition of
// "Steady State"): within a window of five rounds the range is at most 20 % of the mean, and the line that fits them best rises or falls by at most 10 % of it.
// It is pure.
package steady

import (
	"math"
	"slices"
	"time"
)

// Rounds is how many rounds a window has: the PTS judges five.
const Rounds = 5

// Sample is a rate that was seen at an instant, of the time since the sample before it.
type Sample struct {
	At   time.Time
	Rate float64
}

// Seen is what a window shows, in percent of its mean. Both are infinite where the mean is 0: what does nothing is not steady.
type Seen struct {
	// Range is how far the slowest and the fastest round are apart.
	Range float64
	// Slope is by how much the line that fits best rises or falls from the first round to the last.
	Slope float64
}

// Judge says what rounds show, of which there are two or more.
func Judge(rounds []float64) Seen {
	mean, slope := line(rounds)
	if len(rounds) < 2 || !(mean > 0) || math.IsInf(mean, 1) {
		return Seen{math.Inf(1), math.Inf(1)}
	}
	const percent = 100
	return Seen{
		Range: percent * (slices.Max(rounds) - slices.Min(rounds)) / mean,
		Slope: percent * math.Abs(slope) * float64(len(rounds)-1) / mean,
	}
}

// line returns the mean of rounds, and by how much the line that fits them best (least squares) rises in each.
func line(rounds []float64) (mean, slope float64) {
	for _, rate := range rounds {
		mean += rate / float64(len(rounds))
	}
	middle, products, squares := float64(len(rounds)-1)/2, 0.0, 0.0
	for i, rate := range rounds {
		off := float64(i) - middle
		products += off * (rate - mean)
		squares += off * off
	}
	return mean, products / squares
}

// Within says whether a window is steady by a rule.
func (s Seen) Within(u *Until) bool {
	const exact = 1e-9 // a range of 20 % is not more than 20 %, whatever is lost to fractions
	return s.Range <= float64(u.RangePercent)+exact && s.Slope <= float64(u.SlopePercent)+exact
}

// WindowRounds returns the mean rate of each round of the window that ends with the last sample. It returns none if samples do not reach back
// that far: the first one says only when the time of the second begins.
func WindowRounds(samples []Sample, window time.Duration) []float64 {
	if len(samples) < 2 || window <= 0 {
		return nil
	}
	end := samples[len(samples)-1].At
	begin := end.Add(-window)
	if samples[0].At.After(begin) {
		return nil
	}
	rounds := make([]float64, Rounds)
	length := window / Rounds
	for i := range rounds {
		from := begin.Add(time.Duration(i) * length)
		rounds[i] = meanRate(samples, from, from.Add(length))
	}
	return rounds
}

// meanRate returns the mean of what samples say of a time, each weighted by how much of that time it is of.
func meanRate(samples []Sample, from, to time.Time) float64 {
	sum := 0.0
	for i := 1; i < len(samples); i++ {
		begin := slices.MaxFunc([]time.Time{samples[i-1].At, from}, time.Time.Compare)
		end := slices.MinFunc([]time.Time{samples[i].At, to}, time.Time.Compare)
		if end.After(begin) {
			sum += samples[i].Rate * end.Sub(begin).Seconds()
		}
	}
	return sum / to.Sub(from).Seconds()
}

// JudgeRounds is Judge for rates in whole numbers.
func JudgeRounds(rounds []int64) Seen {
	rates := make([]float64, len(rounds))
	for i, rate := range rounds {
		rates[i] = float64(rate)
	}
	return Judge(rates)
}
