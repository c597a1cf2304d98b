// Package merge makes one result of what several clients measured at the same time: what fio would say of them
// together, and how they differ. It is pure, and the order of the clients does not matter.
package merge

import (
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

// Merged is what several clients measured together.
type Merged struct {
	// Report says of all clients what a report says of one. Its I/Os, bytes and rates are sums, each client's
	// rate being over the client's own time; ElapsedMilliseconds is the longest. PerClient says how the rates of
	// several clients differ. Latencies are those of all I/Os
	// together: nil where a client that did such I/O has none, as a part must not stand for all. Percentiles
	// come from the merged histogram, never from the clients' percentiles; where a client's was made coarser
	// all are (Report.Coarsening), and a percentile is off by at most 2^(Coarsening-1)/64 of itself.
	Report digest.Report
	// Groups are the report's groups in the same order: when the clients measured each.
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
		merged.Groups = append(merged.Groups, timesOf(groupsAt(reports, i)))
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
		Figures:             mergeFigures(groups, coarsening),
		LatencyTarget:       leastLatencyTarget(groups),
	}
}

// mergeFigures returns the figures of each operation that a client has some of.
func mergeFigures(groups []*digest.Group, coarsening int) []digest.Figures {
	var merged []digest.Figures
	for _, operation := range v1alpha1.Operations() {
		if all := figuresOf(groups, operation); len(all) > 0 {
			f := mergeOperation(operation, all, coarsening)
			f.PerClient = spread(groups, operation)
			merged = append(merged, f)
		}
	}
	return merged
}

// figuresOf returns the figures of an operation of the clients that have some: the others did nothing of the kind.
func figuresOf(groups []*digest.Group, operation string) []*digest.Figures {
	var present []*digest.Figures
	for _, g := range groups {
		if f := g.Of(operation); f != nil {
			present = append(present, f)
		}
	}
	return present
}

func mergeOperation(operation string, all []*digest.Figures, coarsening int) digest.Figures {
	merged := digest.Figures{
		Figures: v1alpha1.Figures{
			Name:           operation,
			Count:          sum(all, func(f *digest.Figures) int64 { return f.Count }),
			Bytes:          sum(all, func(f *digest.Figures) int64 { return f.Bytes }),
			MilliIOPS:      sum(all, func(f *digest.Figures) int64 { return f.MilliIOPS }),
			BytesPerSecond: sum(all, func(f *digest.Figures) int64 { return f.BytesPerSecond }),
		},
		ShortIOs:   sum(all, func(f *digest.Figures) int64 { return f.ShortIOs }),
		DroppedIOs: sum(all, func(f *digest.Figures) int64 { return f.DroppedIOs }),
	}
	mergeLatencies(&merged, all)
	mergeHistograms(&merged, all, coarsening)
	return merged
}

// mergeHistograms sets the distribution of all latencies, unless one of the clients has no histogram.
func mergeHistograms(merged *digest.Figures, all []*digest.Figures, coarsening int) {
	together := &histogram.Histogram{}
	lowest, highest := int64(math.MaxInt64), int64(0)
	for _, f := range all {
		if f.CompletionLatency == nil || f.Histogram == nil {
			return
		}
		lowest, highest = min(lowest, f.CompletionLatency.MinNanoseconds), max(highest, f.CompletionLatency.MaxNanoseconds)
		if coarsening == 0 {
			together.Merge(f.Histogram)
		} else {
			together.Merge(f.Histogram.Coarsen(coarsening))
		}
	}
	merged.SetHistogram(lowest, highest, together)
}
