package runner

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/digest"
)

// sectorBytes is the unit of /proc/diskstats, whatever the sectors of a device are.
// https://docs.kernel.org/admin-guide/iostats.html
const sectorBytes = 512

// counted is storage of which the kernel counts what it does: a block device, or an NFS mount. The zero value is storage of which it does not, as
// of FUSE, by which Mountpoint has S3: there the kernel hands calls to a program that is in another pod.
type counted struct {
	// major and minor are the number of the device, of NFS that of its superblock.
	major, minor uint32
	// mountPoint is where an NFS mount is; "" of a block device.
	mountPoint string
}

// countedAt returns what is counted of the storage that a file, a directory or a raw block volume is on. It looks at the storage, which may hang.
func (m machine) countedAt(path string) counted {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return counted{}
	}
	device := stat.Dev
	if stat.Mode&unix.S_IFMT == unix.S_IFBLK {
		device = stat.Rdev
	}
	return m.countedOf(unix.Major(device), unix.Minor(device))
}

// countedOf returns what is counted of the storage that has a number. Those of file systems that are on no one device have a major number of 0.
func (m machine) countedOf(major, minor uint32) counted {
	if major != 0 {
		return counted{major: major, minor: minor}
	}
	if at := m.nfsMount(major, minor); at != "" {
		return counted{major: major, minor: minor, mountPoint: at}
	}
	return counted{}
}

// nfsMount returns where NFS with a number is mounted, "" if nowhere.
func (m machine) nfsMount(major, minor uint32) string {
	proc, err := m.proc()
	if err != nil {
		return ""
	}
	mounts, err := proc.GetMounts()
	if err != nil {
		return ""
	}
	at := slices.IndexFunc(mounts, func(i *procfs.MountInfo) bool {
		return i.MajorMinorVer == fmt.Sprintf("%d:%d", major, minor) && strings.HasPrefix(i.FSType, "nfs")
	})
	if at < 0 {
		return ""
	}
	return mounts[at].MountPoint
}

// counters returns what the kernel has counted since it has had the storage, nil if that is not known.
func (m machine) counters(c counted) *digest.Counters {
	switch {
	case c == counted{}:
		return nil
	case c.mountPoint != "":
		return m.nfsCounters(c.mountPoint)
	}
	return m.deviceCounters(c.major, c.minor)
}

func (m machine) deviceCounters(major, minor uint32) *digest.Counters {
	fs, err := blockdevice.NewFS(filepath.Join(m.root, procfs.DefaultMountPoint), filepath.Join(m.root, "sys"))
	if err != nil {
		return nil
	}
	devices, err := fs.ProcDiskstats()
	if err != nil {
		return nil
	}
	at := slices.IndexFunc(devices, func(d blockdevice.Diskstats) bool { return d.MajorNumber == major && d.MinorNumber == minor })
	if at < 0 {
		return nil
	}
	d := &devices[at]
	return &digest.Counters{
		Reads: int64(d.ReadIOs), ReadBytes: int64(d.ReadSectors * sectorBytes), Writes: int64(d.WriteIOs), WriteBytes: int64(d.WriteSectors * sectorBytes),
		Others: int64(d.DiscardIOs + d.FlushRequestsCompleted), Merges: int64(d.ReadMerges + d.WriteMerges),
		BusyMilliseconds: int64(d.IOsTotalTicks), QueueMilliseconds: int64(d.WeightedIOTicks),
	}
}

// nfsCounters adds up what all mounts of the same export have done together: the kernel counts for each superblock.
func (m machine) nfsCounters(mountPoint string) *digest.Counters {
	proc, err := m.proc()
	if err != nil {
		return nil
	}
	self, err := proc.Self()
	if err != nil {
		return nil
	}
	mounts, err := self.MountStats()
	if err != nil {
		return nil
	}
	for _, mount := range mounts {
		if stats, ok := mount.Stats.(*procfs.MountStatsNFS); ok && mount.Mount == mountPoint {
			return newNFSCounters(stats)
		}
	}
	return nil
}

func newNFSCounters(stats *procfs.MountStatsNFS) *digest.Counters {
	c := &digest.Counters{NFS: true, ReadBytes: int64(stats.Bytes.ReadTotal), WriteBytes: int64(stats.Bytes.WriteTotal)}
	for _, o := range stats.Operations {
		requests := int64(o.Requests)
		switch o.Operation {
		case "READ":
			c.Reads = requests
		case "WRITE":
			c.Writes = requests
		default:
			c.Others += requests
		}
		c.Retransmissions += max(int64(o.Transmissions)-requests, 0)
		c.QueueMilliseconds += int64(o.CumulativeTotalRequestMilliseconds)
	}
	return c
}

// countersSince returns what was counted between two moments, nil if that is not known, as where the device is another one meanwhile.
func countersSince(before, after *digest.Counters) *digest.Counters {
	if before == nil || after == nil {
		return nil
	}
	between := *after
	if !between.NFS {
		between.BusyMilliseconds = unwrapped(between.BusyMilliseconds, before.BusyMilliseconds)
		between.QueueMilliseconds = unwrapped(between.QueueMilliseconds, before.QueueMilliseconds)
	}
	if !subtract(between.Figures(), before.Figures()) {
		return nil
	}
	return &between
}

// unwrapped returns a later count of milliseconds of a device, of which the kernel prints the last 32 bits (block/genhd.c, diskstats_show): with 256 requests under way
// the time in the queue begins anew every 4.7 hours. A run in which it does so more than once has too little.
func unwrapped(later, earlier int64) int64 {
	if later < earlier {
		later += 1 << 32
	}
	return later
}

// subtract takes earlier figures from later ones, and says whether none was larger before: what is counted only grows.
func subtract(later, earlier []*int64) bool {
	grown := true
	for i := range later {
		*later[i] -= *earlier[i]
		grown = grown && *later[i] >= 0
	}
	return grown
}
