package runner

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// reservePart is the part of a file system that stays free by default: a kubelet evicts pods when less than 10
	// % of its own file system is free. leastReserve is the least that stays free, in bytes.
	reservePart  = 10
	leastReserve = 1 << 30
	// fastestBytes and fastestInodes are more than one client writes in a second, or makes.
	fastestBytes  = 8 << 30
	fastestInodes = 1_000_000
	// soonestLook and latestLook bound the time from one look at the free space to the next. An application on the
	// file system may write as well, and each look at an NFS is a call to its server.
	soonestLook = 50 * time.Millisecond
	latestLook  = 5 * time.Second
	// overheadPart is the part of what is written that file systems take to note where it is. ext3 takes most, 1/1024.
	overheadPart = 1024
	// mostBlockBytes is the largest block in which file systems give space to files. NFS has the size of its
	// requests instead.
	mostBlockBytes = 64 << 10
)

// stock is an amount of what a file system has.
type stock struct{ bytes, inodes int64 }

// room is what a file system has free, and what of that has to stay free.
type room struct {
	free, reserve stock
	// blockBytes is the unit in which files take space.
	blockBytes int64
}

// newRoom returns the room of a file system. A nil reserve stands for the default of a file system that others may
// use. The reserve of inodes is the same part of all inodes. Amounts that the file system does not know, as btrfs
// its inodes, have no reserve.
func newRoom(stat *unix.Statfs_t, reserve *int64) room {
	unit := uint64(max(stat.Frsize, 1))
	total := stock{bytes: product(stat.Blocks, unit), inodes: product(stat.Files, 1)}
	free := stock{bytes: product(stat.Bavail, unit), inodes: product(stat.Ffree, 1)}
	r := room{free: free, blockBytes: int64(min(unit, mostBlockBytes))}
	if total.bytes == 0 {
		return r
	}
	r.reserve.bytes = max(total.bytes/reservePart, leastReserve)
	if reserve != nil {
		r.reserve.bytes = *reserve
	}
	r.reserve.inodes = int64(float64(total.inodes) * min(float64(r.reserve.bytes)/float64(total.bytes), 1))
	return r
}

// product returns a*b, or math.MaxInt64 if that is less: EFS has 8 EiB.
func product(a, b uint64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return int64(a * b)
}

// isReserved reports whether anything has to stay free.
func (r room) isReserved() bool { return r.reserve.bytes > 0 }

// needed returns what a growth takes of the file system.
func (r room) needed(growth fio.Growth) stock {
	needed := stock{bytes: growth.Bytes, inodes: growth.Files}
	if growth.Bytes == 0 {
		return needed
	}
	overhead := growth.Bytes/overheadPart + product(uint64(growth.Files), uint64(r.blockBytes))
	if needed.bytes += overhead; needed.bytes < 0 {
		needed.bytes = math.MaxInt64
	}
	return needed
}

// lack tells what is free, needed and reserved where the needed would leave less than the reserve, else "".
func (r room) lack(needed stock) string {
	switch {
	case !r.isReserved():
		return ""
	case r.free.bytes-r.reserve.bytes < needed.bytes:
		return describeLack(r.free.bytes, needed.bytes, r.reserve.bytes, bytesText)
	case r.reserve.inodes > 0 && r.free.inodes-r.reserve.inodes < needed.inodes:
		return describeLack(r.free.inodes, needed.inodes, r.reserve.inodes, inodesText)
	default:
		return ""
	}
}

func describeLack(free, needed, reserve int64, text func(int64) string) string {
	if needed == 0 {
		return fmt.Sprintf("free %s, reserve %s", text(free), text(reserve))
	}
	return fmt.Sprintf("free %s, needed %s, reserve %s", text(free), text(needed), text(reserve))
}

func inodesText(inodes int64) string { return fmt.Sprintf("%d inodes", inodes) }

// nextLook returns how long so many clients together need at least to come to the reserve.
func (r room) nextLook(clients int) time.Duration {
	seconds := float64(r.free.bytes-r.reserve.bytes) / fastestBytes
	if r.reserve.inodes > 0 {
		seconds = min(seconds, float64(r.free.inodes-r.reserve.inodes)/fastestInodes)
	}
	seconds /= float64(clients)
	return time.Duration(min(max(seconds, soonestLook.Seconds()), latestLook.Seconds()) * float64(time.Second))
}

func bytesText(bytes int64) string {
	return humanize.Scaled(float64(bytes), 1024, " B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB")
}
