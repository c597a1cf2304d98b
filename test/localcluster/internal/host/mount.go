package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

// unmountLimit is how long a mount of a node that ends may stay busy.
const unmountLimit = 3 * time.Second

// UnmountBelow removes all mounts below a directory, the latest first.
func UnmountBelow(ctx context.Context, dir string) error {
	mounts, err := mountinfo.GetMounts(mountinfo.PrefixFilter(dir))
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range slices.Backward(mounts) {
		errs = append(errs, Unmount(ctx, m.Mountpoint, unmountLimit))
	}
	return errors.Join(errs...)
}

// Unmount removes a mount, if there is one. One that stays busy until the limit is detached, which leaves its end to the last user.
func Unmount(ctx context.Context, path string, limit time.Duration) error {
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(context.Context) (bool, error) {
		err := unix.Unmount(path, unix.UMOUNT_NOFOLLOW)
		switch {
		case err == nil, errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
			return true, nil
		case errors.Is(err, unix.EBUSY):
			return false, nil
		}
		return false, fmt.Errorf("unmount %s: %w", path, err)
	})
	if wait.Interrupted(err) {
		return unix.Unmount(path, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
	}
	return err
}

// LoopDevicesBelow returns the loop devices of files below a directory, and those
// that sit on such a device: the kubelet holds a block volume by a loop device of
// its own. It is to be asked while all is mounted, since the kernel does not know
// the path of a file on a file system that is not.
func LoopDevicesBelow(dir string) ([]string, error) {
	devices, err := loopdev.List()
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	// A device may be listed before the one below it.
	for range devices {
		for _, device := range devices {
			if isBelow(device.BackingFile, dir) || ours[device.BackingFile] {
				ours[device.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ours)), nil
}

// DetachLoopDevices detaches devices side by side, because one may be free only
// after the other.
func DetachLoopDevices(ctx context.Context, paths []string) error {
	var group errgroup.Group
	for _, path := range paths {
		group.Go(func() error { return loopdev.Detach(ctx, path) })
	}
	return group.Wait()
}

func isBelow(file, dir string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// RemoveLoopDevices removes the devices that were made when all others were taken.
func (j *Journal) RemoveLoopDevices() error {
	numbers, err := loopdev.Numbers()
	if err != nil {
		return err
	}
	var errs []error
	for _, number := range numbers {
		if !slices.Contains(j.LoopDevices, number) {
			errs = append(errs, loopdev.Remove(number))
		}
	}
	return errors.Join(errs...)
}

// RemoveOutsideFiles removes what was left at fixed places outside the state
// directory: CNI's notes on the named network, the kubelet's links to logs below the
// state directory, and sockets in directories that did not exist.
func (j *Journal) RemoveOutsideFiles(network, stateDir string) error {
	var errs []error
	results, _ := filepath.Glob("/var/lib/cni/results/" + network + "-*")
	for _, result := range results {
		errs = append(errs, os.Remove(result))
	}
	links, _ := filepath.Glob("/var/log/containers/*")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && isBelow(target, stateDir) {
			errs = append(errs, os.Remove(link))
		}
	}
	for _, dir := range j.MissingDirs {
		removeUnused(dir)
	}
	return errors.Join(errs...)
}

// removeUnused removes a directory tree as far as there is nothing in it but
// sockets, on which nobody listens any more.
func removeUnused(root string) {
	dirs, err := directories(root)
	if err != nil {
		return
	}
	for _, dir := range slices.Backward(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.Type() == fs.ModeSocket {
				_ = os.Remove(filepath.Join(dir, entry.Name()))
			}
		}
		// It fails, as it should, for a directory that holds anything else.
		_ = os.Remove(dir)
	}
}
