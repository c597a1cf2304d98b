package analysis

import (
	"cmp"
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// splitBytes is the size from which on an I/O is taken for one that devices split: NVMe volumes of EBS take up to 256 KiB, others less.
	splitBytes = 128 << 10
	// partBytes is the size of the parts at least, on average.
	partBytes = 64 << 10
	// differentPercent is by how much the kernel's figures have to differ from fio's to be told beside them.
	differentPercent = 5
	// answeredPercent is the share of what fio read or wrote that the storage has to have read or written for memory not to matter.
	answeredPercent = 90
)

// Counted is what the kernel counted of the storage while one result was measured, and nothing else was.
type Counted struct {
	Reads, ReadBytes, Writes, WriteBytes int64
	// LeftBytes is how much memory may have had from the run before when this one began, and wrote during this one.
	LeftBytes int64
	// NFS says whether it is of a network file system, of which syncs are neither reads nor writes.
	NFS bool
}

// atStorage returns a result and its load as the storage had them. As far as that is not known they are what fio has.
func (k Known) atStorage(r *v1alpha1.Result, load Load) (*v1alpha1.Result, Load) {
	c := k.Counted
	if c == nil || r.ElapsedMilliseconds <= 0 || r.Of(v1alpha1.OperationMetadata) != nil || overlapsLittle(r) { // of whose clients each has its own time
		return r, load
	}
	stored := *r
	stored.Set(v1alpha1.OperationRead, countedIO(r.Of(v1alpha1.OperationRead), c.Reads, c.ReadBytes, r.ElapsedMilliseconds))
	stored.Set(v1alpha1.OperationWrite, countedIO(r.Of(v1alpha1.OperationWrite), c.Writes, c.WriteBytes, r.ElapsedMilliseconds))
	load.Buffered, load.Gathered, load.UnsyncedWrites = false, false, false // the page cache is not the storage
	return &stored, load
}

// countedIO returns I/O of a direction as the storage had it. Large I/Os that the kernel has split count as fio has them: EBS does not count the parts.
// What is more than parts can be is of somebody else, or of the file system.
func countedIO(io *v1alpha1.Figures, ios, bytes, milliseconds int64) *v1alpha1.Figures {
	if io == nil && ios == 0 {
		return nil
	}
	milliPerSecond := func(n int64) int64 { return whole(float64(n) * 1_000_000 / float64(milliseconds)) }
	counted := &v1alpha1.Figures{
		Count: ios, Bytes: bytes, MilliIOPS: milliPerSecond(ios), BytesPerSecond: v1alpha1.WholeIOPS(milliPerSecond(bytes)),
	}
	if io != nil && ios > io.Count && io.Count > 0 && io.Bytes/io.Count > splitBytes {
		others := max(0, ios-whole(float64(io.Bytes)/partBytes))
		counted.Count, counted.MilliIOPS = io.Count+others, io.MilliIOPS+milliPerSecond(others)
	}
	return counted
}

// ofOthers says of a result of which the storage had little that it had more of something else, "" otherwise: whatever limit that reaches, it is not what held the result back.
func (k Known) ofOthers(r *v1alpha1.Result, load Load) string {
	c := k.Counted
	if c == nil || overlapsLittle(r) {
		return ""
	}
	words, own := cmp.Or(k.inMemory(r, load), k.elsewhere(r, load)), int64(0)
	if r.Of(v1alpha1.OperationRead) != nil {
		own += min(c.ReadBytes, r.Of(v1alpha1.OperationRead).Bytes)
	}
	if r.Of(v1alpha1.OperationWrite) != nil {
		own += min(max(0, c.WriteBytes-c.LeftBytes), r.Of(v1alpha1.OperationWrite).Bytes)
	}
	if float64(own) >= ownPart*float64(c.ReadBytes+c.WriteBytes) {
		return ""
	}
	return words
}

// elsewhere says of a result that does not go through the page cache how much of it the storage did not have, "" if it had nearly all, or that is not known.
func (k Known) elsewhere(r *v1alpha1.Result, load Load) string {
	switch c := k.Counted; {
	case c == nil || load.isGathered() || overlapsLittle(r):
		return ""
	case r.Of(v1alpha1.OperationRead) != nil && !isWhole(c.ReadBytes, r.Of(v1alpha1.OperationRead).Bytes):
		return fmt.Sprintf("the storage read %s of the %s that fio read, and no page cache answered the rest: blocks were never written, or the kernel counted something else",
			size(c.ReadBytes), size(r.Of(v1alpha1.OperationRead).Bytes))
	case r.Of(v1alpha1.OperationWrite) != nil && !isWhole(c.WriteBytes, r.Of(v1alpha1.OperationWrite).Bytes):
		return fmt.Sprintf("the storage wrote %s of the %s that fio wrote, and no page cache took the rest: the kernel counted something else", size(c.WriteBytes), size(r.Of(v1alpha1.OperationWrite).Bytes))
	}
	return ""
}

// ownPart is the share of what the storage had below which it is said how much fio had: the rest is of the file system, of what was in memory before, or of somebody else.
const ownPart = 2.0 / 3

// countedNote is what is said of a limit where the storage's figures are not fio's, "" where they are the same.
func (k Known) countedNote(r *v1alpha1.Result, of use) string {
	stored, _ := k.atStorage(r, Load{})
	if stored == r || isAlike(sum(stored, iopsOf), sum(r, iopsOf)) && isAlike(sum(stored, bytesOf), sum(r, bytesOf)) {
		return ""
	}
	own, all, words := sum(r, iopsOf), sum(stored, iopsOf), fmt.Sprintf("%d", sum(r, iopsOf))
	if of.inMiB {
		own, all, words = sum(r, bytesOf), sum(stored, bytesOf), size(sum(r, bytesOf))+"/s"
	}
	if float64(own) >= ownPart*float64(all) {
		return ", by the kernel's count"
	}
	return fmt.Sprintf(", by the kernel's count, where fio had %s", words)
}

func isAlike(a, b int64) bool {
	return float64(max(a, b))*(100-differentPercent) <= float64(min(a, b))*100
}
