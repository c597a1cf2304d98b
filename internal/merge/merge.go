// Package merge makes one result of what several clients measured at the same time: what fio would say of them
// together, and how they differ. It is pure, and the order of the clients does not matter.
package merge

import (
	"math"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
)

// Merged is what several clients measured together.
type Merged struct {
	// Report says of all clients what a report says of one. Its I/Os, bytes and rates are sums, each client's
	// rate being over the client's own time; ElapsedMilliseconds is the longest. Latencies are those of all I/Os
	// together: nil where a client that did such I/O has none, as a part must not stand for all. Percentiles
	// come from the merged histogram, never from the clients' percentiles; where a client's was made coarser
	// all are (Report.Coarsening), and a percentile is off by at most 2^(Coarsening-1)/64 of itself.
	Report digest.Report
	// Groups are the report's groups in the same order: how the clients differ in each.
	Groups []Group
}

// Reports merges the reports of the clients of one run, as digest.Decode returns them, without changing them;
// what it returns may share memory with them. Sums that do not fit become the largest int64. The report of a
// single client stays as it is. It is an error, which names the client by its index, if a report is missing, or
// tells of another fio or of other groups than the first.
func Reports(reports []*digest.Report) (*Merged, error) {
	if err := checkAlike(reports); err != nil {
		return nil, err
	}
	merged := &Merged{Report: *reports[0]}
	if len(reports) > 1 {
		merged.Report = mergeReports(reports)
	}
	for i := range reports[0].Groups {
		merged.Groups = append(merged.Groups, compareGroups(groupsAt(reports, i)))
	}
	return merged, nil
}

func mergeReports(reports []*digest.Report) digest.Report {
	merged := digest.Report{FioVersion: reports[0].FioVersion, Environment: mergeEnvironments(reports)}
	for _, r := range reports {
		merged.Coarsening = max(merged.Coarsening, r.Coarsening)
	}
	for i := range reports[0].Groups {
		merged.Groups = append(merged.Groups, mergeGroups(groupsAt(reports, i), int(merged.Coarsening)))
	}
	return merged
}

// groupsAt returns the i-th group of each report.
func groupsAt(reports []*digest.Report, i int) []*digest.Group {
	groups := make([]*digest.Group, len(reports))
	for client, r := range reports {
		groups[client] = &r.Groups[i]
	}
	return groups
}

// mergeEnvironments adds the machines up. What is not known of one is not known of all, but for a limit of CPU
// time, which not every client need have. Shares are those of the client that has most.
func mergeEnvironments(reports []*digest.Report) digest.Environment {
	all := make([]*digest.Environment, len(reports))
	for i, r := range reports {
		all[i] = &r.Environment
	}
	return digest.Environment{
		CPUMillis:               sumOfKnown(all, func(e *digest.Environment) int64 { return e.CPUMillis }),
		MemoryBytes:             sumOfKnown(all, func(e *digest.Environment) int64 { return e.MemoryBytes }),
		Periods:                 sum(all, func(e *digest.Environment) int64 { return e.Periods }),
		ThrottledPeriods:        sum(all, func(e *digest.Environment) int64 { return e.ThrottledPeriods }),
		Files:                   sum(all, func(e *digest.Environment) int64 { return e.Files }),
		SparseFiles:             sum(all, func(e *digest.Environment) int64 { return e.SparseFiles }),
		StartMarginMilliseconds: least(all, func(e *digest.Environment) int64 { return e.StartMarginMilliseconds }),
		StealPermille:           greatest(all, func(e *digest.Environment) int64 { return e.StealPermille }),
		UsedPermille:            greatest(all, func(e *digest.Environment) int64 { return e.UsedPermille }),
		UsedInodesPermille:      greatest(all, func(e *digest.Environment) int64 { return e.UsedInodesPermille }),
		BusiestJobPermille:      greatest(all, func(e *digest.Environment) int64 { return e.BusiestJobPermille }),
		Counters:                sumOfCounters(all),
		Exceeded:                sumOfExceeded(all),
		Node:                    busiestNode(all),
		Volume:                  sumOfVolumes(all),
	}
}

// sumOfCounters is nil unless all clients have counters, of one kind.
func sumOfCounters(all []*digest.Environment) *digest.Counters {
	sum := &digest.Counters{}
	for i, e := range all {
		if e.Counters == nil || i > 0 && e.Counters.NFS != sum.NFS {
			return nil
		}
		sum.NFS = e.Counters.NFS
		addAll(sum.Figures(), e.Counters.Figures())
	}
	return sum
}

// sumOfExceeded is nil unless EBS has answered all clients.
func sumOfExceeded(all []*digest.Environment) *digest.Exceeded {
	sum := &digest.Exceeded{}
	for _, e := range all {
		if e.Exceeded == nil {
			return nil
		}
		addAll(sum.Figures(), e.Exceeded.Figures())
	}
	return sum
}

func addAll(totals, figures []*int64) {
	for i, total := range totals {
		*total = add(*total, *figures[i])
	}
}

// mergeGroups merges groups whose histograms are, or are made, coarser by as many bits.
func mergeGroups(groups []*digest.Group, coarsening int) digest.Group {
	elapsed := func(g *digest.Group) int64 { return g.ElapsedMilliseconds }
	return digest.Group{
		Name:                groups[0].Name,
		JobStart:            earliestStart(groups),
		ElapsedMilliseconds: greatest(groups, elapsed),
		UserPercent:         weightedMean(groups, func(g *digest.Group) int64 { return g.UserPercent }, elapsed),
		SystemPercent:       weightedMean(groups, func(g *digest.Group) int64 { return g.SystemPercent }, elapsed),
		Read:                mergeDirections(directions(groups, direction.Read), coarsening),
		Write:               mergeDirections(directions(groups, direction.Write), coarsening),
		Trim:                mergeDirections(directions(groups, direction.Trim), coarsening),
		Sync:                mergeSyncs(groups, coarsening),
		Metadata:            mergeMetadata(groups, coarsening),
		LatencyTarget:       leastLatencyTarget(groups),
	}
}

// mergeSyncs returns what was measured of the syncs of all clients that had some, nil if none had.
func mergeSyncs(groups []*digest.Group, coarsening int) *digest.Sync {
	var syncs []*digest.Sync
	var completions []*digest.Completion
	for _, g := range groups {
		if g.Sync != nil {
			syncs, completions = append(syncs, g.Sync), append(completions, g.Sync.Completion)
		}
	}
	if len(syncs) == 0 {
		return nil
	}
	count := func(s *digest.Sync) int64 { return s.Count }
	return &digest.Sync{
		Count:      sum(syncs, count),
		Mean:       weightedMean(syncs, func(s *digest.Sync) int64 { return s.Mean }, count),
		Completion: mergeCompletions(completions, coarsening),
	}
}

// directions returns one direction of the clients that have it: the others did no such I/O.
func directions(groups []*digest.Group, name string) []*digest.Direction {
	var present []*digest.Direction
	for _, g := range groups {
		if d := g.Direction(name); d != nil {
			present = append(present, d)
		}
	}
	return present
}

func mergeDirections(all []*digest.Direction, coarsening int) *digest.Direction {
	if len(all) == 0 {
		return nil
	}
	completions := make([]*digest.Completion, len(all))
	for i, d := range all {
		completions[i] = d.Completion
	}
	return &digest.Direction{
		IOs:            sum(all, func(d *digest.Direction) int64 { return d.IOs }),
		Bytes:          sum(all, func(d *digest.Direction) int64 { return d.Bytes }),
		ShortIOs:       sum(all, func(d *digest.Direction) int64 { return d.ShortIOs }),
		DroppedIOs:     sum(all, func(d *digest.Direction) int64 { return d.DroppedIOs }),
		MilliIOPS:      sum(all, milliIOPS),
		BytesPerSecond: sum(all, func(d *digest.Direction) int64 { return d.BytesPerSecond }),
		Latency:        mergeLatencies(all),
		Completion:     mergeCompletions(completions, coarsening),
		Submission: weightedMean(all, func(d *digest.Direction) int64 { return d.Submission },
			func(d *digest.Direction) int64 { return d.IOs }),
	}
}

func milliIOPS(d *digest.Direction) int64 { return d.MilliIOPS }

// mergeCompletions returns nil if one of them has no histogram.
func mergeCompletions(all []*digest.Completion, coarsening int) *digest.Completion {
	merged := &histogram.Histogram{}
	lowest, highest := int64(math.MaxInt64), int64(0)
	for _, c := range all {
		if c == nil || c.Histogram == nil {
			return nil
		}
		lowest, highest = min(lowest, c.Min), max(highest, c.Max)
		if coarsening == 0 {
			merged.Merge(c.Histogram)
		} else {
			merged.Merge(c.Histogram.Coarsen(coarsening))
		}
	}
	return digest.NewCompletion(lowest, highest, merged)
}
