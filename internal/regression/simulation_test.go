package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/internal/history"
)

// noiseModel makes the noise of a figure from run to run: of standard deviation 1, or as it was recorded.
type noiseModel struct {
	name string
	// shock is what is new in a run, and phi how much of the last run's noise is left.
	shock func(*rand.Rand) float64
	phi   float64
	// draw makes the noise of so many runs, where shock does not, with the variation that it has.
	draw func(r *rand.Rand, runs int) []float64
}

// noises are those for which error rates are promised.
var noises = []noiseModel{
	{name: "normal", shock: (*rand.Rand).NormFloat64},
	{name: "normal, phi 0.5", shock: (*rand.Rand).NormFloat64, phi: 0.5},
	{name: "heavy tails (t with 3 degrees of freedom)", shock: student},
	{name: "skewed (exponential)", shock: func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }},
	{name: "busy neighbours (5 % of runs are off by 10 deviations)", shock: neighbours},
}

// worse is what error rates are told of, and not promised: what happened to a run is half there in the next one, and a quarter in the one after.
var worse = noiseModel{name: "heavy tails, phi 0.5", shock: student, phi: 0.5}

// student has Student's t distribution with 3 degrees of freedom, over its standard deviation.
func student(r *rand.Rand) float64 {
	squares := 0.0
	for range 3 {
		x := r.NormFloat64()
		squares += x * x
	}
	return r.NormFloat64() / math.Sqrt(squares)
}

func neighbours(r *rand.Rand) float64 {
	if x := r.NormFloat64(); r.Float64() >= 0.05 {
		return x
	}
	return 10 + r.NormFloat64()
}

// logarithms returns so many runs whose noise has a coefficient of variation.
func (m noiseModel) logarithms(r *rand.Rand, runs int, variation float64) []float64 {
	if m.draw != nil {
		return m.draw(r, runs)
	}
	values := make([]float64, runs)
	x := m.shock(r)
	for i := range values {
		x = m.phi*x + math.Sqrt(1-m.phi*m.phi)*m.shock(r)
		values[i] = x * variation
	}
	return values
}

// ages are how many runs a history has when it is looked at.
var ages = []int{15, 30, 60, 90}

// falsely counts how often a series without a change is said to have become worse, and how often that is so for the first time. Worse is up. What
// is made up varies by 10 %, so that the 5 % from which on changes are told hide nothing.
func falsely(m noiseModel, alpha float64, tries int) (open, news, runs int) {
	r := rand.New(rand.NewPCG(1, 2))
	for range tries {
		values := m.logarithms(r, ages[len(ages)-1], 0.1)
		for _, n := range ages {
			runs++
			if !isWorse(values[:n], alpha) {
				continue
			}
			open++
			if !isWorse(values[:n-1], alpha) {
				news++
			}
		}
	}
	return open, news, runs
}

// isWorse says whether a regression is open in a series of which less is better.
func isWorse(values []float64, alpha float64) bool {
	changes := detect(values, alpha, mostChanges)
	for i := range changes {
		c, last := &changes[i], &changes[len(changes)-1]
		if c.size > 0 && median(values[last.after.start:last.after.end])-median(values[c.before.start:c.before.end]) >= leastStep {
			return true
		}
	}
	return false
}

// slowdown is a lasting change, in a schedule of so many figures.
type slowdown struct {
	// before and after are how many runs there are of each.
	before, after int
	figures       int
	// variation is the coefficient of variation of the noise, and ratio what is measured after the change over what was measured before.
	variation, ratio float64
}

// found returns how often a change is found.
func (s slowdown) found(m noiseModel, tries int) float64 {
	r := rand.New(rand.NewPCG(3, 4))
	hits := 0
	for range tries {
		values := m.logarithms(r, s.before+s.after, s.variation)
		for i := range s.after {
			values[s.before+i] += math.Log(s.ratio)
		}
		for _, c := range detect(values[max(0, len(values)-mostRuns):], alphaOf(s.figures), mostChanges) {
			if c.size > 0 && c.at >= min(s.before, mostRuns-s.after)-2 {
				hits++
				break
			}
		}
	}
	return float64(hits) / float64(tries)
}

// TestErrorRates holds the promises by simulation, as far as a few seconds go: BenchmarkErrorRates goes further.
func TestErrorRates(t *testing.T) {
	for _, m := range slices.Concat(noises, recordedNoises(t, standIns...)) {
		t.Run("unchanged/"+m.name, func(t *testing.T) {
			for _, figures := range []int{1, 10} {
				open, _, runs := falsely(m, alphaOf(figures), 800)
				if share := float64(figures*open) / float64(runs); share > falseAlarms {
					t.Errorf("of %d figures %.2f %% of runs are said to be worse, at most %.0f %% are promised", figures, 100*share, 100*falseAlarms)
				}
			}
		})
	}
	t.Run("unchanged/"+worse.name, func(t *testing.T) {
		_, news, runs := falsely(worse, alphaOf(10), 800)
		if share := float64(10*news) / float64(runs); share > falseAlarms {
			t.Errorf("in %.2f %% of runs something is said to be newly worse, at most %.0f %% are promised", 100*share, 100*falseAlarms)
		}
	})
	// With busy neighbours three runs without one are too rare for 95 %.
	for _, m := range noises[:len(noises)-1] {
		t.Run("changed/"+m.name, func(t *testing.T) {
			for _, row := range attainable {
				if share := row.found(m, 250); share < 0.95 {
					t.Errorf("%+v: %.1f %% are found, at least 95 %% are promised", row, 100*share)
				}
			}
		})
	}
}

// attainable are changes of 10 % that are found in their third run in 95 % of cases: up to which noise that is so, by the runs before and the
// figures of the schedule.
var attainable = []slowdown{
	{30, 3, 1, 0.015, 1.1},
	{60, 3, 1, 0.0175, 1.1},
	{30, 3, 40, 0.0125, 1.1},
	{60, 3, 40, 0.015, 1.1},
	{87, 3, 40, 0.0175, 1.1},
	{60, 3, 1000, 0.0125, 1.1},
	{87, 3, 1000, 0.015, 1.1},
}

// BenchmarkErrorRates prints the tables of docs/regressions.md.
func BenchmarkErrorRates(b *testing.B) {
	for b.Loop() {
		falseAlarmTable(slices.Concat(noises, recordedNoises(b, append(standIns, "disk")...), []noiseModel{worse}))
		powerTable()
		waitTable(60)
		waitTable(leastBefore)
	}
}

// BenchmarkFind is a pass over the largest history: 90 points of 1,024 cases with 3 figures each, one of which changed.
func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	h := &history.History{}
	for i := range 90 {
		p := history.Point{Time: firstDay.AddDate(0, 0, i), UID: strconv.Itoa(i)}
		for c := range history.MaxCases {
			m := history.Measured{Case: history.Case{Workload: strconv.Itoa(c)}}
			for _, metric := range []history.Metric{history.ReadIOPS, history.ReadP50, history.ReadP99} {
				level := 1e6 * (1 + 0.02*r.NormFloat64())
				if c == 0 && i > 60 {
					level *= 1.5
				}
				m.Figures = append(m.Figures, history.Figure{Metric: metric, Value: int64(level)})
			}
			p.Cases = append(p.Cases, m)
		}
		h.Add(p, 90)
	}
	b.ReportAllocs()
	for b.Loop() {
		if found := Find(h, Options{}); len(found.Findings) != 3 {
			b.Fatalf("%d findings", len(found.Findings))
		}
	}
}

// falseAlarmTable prints shares of runs of a schedule. Of many figures they are bounded by the sum over the figures.
func falseAlarmTable(models []noiseModel) {
	fmt.Printf("\n| noise from run to run | worse: 1 figure | 10 | 40 | newly worse: 1 figure | 10 | 40 |\n|---|---|---|---|---|---|---|\n")
	for _, m := range models {
		var worse, newly []string
		for _, figures := range []int{1, 10, 40} {
			open, news, runs := falsely(m, alphaOf(figures), 8000)
			per := 100 * float64(figures) / float64(runs)
			worse, newly = append(worse, fmt.Sprintf("%.2f %%", per*float64(open))), append(newly, fmt.Sprintf("%.2f %%", per*float64(news)))
		}
		fmt.Printf("| %s | %s | %s |\n", m.name, strings.Join(worse, " | "), strings.Join(newly, " | "))
	}
}

// powerTable prints how often a change of 10 % is found in its third run.
func powerTable() {
	variations := []float64{0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.0175, 0.02, 0.025, 0.03}
	for _, m := range slices.Concat(noises, []noiseModel{worse}) {
		fmt.Printf("\n%s\n\n| runs before | figures |", m.name)
		for _, v := range variations {
			fmt.Printf(" CV %.2f %% |", 100*v)
		}
		fmt.Println("\n|---|---|---|---|---|---|---|---|---|---|---|---|")
		for _, before := range []int{leastBefore, 30, 60, 87} {
			for _, figures := range []int{1, 40, 1000} {
				fmt.Printf("| %d | %d |", before, figures)
				for _, v := range variations {
					fmt.Printf(" %.1f %% |", 100*slowdown{before, leastAfter, figures, v, 1.1}.found(m, 500))
				}
				fmt.Println()
			}
		}
	}
}

// waitTable prints in which run after it, and after so many runs, a change is found in 95 % of cases.
func waitTable(before int) {
	variations := []float64{0.01, 0.02, 0.03, 0.05, 0.1}
	fmt.Printf("\n%d runs before\n\n| latency rises by |", before)
	for _, v := range variations {
		fmt.Printf(" CV %.0f %% |", 100*v)
	}
	fmt.Println("\n|---|---|---|---|---|---|")
	for _, ratio := range []float64{1.1, 1.2, 1.5, 2} {
		fmt.Printf("| %.0f %% |", 100*(ratio-1))
		for _, v := range variations {
			fmt.Printf(" %s |", waitFor(before, v, ratio))
		}
		fmt.Println()
	}
}

// waitFor returns the first run in which a change is found in 95 % of cases, with noise that is like that of the run before.
func waitFor(before int, variation, ratio float64) string {
	for _, after := range []int{3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40} {
		if (slowdown{before, after, 40, variation, ratio}).found(noises[1], 300) >= 0.95 {
			return strconv.Itoa(after)
		}
	}
	return "over 40"
}
