package analysis

import (
	"cmp"
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// splitBytes is the size from which on an I/O is taken for one that devices split: NVMe volumes of EBS take up to 256 KiB, others less.
	splitBytes = 128 << 10
	// differentPercent is by how much the kernel's figures have to differ from fio's to be told beside them.
	differentPercent = 5
	// answeredPercent is the share of what fio read or wrote that the storage has to have read or written for memory not to matter.
	answeredPercent = 90
)

// Counted is what the kernel counted of the storage while one result was measured, and nothing else was.
type Counted struct {
	Reads, ReadBytes, Writes, WriteBytes int64
}

// atStorage returns a result and its load as the storage had them. As far as that is not known they are what fio has.
func (k Known) atStorage(r *v1alpha1.Result, load Load) (*v1alpha1.Result, Load) {
	c := k.Counted
	if c == nil || r.ElapsedMilliseconds <= 0 || r.Metadata != nil {
		return r, load
	}
	stored := *r
	stored.Read = countedIO(r.Read, c.Reads, c.ReadBytes, r.ElapsedMilliseconds)
	stored.Write = countedIO(r.Write, c.Writes, c.WriteBytes, r.ElapsedMilliseconds)
	load.Buffered, load.Gathered, load.UnsyncedWrites = false, false, false // the page cache is not the storage
	return &stored, load
}

// countedIO returns I/O of a direction as the storage had it. Large I/Os that the kernel has split count as fio has them: EBS does not count the parts.
func countedIO(io *v1alpha1.IOResult, ios, bytes, milliseconds int64) *v1alpha1.IOResult {
	if io == nil && ios == 0 {
		return nil
	}
	perSecond := func(n int64) int64 { return whole(float64(n) * 1000 / float64(milliseconds)) }
	counted := &v1alpha1.IOResult{IOs: ios, Bytes: bytes, IOPS: perSecond(ios), BytesPerSecond: perSecond(bytes)}
	if io != nil && ios > io.IOs && io.IOs > 0 && io.Bytes/io.IOs > splitBytes {
		counted.IOs, counted.IOPS = io.IOs, io.IOPS
	}
	return counted
}

// countedNote is what is said of a limit where the storage's figures are not fio's, "" where they are the same.
func (k Known) countedNote(r *v1alpha1.Result) string {
	stored, _ := k.atStorage(r, Load{})
	if stored == r || isAlike(sum(stored, iopsOf), sum(r, iopsOf)) && isAlike(sum(stored, bytesOf), sum(r, bytesOf)) {
		return ""
	}
	return ", by the kernel's count"
}

func isAlike(a, b int64) bool {
	return float64(max(a, b))*(100-differentPercent) <= float64(min(a, b))*100
}

// inMemory says of a result that is memory's, at least in part, how much the storage had of it, "" if that was nearly all, or is not known.
func (k Known) inMemory(r *v1alpha1.Result, load Load) string {
	switch {
	case k.Counted == nil || !load.Buffered:
		return ""
	case load.UnsyncedWrites:
		return cmp.Or(k.Counted.keptInMemory(r), k.Counted.answeredByMemory(r))
	}
	return k.Counted.answeredByMemory(r)
}

// answeredByMemory says how much of what fio read the storage did not, "" if it read nearly all.
func (c *Counted) answeredByMemory(r *v1alpha1.Result) string {
	if r.Read == nil || isWhole(c.ReadBytes, r.Read.Bytes) {
		return ""
	}
	return fmt.Sprintf("the storage read %s of the %s that fio read: the page cache answered the rest", size(c.ReadBytes), size(r.Read.Bytes))
}

// keptInMemory says how much of what fio wrote had reached the storage, "" if nearly all had.
func (c *Counted) keptInMemory(r *v1alpha1.Result) string {
	if r.Write == nil || isWhole(c.WriteBytes, r.Write.Bytes) {
		return ""
	}
	return fmt.Sprintf("writes are never synced: when fio ended, the storage had written %s of the %s that fio wrote", size(c.WriteBytes), size(r.Write.Bytes))
}

func isWhole(part, all int64) bool { return float64(part)*100 >= float64(all)*answeredPercent }
