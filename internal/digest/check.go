package digest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/histogram"
)

// maxJobStart is the end of the year 9999, the last that the API can write.
const maxJobStart = 253_402_300_799_999

// checkExtent refuses a report that has not as many results and figures as can be.
func checkExtent(r *Report) error {
	if len(r.Groups) == 0 {
		return errors.New("report without a result")
	}
	if len(r.Groups) > MaxGroups {
		return fmt.Errorf("report with %d result groups: at most %d are possible", len(r.Groups), MaxGroups)
	}
	for i := range r.Groups {
		if n := len(r.Groups[i].Figures); n > maxFigures {
			return fmt.Errorf("report: result group %d: figures of %d operations: at most %d are possible", i, n, maxFigures)
		}
	}
	return nil
}

// check refuses a report that the API could not hold or that no fio can have made.
func check(r *Report) error {
	if err := checkExtent(r); err != nil {
		return err
	}
	if !plausibleText(r.Pod) {
		return errors.New("report of an impossible pod")
	}
	if !plausibleText(r.FioVersion) {
		return errors.New("report with an impossible fio version")
	}
	if !within(r.Coarsening, 0, histogram.MaxCoarsening) {
		return fmt.Errorf("report with buckets made coarser by %d bits: at most %d are possible", r.Coarsening, histogram.MaxCoarsening)
	}
	for i := range r.Groups {
		if err := checkGroup(&r.Groups[i]); err != nil {
			return fmt.Errorf("report: result group %d: %w", i, err)
		}
	}
	if r.LacksProbe && r.Probe != nil {
		return errors.New("report with a probe that says that it has none")
	}
	if err := checkProbe(r.Probe); err != nil {
		return err
	}
	if err := checkSteady(r.Steady); err != nil {
		return err
	}
	return checkEnvironment(&r.Environment)
}

const (
	// maxRounds is the most rounds that a window has, and maxRoundRate bounds their rates, so that those of all clients can be added up.
	maxRounds    = 16
	maxRoundRate = 1 << 50
)

func checkSteady(s *Steady) error {
	if s == nil {
		return nil
	}
	if s.AfterMilliseconds < 0 || len(s.Rounds) > maxRounds {
		return fmt.Errorf("report: %d rounds, %d ms after the start", len(s.Rounds), s.AfterMilliseconds)
	}
	for _, rate := range s.Rounds {
		if !within(rate, 0, maxRoundRate) {
			return fmt.Errorf("report: impossible rate %d of a round", rate)
		}
	}
	return nil
}

func checkProbe(p *Probe) error {
	if p == nil {
		return nil
	}
	if p.Figures.Name != v1alpha1.OperationTotal {
		return fmt.Errorf("report: probe of %q", p.Figures.Name)
	}
	if err := checkFigures(&p.Figures); err != nil {
		return fmt.Errorf("report: probe: %w", err)
	}
	if !within(p.CPUPercent, 0, 2*maxCPUPercent) {
		return fmt.Errorf("report: probe: impossible CPU time %d %%", p.CPUPercent)
	}
	return nil
}

// maxCPUPercent bounds a job's share of CPU time. fio's can exceed 100 a little by rounding; far more than that is made up.
const maxCPUPercent = 1000

func checkEnvironment(e *Environment) error {
	for _, n := range []int64{
		e.CPUMillis, e.MemoryBytes, e.Periods, e.ThrottledPeriods, e.Files, e.SparseFiles, e.StartMarginMilliseconds,
	} {
		if n < 0 {
			return fmt.Errorf("report: environment: negative figure %d", n)
		}
	}
	for _, n := range []int64{e.StealPermille, e.UsedPermille, e.UsedInodesPermille, e.BusiestJobPermille} {
		if !within(n, 0, 1000) {
			return fmt.Errorf("report: environment: impossible share of %d thousandths", n)
		}
	}
	var counted []*int64
	if e.Counters != nil {
		counted = e.Counters.Figures()
	}
	if e.Exceeded != nil {
		counted = append(counted, e.Exceeded.Figures()...)
	}
	if e.Volume != nil {
		counted = append(counted, e.Volume.Figures()...)
	}
	for _, n := range counted {
		if *n < 0 {
			return fmt.Errorf("report: environment: negative counter %d", *n)
		}
	}
	if e.ThrottledPeriods > e.Periods {
		return fmt.Errorf("report: environment: %d throttled periods of %d", e.ThrottledPeriods, e.Periods)
	}
	if e.SparseFiles > e.Files {
		return fmt.Errorf("report: environment: %d sparse files of %d", e.SparseFiles, e.Files)
	}
	return checkNode(e.Node)
}

func checkGroup(g *Group) error {
	if !plausibleText(g.Name) {
		return errors.New("impossible name")
	}
	if g.ElapsedMilliseconds < 0 || !within(g.UserPercent, 0, maxCPUPercent) || !within(g.SystemPercent, 0, maxCPUPercent) {
		return errors.New("impossible times")
	}
	if !within(g.JobStart, 0, maxJobStart) {
		return fmt.Errorf("impossible start %d", g.JobStart)
	}
	if s := g.Steady; s != nil && (len(s.Criterion) > MaxCriterion || !plausibleText(s.Criterion)) {
		return errors.New("impossible criterion of a steady state")
	}
	if t := g.LatencyTarget; t != nil && (t.Nanoseconds < 1 || !within(t.Depth, 1, maxDepth)) {
		return fmt.Errorf("impossible latency target %+v", *t)
	}
	for i := range g.Figures {
		f := &g.Figures[i]
		if err := checkOperation(g.Figures[:i], f.Name); err != nil {
			return err
		}
		if err := checkFigures(f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// maxDepth is the most I/Os that a job can have in flight.
const maxDepth = 65536

// checkOperation refuses figures of an operation that are not behind those before it.
func checkOperation(before []Figures, name string) error {
	if i := len(before) - 1; i >= 0 && v1alpha1.CompareOperations(before[i].Name, name) >= 0 {
		return fmt.Errorf("figures of %s behind those of %s", name, before[i].Name)
	}
	return nil
}

func checkFigures(f *Figures) error {
	for _, n := range []int64{f.Count, f.Bytes, f.ShortIOs, f.DroppedIOs, f.MilliIOPS, f.BytesPerSecond} {
		if n < 0 {
			return fmt.Errorf("negative figure %d", n)
		}
	}
	if l := f.Latency; l != nil && (l.MeanNanoseconds < 0 || l.StddevNanoseconds < 0 || l.SubmissionNanoseconds < 0) {
		return errors.New("negative latency")
	}
	if f.Latency != nil && f.LatencyCount < 1 {
		return fmt.Errorf("latency of %d operations", f.LatencyCount)
	}
	if d := f.CompletionLatency; d != nil {
		return checkDistribution(d)
	}
	return nil
}

func checkDistribution(d *v1alpha1.LatencyDistribution) error {
	last := int64(0)
	for _, percentile := range d.Percentiles() {
		if *percentile < last {
			return errors.New("completion latencies that do not rise with the percentile")
		}
		last = *percentile
	}
	if d.MinNanoseconds < 0 || d.MaxNanoseconds < d.MinNanoseconds {
		return errors.New("completion latencies whose minimum and maximum are impossible")
	}
	return nil
}

func within(n, low, high int64) bool { return low <= n && n <= high }

// plausibleText is false of what does not fit, or is not fit to be shown.
func plausibleText(s string) bool {
	return len(s) <= MaxNameLength && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
