package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/mounts"
)

// remedy ends the errors of runs that would leave less free than the reserve.
func (o Options) remedy() string {
	const files = "use fewer or smaller files (size, filesize, nrfiles, numjobs)"
	const reserve = "lower freeSpaceReserve of the target"
	if o.OwnClaim {
		return files + ", raise capacity of the target, or " + reserve
	}
	return files + ", or " + reserve
}

// refuseToFill fails if the files that the job files make would leave less of the file system free than its
// reserve. All clients that share the file system make such files. Files that exist are not made again. A file system that cannot be looked at, and a job file that cannot
// be read, are left to fio.
func (o Options) refuseToFill(jobFiles ...string) error {
	room, err := o.roomAt(nearest(o.Directory))
	if err != nil {
		fmt.Fprintf(o.Log, "the free space of the volume is not known: %v\n", err)
		return nil
	}
	if !room.isReserved() {
		return nil
	}
	var jobs []*fio.JobFile
	for _, text := range jobFiles {
		if job, err := fio.Parse(text); err == nil {
			jobs = append(jobs, job)
		}
	}
	if room.lack(room.needed(o.growth(jobs, nothing))) == "" {
		return nil
	}
	deadline := time.Now().Add(lookTime)
	lack := room.lack(room.needed(o.growth(jobs, func(dir string) fio.Present { return presentIn(dir, deadline) })))
	if lack == "" {
		return nil
	}
	writer := "it"
	if o.clients() > 1 {
		writer = fmt.Sprintf("the %d clients together", o.clients())
	}
	const format = "%s: fio was not started, because %s would leave less free than the reserve; %s"
	return failf(digest.ExitFailed, format, lack, writer, o.remedy())
}

// clients returns how many clients write to the file system, this one included.
func (o Options) clients() int { return 1 + len(o.OtherDirectories) }

// growth returns what the jobs of all clients add to the file system, by what each client's directory has.
func (o Options) growth(jobs []*fio.JobFile, present func(directory string) fio.Present) fio.Growth {
	growths := []fio.Growth{fio.GrowthOf(present(o.Directory), jobs...)}
	for _, name := range o.OtherDirectories {
		growths = append(growths, fio.GrowthOf(present(filepath.Join(filepath.Dir(o.Directory), name)), jobs...))
	}
	return fio.SumOf(growths...)
}

// nothing is what directories have that do not exist yet.
func nothing(string) fio.Present { return nil }

// presentIn returns what a directory has. Files that are not looked at by the deadline count as complete: fio is
// watched.
func presentIn(directory string, deadline time.Time) fio.Present {
	return func(name string) (int64, bool) {
		if time.Now().After(deadline) {
			return math.MaxInt64, true
		}
		info, err := os.Lstat(filepath.Join(directory, name))
		if err != nil {
			return 0, false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return info.Size(), true
		}
		const blockBytes = 512
		return stat.Blocks * blockBytes, true
	}
}

// watchRoom returns when the context ends, or calls stop once when less of the file system is free than its reserve.
// A file system on the network does not count buffered writes that are still in the memory of a node, so there they
// can take some of the reserve. EFS does not run full: it reports 8 EiB.
func (o Options) watchRoom(ctx context.Context, stop func(error)) {
	if o.Directory == "" {
		return
	}
	for {
		next := latestLook
		room, err := o.roomAt(o.Directory)
		switch lack := room.lack(stock{}); {
		case err != nil: // fio meets the same error, or it passes
		case !room.isReserved():
			return
		case lack != "":
			stop(failf(digest.ExitFailed, "%s: fio was stopped, because less is free than the reserve; %s", lack, o.remedy()))
			return
		default:
			next = room.nextLook(o.clients())
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// roomAt returns the room of the file system that a directory is on. One that is the benchmark's own has a reserve
// only if the target has one.
func (o Options) roomAt(directory string) (room, error) {
	reserve := o.FreeSpaceReserve
	if reserve == nil && o.OwnClaim && thisMachine().isWholeDevice(directory) {
		reserve = new(int64)
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(directory, &stat); err != nil {
		return room{}, err
	}
	return newRoom(&stat, reserve), nil
}

// isWholeDevice reports whether the mount that a directory is on shows all of a file system on a block device.
// Then the volume is the file system. Otherwise it may be a directory of one that holds other volumes:
// provisioners of local paths bind a directory of the node's disk, and NFS, EFS and FUSE have no block device.
// The kernel gives btrfs a device number of its own, which is none of the block device that is its source.
// Volumes of CephFS and ZFS share a pool, whose space statfs can only tell by a quota that not every volume has.
func (m machine) isWholeDevice(directory string) bool {
	mount := mounts.Of(m.root, directory)
	if mount == nil || mount.Root != "/" {
		return false
	}
	btrfs := mount.FSType == "btrfs" && strings.HasPrefix(mount.Source, "/dev/")
	return btrfs || !strings.HasPrefix(mount.MajorMinorVer, "0:")
}
