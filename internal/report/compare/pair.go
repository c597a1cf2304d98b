// Package compare puts two benchmarks beside each other, such as of storage before and after a change.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Pair is two benchmarks beside each other, such as of storage before and after a change.
type Pair struct {
	// Benchmarks are the baseline and the one that is compared with it, and Labels what they are called.
	Benchmarks [2]*v1alpha1.StorageBenchmark
	Labels     [2]string
	// Both is what both have results of, the baseline's target first in each comparison.
	Both []v1alpha1.Comparison
	// Only is what one has results of and the other has not.
	Only [2][]v1alpha1.Comparison
}

// NameParameters calls the parameters of a benchmark's runs by one name for each option: that of its field, or else fio's own. Of two benchmarks
// that are compared one may have bs in its matrix, and the other blocksize.
func NameParameters(sb *v1alpha1.StorageBenchmark) {
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		named := make(map[string]string, len(run.Parameters))
		for name, value := range run.Parameters {
			named[fio.FieldName(fio.Canonical(name))] = value
		}
		run.Parameters = named
	}
}

// Validate returns an error that says what each benchmark has if there is nothing to compare.
func (p *Pair) Validate() error {
	if len(p.Both) > 0 {
		return nil
	}
	var has []string
	for i, only := range p.Only {
		var names []string
		for j := range only {
			names = append(names, caseOf(&only[j]))
		}
		what := "no results"
		if len(names) > 0 {
			what = humanize.Few(names, 8)
		}
		has = append(has, fmt.Sprintf("%s has %s", p.Labels[i], what))
	}
	return fmt.Errorf("nothing to compare: %s; both need results of the same workload, parameters and target name (the name does not matter if each has one target)",
		strings.Join(has, ", and "))
}

// caseOf names what is compared and its only target, such as "randwrite bs=16k on gp3".
func caseOf(c *v1alpha1.Comparison) string {
	return strings.TrimSpace(cases.Name(c)+" "+wording.Parameters(c.Parameters)) + " on " + c.Targets[0].Name
}

// WithoutCounterpart says what only one of the benchmarks has.
func (p *Pair) WithoutCounterpart() []string {
	var lines []string
	for i, only := range p.Only {
		for j := range only {
			lines = append(lines, fmt.Sprintf("Only in %s: %s", p.Labels[i], caseOf(&only[j])))
		}
	}
	return lines
}

// Sentence says a difference.
func (p *Pair) Sentence(d Difference) string {
	if d.Baseline == "" && d.Other == "" {
		return d.What
	}
	return fmt.Sprintf("%s (%s in %s, %s in %s)", d.What, d.Baseline, p.Labels[0], d.Other, p.Labels[1])
}

// Slower returns what of the second benchmark is slower than of the first, such as "randwrite bs=16k on gp3: write".
func (p *Pair) Slower() []string {
	return p.subjects(v1alpha1.VerdictSlower)
}

// Unknown returns what could be slower as well, for all that is known: too few runs or too much noise to tell, results that one of
// the two lacks, and benchmarks that have not measured all.
func (p *Pair) Unknown() []string {
	return append(p.subjects(v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictNotShown), p.Missing()...)
}

// subjects returns what the rows with one of the verdicts are about.
func (p *Pair) subjects(verdicts ...v1alpha1.Verdict) []string {
	var subjects []string
	for _, j := range p.Judged() {
		if slices.Contains(verdicts, j.Worst()) {
			subjects = append(subjects, j.Subject)
		}
	}
	return subjects
}

// Missing says what there is no verdict on.
func (p *Pair) Missing() []string {
	missing := p.WithoutCounterpart()
	for i, sb := range p.Benchmarks {
		if text := incomplete(&sb.Status, p.Labels[i]); text != "" {
			missing = append(missing, text)
		}
		if len(sb.Status.Conditions) > 0 && !sb.Status.HasEnded() {
			missing = append(missing, p.Labels[i]+" has not ended")
		}
	}
	return missing
}

// Judged returns the figures that have a verdict.
func (p *Pair) Judged() []JudgedFigures {
	var all []JudgedFigures
	for i := range p.Both {
		c := &p.Both[i]
		t := &c.Targets[1]
		of := strings.TrimSpace(humanize.Line(cases.Name(c)) + " " + humanize.Line(wording.Parameters(c.Parameters)))
		for j := range t.Figures {
			if f := &t.Figures[j]; f.Verdict() != "" {
				all = append(all, JudgedFigures{wording.Harmless(of + " on " + t.Name + ": " + f.Name), f})
			}
		}
	}
	return all
}

// JudgedFigures are figures of the second benchmark that have a verdict.
type JudgedFigures struct {
	// subject names them, such as "randwrite bs=16k on gp3: write".
	Subject string
	figures *v1alpha1.FiguresComparison
}

// Worst returns the verdict, which is Slower also if a latency is.
func (j *JudgedFigures) Worst() v1alpha1.Verdict {
	f := j.figures
	for _, latency := range []*v1alpha1.Statistic{f.MeanNanoseconds, f.P50Nanoseconds, f.P90Nanoseconds, f.P99Nanoseconds} {
		if latency != nil && latency.Verdict == v1alpha1.VerdictSlower {
			return v1alpha1.VerdictSlower
		}
	}
	return f.Verdict()
}

// InWords tells how the figures compare with those of the first benchmark.
func (j *JudgedFigures) InWords() string {
	text := string(j.Worst())
	if iops := j.figures.MilliIOPS; iops != nil && iops.Median > 0 {
		text = fmt.Sprintf("%s: %s IOPS", text, wording.IOPS(iops.Median))
	}
	if j.figures.MilliIOPS.Multiple() != "" {
		text += fmt.Sprintf(", %sx", j.figures.MilliIOPS.Multiple())
	}
	if j.figures.P99Nanoseconds.Multiple() != "" {
		text += fmt.Sprintf(", p99 %sx", j.figures.P99Nanoseconds.Multiple())
	}
	return text
}
