package analysis

import (
	"cmp"
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// rewrittenPercent is how much of the size of its files fio has to have written, from which on some of it was written over what was still in memory.
const rewrittenPercent = 110

// latencyOfMemory says why the time that I/Os take is no time of the storage, "" if it is: memory takes buffered writes, and answers reads of what
// it has. Writes through it that are synced now and then wait for the storage as well, and the time of that is measured.
func (k Known) latencyOfMemory(load Load, client Client) string {
	switch {
	case (load.UnsyncedWrites || load.SyncedAtEnd) && !k.Unlimited: // writes to an object store wait for what brings the objects there
		return "no known limit is reached, and writes wait for memory and not for the storage, so that their latency does not tell what held it back: set direct: true"
	case load.Buffered && k.Counted == nil && filesFitIn(load, client):
		return "no known limit is reached, but the page cache may have answered reads, so that their latency does not tell what held it back: set direct: true"
	}
	return ""
}

// filesFitIn says whether all test files are known to fit into the page cache.
func filesFitIn(load Load, client Client) bool {
	return load.FileBytes > 0 && load.FileBytes <= client.MemoryBytes
}

// memoryLatency is about buffered writes that reach the storage behind fio's back, or by a sync at the end. fio counts that time in the job's, and so in IOPS and
// bandwidth, but in no latency. Of those whose IOPS are memory's as well unsyncedWrites tells.
func memoryLatency(s seen) string {
	switch {
	case ioOrNone(s.result.Of(v1alpha1.OperationWrite)).Latency == nil || s.known.Unlimited:
		return ""
	case s.load.UnsyncedWrites && unsyncedWrites(s) == "":
		return "latencies of writes show how fast memory takes them: the time of the storage counts in IOPS and bandwidth, and in no latency"
	case s.load.SyncedAtEnd && !s.load.UnsyncedWrites:
		return "latencies of writes show how fast memory takes them: the sync at the end counts in IOPS and bandwidth, and in no latency"
	}
	return ""
}

// filesFitInMemory leaves out jobs with writes that are never synced: unsyncedWrites tells of these, and of their reads.
func filesFitInMemory(s seen) string {
	if s.load.UnsyncedWrites {
		return ""
	}
	if s.known.Counted != nil {
		return s.known.inMemory(s.result, s.load)
	}
	return cmp.Or(readFromMemory(s), rewrittenInMemory(s))
}

// readFromMemory is about buffered reads.
func readFromMemory(s seen) string {
	if !s.load.Buffered || !filesFitIn(s.load, s.client) {
		return ""
	}
	return fmt.Sprintf("I/O is buffered, and test files of %s fit into the %s of memory that the page cache can take", size(s.load.FileBytes), size(s.client.MemoryBytes))
}

// rewrittenInMemory is about buffered writes that are synced at the end: blocks that were written several times before reach the storage once.
func rewrittenInMemory(s seen) string {
	w := s.result.Of(v1alpha1.OperationWrite)
	if !s.load.SyncedAtEnd || w == nil || !filesFitIn(s.load, s.client) || float64(w.Bytes)*100 < float64(s.load.FileBytes)*rewrittenPercent {
		return ""
	}
	return fmt.Sprintf("fio wrote %s to files of %s that fit into memory: blocks that are written again before they are synced reach the storage once", size(w.Bytes), size(s.load.FileBytes))
}

// unsyncedWrites is silent only where it was counted that the storage had nearly all, or the files are known to be larger than the page cache, so that it
// has to write most of them.
func unsyncedWrites(s seen) string {
	switch counted := s.known.Counted != nil; {
	case !s.load.UnsyncedWrites:
		return ""
	case counted:
		return s.known.inMemory(s.result, s.load)
	case s.load.FileBytes > s.client.MemoryBytes && s.client.MemoryBytes > 0:
		return ""
	case s.load.Reads && filesFitIn(s.load, s.client):
		return "I/O is buffered, the test files fit into memory, and writes are never synced: fio measures memory"
	default:
		return "writes are buffered and never synced: fio measures how fast memory takes them, not the storage"
	}
}

// inMemory says of a result that is memory's, at least in part, how much the storage had of it, "" if that was nearly all, or is not known.
func (k Known) inMemory(r *v1alpha1.Result, load Load) string {
	switch c := k.Counted; {
	case c == nil:
		return ""
	case load.UnsyncedWrites:
		return cmp.Or(c.keptInMemory(r), c.answeredByMemory(r, load))
	case load.SyncedAtEnd:
		return cmp.Or(c.rewritten(r), c.answeredByMemory(r, load))
	default:
		return c.answeredByMemory(r, load)
	}
}

// answeredByMemory says how much of what fio read the storage did not, "" if it read nearly all. What the kernel reads ahead is among the bytes, so that
// these can be as many though memory answered; but of random reads it makes one from each that memory does not answer.
func (c *Counted) answeredByMemory(r *v1alpha1.Result, load Load) string {
	read := r.Of(v1alpha1.OperationRead)
	switch {
	case !load.Buffered || read == nil:
		return ""
	case !isWhole(c.ReadBytes, read.Bytes):
		return fmt.Sprintf("the storage read %s of the %s that fio read: the page cache answered the rest", size(c.ReadBytes), size(read.Bytes))
	case !load.Sequential && !isWhole(c.Reads, read.Count):
		return fmt.Sprintf("%d reads of the storage were for %d random ones of fio: the page cache answered the rest", c.Reads, read.Count)
	}
	return ""
}

// keptInMemory says how much of what fio wrote had reached the storage, "" if nearly all had.
func (c *Counted) keptInMemory(r *v1alpha1.Result) string {
	write := r.Of(v1alpha1.OperationWrite)
	switch {
	case write == nil || isWhole(c.WriteBytes-c.LeftBytes, write.Bytes):
		return ""
	case isWhole(c.WriteBytes, write.Bytes):
		return fmt.Sprintf("writes are never synced: when fio ended, the storage had written as much as fio, but up to %s of it were left from the run before", size(c.LeftBytes))
	}
	return fmt.Sprintf("writes are never synced: when fio ended, the storage had written %s of the %s that fio wrote", size(c.WriteBytes), size(write.Bytes))
}

// rewritten says how much of what fio wrote has come to the storage with the sync at the end, "" if nearly all has.
func (c *Counted) rewritten(r *v1alpha1.Result) string {
	write := r.Of(v1alpha1.OperationWrite)
	if write == nil || isWhole(c.WriteBytes, write.Bytes) {
		return ""
	}
	return fmt.Sprintf("the storage wrote %s of the %s that fio wrote: blocks were written again before they were synced", size(c.WriteBytes), size(write.Bytes))
}

func isWhole(part, all int64) bool { return float64(part)*100 >= float64(all)*answeredPercent }
