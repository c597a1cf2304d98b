package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// results are a benchmark's comparisons with the runs that they are made of.
type results struct {
	sb       *v1alpha1.StorageBenchmark
	targets  []target
	baseline string
	cases    []*compared
	// series is what runs did over their time, by their names, and timeCharts how many charts of it there are by now.
	series     map[string]*series.Series
	timeCharts int
}

// compared is a comparison with its name in charts and tables, unique among those of its workload.
type compared struct {
	*v1alpha1.Comparison
	label string
	// occurrence counts the comparisons of sections that share a name, as fio allows, from 0.
	occurrence int
}

// newResults names what is in a benchmark's status.
func newResults(sb *v1alpha1.StorageBenchmark) *results {
	r := &results{sb: sb, baseline: plan.Baseline(&sb.Spec)}
	for i := range sb.Spec.Targets {
		r.targets = append(r.targets, target{Name: sb.Spec.Targets[i].Name, Index: i})
	}
	seen := map[string]int{}
	for i := range sb.Status.Comparisons {
		c := &compared{Comparison: &sb.Status.Comparisons[i]}
		c.label = strings.TrimSpace(c.Section + " " + wording.Parameters(c.Parameters))
		key := c.Workload + " " + c.label
		if c.occurrence = seen[key]; c.occurrence > 0 {
			c.label = fmt.Sprintf("%s (%d)", c.label, c.occurrence+1)
		}
		seen[key]++
		r.cases = append(r.cases, c)
	}
	return r
}

// names returns the names of all targets in their order.
func (r *results) names() []string {
	var names []string
	for _, t := range r.targets {
		names = append(names, t.Name)
	}
	return names
}

// target returns how a target is shown, also one that the spec does not name.
func (r *results) target(name string) target {
	for _, t := range r.targets {
		if t.Name == name {
			return t
		}
	}
	return target{Name: name, Index: len(r.targets)}
}

// of returns the comparisons of a workload.
func (r *results) of(workload string) []*compared {
	return slices.DeleteFunc(slices.Clone(r.cases), func(c *compared) bool { return c.Workload != workload })
}

// outcomes returns the results of a target's repetitions that a comparison is made of.
func (r *results) outcomes(c *compared, target string) []cases.Outcome {
	return cases.Outcomes(r.sb.Status.Runs, c.Comparison, target, c.occurrence)
}

// direction is a direction of I/O.
type direction struct{ name, title string }

// syncs are the calls of fsync, fdatasync and the like, which have latencies but no rate.
var syncs = direction{"sync", "Syncs"}

// operations are those on files and directories themselves, which have a rate and latencies, but move no bytes.
var operations = direction{"metadata", "Metadata operations"}

// measured are what latencies are shown of.
var measured = append(slices.Clone(directions), syncs, operations)

// directions are all that fio has.
var directions = []direction{{v1alpha1.OperationRead, "Reads"}, {v1alpha1.OperationWrite, "Writes"}, {v1alpha1.OperationTrim, "Trims"}}
