package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/sys/mountinfo"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/process"
)

// neededControllers must each be mounted as a version 1 hierarchy.
var neededControllers = []string{"cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids"}

const (
	cgroupMount = "/sys/fs/cgroup"
	// pollInterval is between looks at what the kernel is about to end.
	pollInterval = 20 * time.Millisecond
)

// Cgroup is the same cgroup in every version 1 hierarchy. All processes and pods
// of a cluster are below one, which makes it certain that none is left.
type Cgroup struct {
	name string
}

// NewCgroup names a cgroup, relative to the hierarchies' roots.
func NewCgroup(name string) Cgroup { return Cgroup{name: name} }

// Child names a cgroup below.
func (c Cgroup) Child(name string) Cgroup { return Cgroup{name: filepath.Join(c.name, name)} }

// Path is the cgroup as /proc/PID/cgroup shows it.
func (c Cgroup) Path() string { return "/" + c.name }

// Dir is the cgroup's directory in the hierarchy of a controller.
func (c Cgroup) Dir(controller string) string { return filepath.Join(cgroupMount, controller, c.name) }

// CheckControllers says whether this machine has what cgroups need.
func CheckControllers() error {
	var missing []string
	for _, controller := range neededControllers {
		if _, err := os.Stat(filepath.Join(cgroupMount, controller, "cgroup.procs")); err != nil {
			missing = append(missing, controller)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("cgroup v1 hierarchies are not mounted below %s: %s (cgroup v2 is not supported yet)",
			cgroupMount, strings.Join(missing, ", "))
	}
	return nil
}

// hierarchies returns the mount points of all cgroup hierarchies, also named ones.
func hierarchies() ([]string, error) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, m := range mounts {
		if !slices.Contains(roots, m.Mountpoint) {
			roots = append(roots, m.Mountpoint)
		}
	}
	return roots, nil
}

// Ensure makes the cgroup in every hierarchy.
func (c Cgroup) Ensure() error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		dir := root
		for part := range strings.SplitSeq(c.name, "/") {
			parent := dir
			dir = filepath.Join(dir, part)
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			if err := inheritCPUs(parent, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// inheritCPUs fills a new cpuset, which is made without any CPU or memory node and
// then takes no process. Other cgroups have no such files.
func inheritCPUs(parent, dir string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		now, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, fs.ErrNotExist) || len(bytes.TrimSpace(now)) > 0 {
			continue
		}
		value, err := os.ReadFile(filepath.Join(parent, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0); err != nil {
			return err
		}
	}
	return nil
}

// Processes returns all processes in the cgroup or below, in any hierarchy.
func (c Cgroup) Processes() ([]process.Identity, error) {
	var found []process.Identity
	err := c.walk(func(dir string) error {
		content, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			return nil // removed since
		}
		for field := range strings.FieldsSeq(string(content)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				return err
			}
			identity, err := process.Identify(pid)
			if err == nil && !slices.Contains(found, identity) {
				found = append(found, identity)
			}
		}
		return nil
	})
	return found, err
}

// walk calls visit for every directory of the cgroup, the deepest first.
func (c Cgroup) walk(visit func(dir string) error) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		dirs, err := directories(filepath.Join(root, c.name))
		if err != nil {
			return err
		}
		for _, dir := range slices.Backward(dirs) {
			if err := visit(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func directories(root string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	return dirs, err
}

// KillAll ends every process in the cgroup. That a process is in it is the
// kernel's own record of who started it.
func (c Cgroup) KillAll(ctx context.Context, limit time.Duration) error {
	var left []process.Identity
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(context.Context) (bool, error) {
		var err error
		if left, err = c.Processes(); err != nil {
			return false, err
		}
		for _, p := range left {
			if err := p.Signal(os.Kill); err != nil {
				return false, err
			}
		}
		return len(left) == 0, nil
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("waiting for the processes in cgroup %s to end, left are %v: %w", c.Path(), left, err)
	}
	return err
}

// Remove removes the cgroup, which must be empty of processes. A cgroup whose last
// process just ended may stay busy for a moment.
func (c Cgroup) Remove(ctx context.Context, limit time.Duration) error {
	var left error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(context.Context) (bool, error) {
		left = c.walk(func(dir string) error {
			if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
		return left == nil, nil
	})
	if err != nil {
		return fmt.Errorf("remove cgroup %s: %w", c.Path(), left)
	}
	return nil
}
