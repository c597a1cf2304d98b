package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// outlierLevel is how probable it may be by chance, among all runs of all verdicts, that one of them is as far off as the
// one that is left out. So no more than 1 % of benchmarks whose runs vary alike say that one run hides a difference.
const outlierLevel = 0.01

// oneRun is a run without which a verdict would be another one.
type oneRun struct {
	repetition   int32
	isOfBaseline bool
	verdict      v1alpha1.Verdict
}

func (o *oneRun) text(operation string) string {
	of := ""
	if o.isOfBaseline {
		of = " of the baseline"
	}
	return fmt.Sprintf("one run hides a difference: without repetition %d%s, which is far off, the verdict on %s is %s instead of %s",
		o.repetition, of, operation, o.verdict, v1alpha1.VerdictNotShown)
}

// side are the values of a target, and the repetitions that measured them.
type side struct {
	values      []int64
	repetitions []int32
}

// without leaves out a value.
func (s side) without(i int) []int64 { return slices.Delete(slices.Clone(s.values), i, i+1) }

// hiding returns the run that hides a difference, nil if none does: it is far off from the others of its target, and
// without it there is a verdict at a level of significance. among is how many verdicts the benchmark has.
func (m *member) hiding(level float64, among int) *oneRun {
	if m.statistic.Verdict != v1alpha1.VerdictNotShown || len(m.contrast.ratios) == 0 {
		return nil
	}
	y := m.contrast.yardstick
	chance := outlierLevel / float64(among*(len(m.own.values)+len(m.base.values)))
	for n, s := range []side{m.own, m.base} {
		isBaseline := n == 1
		i := farthest(s.values)
		if len(s.values) <= minRuns || !y.isFarOff(s, i, chance) {
			continue
		}
		own, base := s.without(i), m.base.values
		if isBaseline {
			own, base = m.own.values, s.without(i)
		}
		c := contrastOf(own, base, y, m.depend)
		if v := c.verdict(c.p * significance / level); v == v1alpha1.VerdictFaster || v == v1alpha1.VerdictSlower {
			return &oneRun{repetition: s.repetitions[i], isOfBaseline: isBaseline, verdict: v}
		}
	}
	return nil
}

// farthest returns which value is farthest from the median, as a ratio.
func farthest(values []int64) int {
	logarithms := logarithmsOf(values)
	level, at, most := logarithms[len(logarithms)/2], 0, -1.0
	for i, v := range values {
		if off := math.Abs(math.Log(float64(v)) - level); off > most {
			at, most = i, off
		}
	}
	return at
}

// isFarOff reports whether a value is so far from the others of its side as it is by chance with at most a probability.
func (y yardstick) isFarOff(s side, i int, probability float64) bool {
	others := momentsOf(s.without(i), y.leastDeviation())
	// The variance of one more value from the mean of the others: n variances of that mean, and itself.
	deviation := math.Sqrt(others.variance * (others.freedom + 2))
	return beyond(math.Abs(math.Log(float64(s.values[i]))-others.mean)/deviation, others.freedom) <= probability
}

// warnOfHiding adds a warning to each target on which one run hides a difference.
func (f *family) warnOfHiding(comparisons []v1alpha1.Comparison) {
	for i := range comparisons {
		for j := range comparisons[i].Targets {
			t := &comparisons[i].Targets[j]
			for k := range t.Figures {
				if one := f.hiding[t.Figures[k].Judged()]; one != nil {
					t.Warnings = append(t.Warnings, v1alpha1.Warning{
						Reason: v1alpha1.WarningOneRun, Message: one.text(t.Figures[k].Name),
					})
					break
				}
			}
		}
	}
}
