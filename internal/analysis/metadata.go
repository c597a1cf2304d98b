package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// fromMemory is the median below which lookups were answered by the node's own memory. The fastest EBS volumes are designed for less than
// 500 us on average; what answers in a fiftieth of that has not asked for anything over a network.
// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-optimization.html (2026-11-23)
const fromMemory = 10 * time.Microsecond

// metadata is what a result has of operations on files, with what its figures leave out.
type metadata struct {
	*v1alpha1.MetadataResult
	elapsedMilliseconds int64
}

// metadataOf returns the metadata of each result, nil for a result without.
func metadataOf(results []*v1alpha1.Result) []*metadata {
	all := make([]*metadata, len(results))
	for i, r := range results {
		if r.Metadata != nil {
			all[i] = &metadata{r.Metadata, r.ElapsedMilliseconds}
		}
	}
	return all
}

// milliPerSecond returns operations in a thousand seconds. The status has whole ones per second; count and time say what was rounded away,
// where they agree with it: rates of several clients are added up, each over its own time.
func (m *metadata) milliPerSecond() int64 {
	const thousand = 1000
	if m.IOPS > math.MaxInt64/thousand {
		return math.MaxInt64
	}
	if m.elapsedMilliseconds > 0 {
		precise := float64(m.Count) * thousand / float64(m.elapsedMilliseconds)
		if math.Abs(precise-float64(m.IOPS)) < 1 && precise < math.MaxInt64/thousand { // a float64 may be rounded up
			return int64(math.Round(precise * thousand))
		}
	}
	return m.IOPS * thousand
}

// MilliOperations returns operations on files in a thousand seconds, 0 of a result without.
func MilliOperations(r *v1alpha1.Result) int64 {
	if m := metadataOf([]*v1alpha1.Result{r})[0]; m != nil {
		return m.milliPerSecond()
	}
	return 0
}

// grainOf returns by how much a rate can be wrong, as a share of it, because fio tells in whole milliseconds how long it measured: operations on files can
// take but some of these.
func grainOf(all []*metadata) float64 {
	grain := 0.0
	for _, m := range all {
		if m != nil {
			grain = max(grain, 1/float64(max(m.elapsedMilliseconds, 1)))
		}
	}
	return grain
}

// compareMetadata compares operations on files. It returns nil if a result of the target has none.
func (f *family) compareMetadata(own, base []*metadata) *v1alpha1.MetadataComparison {
	mean := func(m *metadata) *latency { return &latency{nanoseconds: m.MeanNanoseconds} }
	ownMeans, _ := latencies(own, mean)
	if len(ownMeans) == 0 {
		return nil
	}
	baseMeans, _ := latencies(base, mean)
	c := &v1alpha1.MetadataComparison{}
	c.MeanRatio = f.compare(&c.MeanNanoseconds, ownMeans, baseMeans, yardstick{better: lessIsFaster})
	perSecond := func(m *metadata) int64 { return m.IOPS }
	y := yardstick{better: moreIsFaster, grain: max(grainOf(own), grainOf(base))}
	c.IOPSRatio = f.compareRates(&c.IOPS, valuesOf(own, perSecond), valuesOf(own, (*metadata).milliPerSecond), valuesOf(base, (*metadata).milliPerSecond), y)
	f.addRow(&c.Verdict, &c.IOPS, len(own), len(base))
	percentile := func(of func(*v1alpha1.LatencyDistribution) int64) (*v1alpha1.Statistic, string) {
		return compareLatencies(f, own, base, func(m *metadata) *latency { return percentileIn(m.Latency, of) })
	}
	c.P50Nanoseconds, c.P50Ratio = percentile(p50)
	c.P90Nanoseconds, c.P90Ratio = percentile(p90)
	c.P99Nanoseconds, c.P99Ratio = percentile(p99)
	return c
}

// boundOfMetadata says what held operations on files back, as far as it can be told: a limit that they reach, or that the I/Os reach that the kernel
// counted meanwhile; the client's CPU. Little's law has nothing to say: fio waits for each operation, but also for what it does between two.
func boundOfMetadata(r *v1alpha1.Result, known Known, load Load, client Client) v1alpha1.LimitedBy {
	operations := known.operations(r, load)
	if operations.reached() && operations.percent() <= exceededPercent {
		return operations.limitedBy()
	}
	if stored := known.storedBy(r); stored != nil {
		if nearest, _ := known.nearest(stored, Load{}); nearest.reached() {
			nearest.note += ", by the kernel's count"
			return nearest.limitedBy()
		}
	}
	if bound, ok := boundByCPU(r, load, client, known.Company); ok {
		return bound
	}
	switch {
	case operations.percent() > exceededPercent:
		return unknown("%s (%d %%) are more than it can do: memory answered, or the limit is higher than is known", operations, operations.percent())
	case operations.limit > 0:
		return unknown("%s (%d %%), if each is one operation of the storage: NFS makes several of some, so it is unknown whether this held the result back",
			operations, operations.percent())
	}
	return unknown("limits of storage count I/Os and bytes, and not operations on files")
}

// operations is the use of the operations of a file system that counts those on files as well: look-ups as reads, and what changes files or directories as
// writes. The zero value is of one that does not, and of operations that memory answered. They are as many at least: NFS makes several of some.
// "Operations that read data or metadata consume one file operation, operations that write data or update metadata consume five file operations":
// https://github.com/awsdocs/amazon-efs-user-guide/blob/master/doc_source/limits.md, of mode Bursting (read 2026-11-24); those of other modes are taken to
// count the same, by their own limits.
func (k Known) operations(r *v1alpha1.Result, load Load) use {
	if k.Storage == nil || k.Storage.Counting != v1alpha1.CountsShared || isFromMemory(r.Metadata) {
		return use{}
	}
	own, asOwn := &v1alpha1.IOResult{IOPS: r.Metadata.IOPS}, &v1alpha1.Result{ElapsedMilliseconds: r.ElapsedMilliseconds, Clients: r.Clients}
	if load.Lookups {
		asOwn.Read = own
	} else {
		asOwn.Write = own
	}
	var counted []use
	for _, set := range k.storageSets(asOwn, load) {
		counted = append(counted, slices.DeleteFunc(set.uses(k.Company.with(asOwn)), func(u use) bool { return u.inMiB })...)
	}
	most := greatest(counted)
	most.unit = strings.NewReplacer("IOPS of reads", "look-ups a second", "IOPS of writes", "changes a second").Replace(most.unit)
	return most
}

// storedBy returns what the storage had to read and write for operations on files, by the kernel's count; nil if that is not known.
func (k Known) storedBy(r *v1alpha1.Result) *v1alpha1.Result {
	c := k.Counted
	if c == nil || c.NFS || r.ElapsedMilliseconds <= 0 || overlapsLittle(r) {
		return nil
	}
	return &v1alpha1.Result{
		ElapsedMilliseconds: r.ElapsedMilliseconds, Clients: r.Clients,
		Read: countedIO(nil, c.Reads, c.ReadBytes, r.ElapsedMilliseconds), Write: countedIO(nil, c.Writes, c.WriteBytes, r.ElapsedMilliseconds),
	}
}

// metadataFromMemory is about operations that have not asked the storage: lookups that the node's memory answered, and changes that a local file system
// notes there, and writes to its journal later.
func metadataFromMemory(s seen) string {
	m := s.result.Metadata
	if m == nil || !isFromMemory(m) {
		return ""
	}
	if !s.load.Lookups {
		return fmt.Sprintf("half of the operations took at most %s: they changed the node's memory, and the file system writes that to the storage later",
			duration(float64(m.Latency.P50Nanoseconds)))
	}
	return fmt.Sprintf("half of the lookups took at most %s: the node's memory answered them, and not the storage", duration(float64(m.Latency.P50Nanoseconds)))
}

// isFromMemory says whether half of the operations are known to have been too fast to have asked the storage.
func isFromMemory(m *v1alpha1.MetadataResult) bool {
	return m.Latency != nil && m.Latency.P50Nanoseconds < int64(fromMemory)
}
