package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// fromMemory is the median below which lookups were answered by the node's own memory. The fastest EBS volumes are designed for less than
// 500 us on average; what answers in a fiftieth of that has not asked for anything over a network.
// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-optimization.html (2026-11-23)
const fromMemory = 10 * time.Microsecond

// grainOf returns by how much a rate can be wrong, as a share of it, because fio tells in whole milliseconds how long it measured: operations on files can
// take but some of these.
func grainOf(results []*v1alpha1.Result) float64 {
	grain := 0.0
	for _, r := range results {
		grain = max(grain, 1/float64(max(r.ElapsedMilliseconds, 1)))
	}
	return grain
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
	if k.Storage == nil || k.Storage.Counting != v1alpha1.CountsShared || isFromMemory(r.Of(v1alpha1.OperationMetadata)) {
		return use{}
	}
	own := &v1alpha1.Figures{MilliIOPS: r.Of(v1alpha1.OperationMetadata).MilliIOPS}
	asOwn := &v1alpha1.Result{ElapsedMilliseconds: r.ElapsedMilliseconds, Clients: r.Clients}
	if load.Lookups {
		asOwn.Set(v1alpha1.OperationRead, own)
	} else {
		asOwn.Set(v1alpha1.OperationWrite, own)
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
		Figures: v1alpha1.ListOf(
			countedIO(nil, c.Reads, c.ReadBytes, r.ElapsedMilliseconds).As(v1alpha1.OperationRead),
			countedIO(nil, c.Writes, c.WriteBytes, r.ElapsedMilliseconds).As(v1alpha1.OperationWrite),
		),
	}
}

// metadataFromMemory is about operations that have not asked the storage: lookups that the node's memory answered, and changes that a local file system
// notes there, and writes to its journal later.
func metadataFromMemory(s seen) string {
	m := s.result.Of(v1alpha1.OperationMetadata)
	if m == nil || !isFromMemory(m) {
		return ""
	}
	if !s.load.Lookups {
		return fmt.Sprintf("half of the operations took at most %s: they changed the node's memory, and the file system writes that to the storage later",
			duration(float64(m.CompletionLatency.P50Nanoseconds)))
	}
	return fmt.Sprintf("half of the lookups took at most %s: the node's memory answered them, and not the storage", duration(float64(m.CompletionLatency.P50Nanoseconds)))
}

// isFromMemory says whether half of the operations are known to have been too fast to have asked the storage.
func isFromMemory(m *v1alpha1.Figures) bool {
	return m.CompletionLatency != nil && m.CompletionLatency.P50Nanoseconds < int64(fromMemory)
}
