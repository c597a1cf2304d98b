package html

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// card says of a target, to someone who reads nothing else, how it does.
type card struct {
	Target target
	// Kind is what the target is, such as EBS gp3, 30Gi.
	Kind string
	// Role is what Figure is: a multiple of the baseline's IOPS or latency, or the most IOPS.
	Role, Figure string
	// Verdict is a sentence, Class one of style.css for it.
	Verdict, Class string
	// Peak is the most that was measured, Bound what held results back.
	Peak, Bound string
}

// cards returns a card for each target that has results.
func (r *results) cards() []card {
	var all []card
	for i := range r.sb.Spec.Targets {
		spec := &r.sb.Spec.Targets[i]
		t := r.target(spec.Name)
		beside := r.beside(t.Name)
		peak := r.peak(t.Name)
		if peak.milliIOPS == 0 && peak.bandwidth == 0 {
			continue
		}
		c := card{Target: t, Kind: wording.Storage(spec), Peak: peak.String(), Bound: r.boundsOf(t.Name)}
		if len(beside) > 0 {
			c.Role, c.Figure = ratios(beside, r.baseline)
			c.Verdict, c.Class = judge(beside, r.baseline)
		}
		if c.Figure == "" {
			c.Role, c.Figure, c.Peak = "most IOPS", wording.IOPS(peak.milliIOPS), peak.besideIOPS()
		}
		if len(beside) == 0 && t.Name == r.baseline && len(r.sb.Spec.Targets) > 1 {
			c.Verdict = "The baseline: others are compared with it."
		}
		all = append(all, c)
	}
	return all
}

// judged is how a target does beside the baseline in one comparison: of all directions together, where there are several, or of syncs.
type judged struct {
	// ratio is empty where the verdict is on what is only known to be beyond fio's histogram.
	ratio   string
	verdict v1alpha1.Verdict
	// byLatency says whether both are of a latency: that of syncs, or of a direction where all did the rate that the workload asks for.
	byLatency bool
}

// beside returns how a target does beside the baseline, in all comparisons with it. Syncs count on their own: writes can be faster, and what waits for
// them slower.
func (r *results) beside(target string) []judged {
	var all []judged
	for _, c := range r.cases {
		for i := range c.Targets {
			t := &c.Targets[i]
			if t.Name != target {
				continue
			}
			total := t.Of(v1alpha1.OperationTotal)
			for i := range t.Figures {
				f := &t.Figures[i]
				isPart := v1alpha1.IsData(f.Name) && total != nil && total.Verdict() != ""
				if isPart || f == total && total.Verdict() == "" {
					continue
				}
				all = append(all, judged{f.Judged().Multiple(), f.Verdict(), f.Name == v1alpha1.OperationSync || f.JudgedBy != ""})
			}
		}
	}
	return slices.DeleteFunc(all, func(j judged) bool { return j.ratio == "" && j.verdict == "" })
}

// ratios returns what a card shows of the ratios, and what that is: those of IOPS, or of latencies if there are no others or these alone differ; nothing if
// there are none.
func ratios(all []judged, baseline string) (role, figure string) {
	all = slices.DeleteFunc(slices.Clone(all), func(j judged) bool { return j.ratio == "" })
	ofIOPS := slices.DeleteFunc(slices.Clone(all), func(j judged) bool { return j.byLatency })
	switch {
	case len(all) == 0:
		return "", ""
	case len(ofIOPS) == 0:
		return "latency against " + baseline, ratioRange(all)
	case !differ(ofIOPS) && differ(all):
		return "latency against " + baseline, ratioRange(slices.DeleteFunc(all, func(j judged) bool { return !j.byLatency }))
	}
	return "IOPS against " + baseline, ratioRange(ofIOPS)
}

// differ says whether one of them is faster or slower.
func differ(all []judged) bool {
	return slices.ContainsFunc(all, func(j judged) bool { return j.verdict == v1alpha1.VerdictFaster || j.verdict == v1alpha1.VerdictSlower })
}

// ratioRange prints the least and the greatest of the ratios, such as 0.51–0.81x.
func ratioRange(all []judged) string {
	byNumber := func(a, b judged) int { return cmp.Compare(parseRatio(a.ratio), parseRatio(b.ratio)) }
	least, greatest := slices.MinFunc(all, byNumber).ratio, slices.MaxFunc(all, byNumber).ratio
	if least == greatest {
		return least + "x"
	}
	return least + "–" + greatest + "x"
}

// parseRatio returns a ratio as a number, 0 if it is none.
func parseRatio(ratio string) float64 {
	f, err := strconv.ParseFloat(ratio, 64)
	if err != nil {
		return 0
	}
	return f
}

// judge says in one sentence how a target does beside the baseline, and with which class.
func judge(all []judged, baseline string) (verdict, class string) {
	counts := map[v1alpha1.Verdict]int{}
	for _, j := range all {
		counts[j.verdict]++
	}
	for v, words := range verdictSentences {
		if counts[v] == len(all) {
			return fmt.Sprintf(words, baseline, everywhere(len(all))), verdictClasses[v]
		}
	}
	var parts []string
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictSame, v1alpha1.VerdictNotShown, v1alpha1.VerdictTooFewRuns} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", mixedWords[v], counts[v]))
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	return wording.Upper(strings.Join(parts, ", ")) + " of " + humanize.Plural(len(all), "comparison") + " with " + baseline + ".", "mixed"
}

// everywhere prints a number of comparisons that are all there are.
func everywhere(comparisons int) string {
	switch comparisons {
	case 1:
		return "the only comparison"
	case 2:
		return "both comparisons"
	default:
		return "all " + humanize.Plural(comparisons, "comparison")
	}
}

// verdictSentences are verdicts that are the same everywhere, of the baseline and the comparisons.
var verdictSentences = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictFaster:     "Faster than %s in %s.",
	v1alpha1.VerdictSlower:     "Slower than %s in %s.",
	v1alpha1.VerdictSame:       "The same as %s, within 5 %%, in %s.",
	v1alpha1.VerdictNotShown:   "No difference to %s is shown, and none is excluded, in %s.",
	v1alpha1.VerdictTooFewRuns: "Too few repetitions to tell it from %s: the difference can be chance in %s.",
}

// mixedWords are verdicts that are not the same everywhere.
var mixedWords = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictFaster:     "faster",
	v1alpha1.VerdictSlower:     "slower",
	v1alpha1.VerdictSame:       "the same",
	v1alpha1.VerdictNotShown:   "without a difference that is shown",
	v1alpha1.VerdictTooFewRuns: "undecided for want of repetitions",
}

// most is the most that a target did.
type most struct{ milliIOPS, bandwidth int64 }

// String is such as "up to 3,000 IOPS, 46.9 MiB/s"; without bandwidth of operations on files, which move no bytes.
func (m most) String() string {
	words := "up to " + wording.IOPS(m.milliIOPS) + " IOPS"
	if m.bandwidth > 0 {
		words += ", " + wording.Bandwidth(m.bandwidth)
	}
	return words
}

// besideIOPS is what is said where the IOPS are said already.
func (m most) besideIOPS() string {
	if m.bandwidth == 0 {
		return "operations on files"
	}
	return "up to " + wording.Bandwidth(m.bandwidth)
}

// peak returns the most IOPS and the most bandwidth of a target, which may be of different comparisons.
func (r *results) peak(target string) most {
	var m most
	for _, c := range r.cases {
		for i := range c.Targets {
			t := &c.Targets[i]
			if t.Name != target {
				continue
			}
			for i := range t.Figures {
				if s := t.Figures[i].MilliIOPS; s != nil {
					m.milliIOPS = max(m.milliIOPS, s.Median)
				}
				if s := t.Figures[i].BytesPerSecond; s != nil {
					m.bandwidth = max(m.bandwidth, s.Median)
				}
			}
		}
	}
	return m
}

// boundsOf says what held a target's results back and how many of them, the most frequent first.
func (r *results) boundsOf(target string) string {
	counts := map[string]int{}
	all := 0
	for _, c := range r.cases {
		for _, bound := range cases.Bounds(r.outcomes(c, target)) {
			all++
			if bound != nil {
				counts[bound.Reason]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, name := range names {
		of := ""
		if i == 0 {
			of = " of " + humanize.Plural(all, "result")
		}
		parts = append(parts, fmt.Sprintf("%s in %d%s", wording.Bound(name), counts[name], of))
	}
	return strings.Join(parts, ", ")
}
