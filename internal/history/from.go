package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// maxName bounds all names and versions in a point, in bytes. Matrix values can be longer, all together.
	maxName = 253
	// maxListed is the most nodes, zones or types that a point names.
	maxListed = 8
)

// FromBenchmark returns the point of a finished benchmark. What the environment does not say and the status does is taken from there: fio,
// instance type, zone, node and baselines, and which targets a driver has. So the caller gives the rest: operator, images of drivers, StorageClasses,
// and what nodes say of themselves.
func FromBenchmark(sb *v1alpha1.StorageBenchmark, env Environment) Point {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	return Point{
		Time: endOf(sb), Benchmark: sb.Name, UID: string(sb.UID),
		Environment: environmentOf(sb, env),
		Cases:       withSearches(casesOf(sb.Status.Comparisons), &sb.Status),
		Succeeded:   succeeded.Status == metav1.ConditionTrue, Reason: succeeded.Reason,
	}
}

// endOf is when a benchmark ended. One that has no such time is as old as it is itself.
func endOf(sb *v1alpha1.StorageBenchmark) time.Time {
	end := sb.CreationTimestamp
	if sb.Status.CompletionTime != nil {
		end = *sb.Status.CompletionTime
	}
	return end.UTC().Truncate(time.Second)
}

// casesOf returns what comparisons keep. A benchmark with one target has them as well.
func casesOf(comparisons []v1alpha1.Comparison) []Measured {
	var cases []Measured
	seen := map[Case]int{}
	for i := range comparisons {
		c := &comparisons[i]
		for j := range c.Targets {
			key := Case{Workload: c.Workload, Parameters: parametersText(c.Parameters), Section: name(c.Section), Target: c.Targets[j].Name}
			if seen[key]++; seen[key] > 1 {
				key.Section = fmt.Sprintf("%s#%d", key.Section, seen[key])
			}
			cases = append(cases, Measured{Case: key, Figures: figuresOf(&c.Targets[j])})
		}
	}
	return cases
}

// figuresOf returns the figures of a target in the order of the metrics.
func figuresOf(t *v1alpha1.TargetComparison) []Figure {
	var figures []Figure
	add := func(name string, s *v1alpha1.Statistic) {
		if m, isKept := MetricNamed(name); isKept && s != nil {
			figures = append(figures, Figure{Metric: m, Value: min(max(s.Median, 0), m.Most())})
		}
	}
	for i := range t.Figures {
		c := &t.Figures[i]
		add(c.Name+".iops", c.MilliIOPS)
		add(c.Name+".p50", c.P50Nanoseconds)
		add(c.Name+".p99", c.P99Nanoseconds)
	}
	return figures
}

// parametersText prints the choice of a matrix as fio's command line does. What could be taken for another choice is in quotes, and what
// is too long ends in a hash of all of it.
func parametersText(choice map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(choice)) {
		value := choice[name]
		if strings.ContainsAny(value, " =\"") || value != humanize.Line(value) {
			value = strconv.Quote(value)
		}
		parts = append(parts, name+"="+value)
	}
	return shortened(strings.Join(parts, " "))
}

// shortened returns a text that is too long with a hash at its end.
func shortened(text string) string {
	if len(text) <= maxName {
		return text
	}
	const hashBytes = 17 // and a blank
	return humanize.Cut(text, maxName-hashBytes, "") + " " + hashOf(text)
}

// environmentOf adds to an environment what the status says.
func environmentOf(sb *v1alpha1.StorageBenchmark, env Environment) Environment {
	var types, zones, nodes []string
	for i := range sb.Status.Targets {
		for _, v := range sb.Status.Targets[i].Volumes {
			types, zones, nodes = append(types, v.InstanceType), append(zones, v.Zone), append(nodes, v.Node)
		}
	}
	env.Fio = cmp.Or(env.Fio, fioOf(&sb.Status))
	env.InstanceType = cmp.Or(env.InstanceType, joined(types))
	env.Zone = cmp.Or(env.Zone, joined(zones))
	env.Node = cmp.Or(env.Node, joined(nodes))
	env.Drivers = driversOf(sb, env.Drivers)
	env.Baseline = cmp.Or(env.Baseline, BaselineOf(sb, env.Fio, env.InstanceType))
	env.Targets = targetsOf(&sb.Spec)
	env.Classes = withinBudget(env.Classes)
	env.clean()
	return env
}

// clean has all texts and lists of an environment as they are kept. Somebody may have written them.
func (e *Environment) clean() {
	for _, text := range []*string{
		&e.Operator, &e.Fio, &e.Kubelet, &e.Kernel, &e.OSImage, &e.InstanceType, &e.Zone, &e.Node, &e.Baseline,
	} {
		*text = name(*text)
	}
	e.Drivers, e.Targets, e.Classes = first(e.Drivers, maxDrivers), first(e.Targets, maxDrivers), first(e.Classes, maxDrivers)
	for i := range e.Drivers {
		d := &e.Drivers[i]
		d.Name, d.Image, d.Targets = name(d.Name), name(d.Image), names(d.Targets, maxDrivers)
	}
	for i := range e.Targets {
		t := &e.Targets[i]
		t.Target, t.Baseline = name(t.Target), name(t.Baseline)
	}
	for i := range e.Classes {
		c := &e.Classes[i]
		c.Name, c.Parameters, c.Targets = name(c.Name), names(c.Parameters, maxParameters), names(c.Targets, maxDrivers)
	}
}

// maxDrivers is the most drivers of a point, one for each target, of which there are as many.
const maxDrivers = 16

// first returns at most so many of a list.
func first[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// names returns at most so many texts as they are kept.
func names(texts []string, most int) []string {
	var all []string
	for _, text := range first(texts, most) {
		all = append(all, name(text))
	}
	return all
}

// name returns a text as it is kept: printable, in one line, and not too long.
func name(text string) string { return humanize.Line(humanize.Cut(text, maxName, "")) }

// driversOf gives the drivers of the targets the images that are known.
func driversOf(sb *v1alpha1.StorageBenchmark, known []Driver) []Driver {
	targets := map[string][]string{}
	for i := range sb.Status.Targets {
		t := &sb.Status.Targets[i]
		if t.Driver != "" {
			targets[t.Driver] = append(targets[t.Driver], t.Name)
		}
	}
	var drivers []Driver
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		d := Driver{Name: name, Targets: targets[name]}
		slices.Sort(d.Targets)
		if i := slices.IndexFunc(known, func(k Driver) bool { return k.Name == name }); i >= 0 {
			d.Image = known[i].Image
		}
		drivers = append(drivers, d)
	}
	return drivers
}

// fioOf returns the versions of fio that measured.
func fioOf(status *v1alpha1.StorageBenchmarkStatus) string {
	var versions []string
	for i := range status.Runs {
		run := &status.Runs[i]
		if run.Result != nil {
			versions = append(versions, run.Result.FioVersion)
		}
		for j := range run.Sections {
			versions = append(versions, run.Sections[j].FioVersion)
		}
	}
	return joined(versions)
}

// joined lists different values in one text of bounded length.
func joined(values []string) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > maxListed {
		all := strings.Join(values, ", ")
		return shortened(fmt.Sprintf("%s and %d others (%s)", values[0], len(values)-1, hashOf(all)))
	}
	return shortened(strings.Join(values, ", "))
}
