package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// throttleInterval is how late a container may get its limits. The container's
	// first instruction comes later than that after its cgroup.
	throttleInterval = 5 * time.Millisecond
	// governInterval is how often budgets are divided anew.
	governInterval = 25 * time.Millisecond
)

// qosDirs are where the kubelet puts a pod's cgroup, below kubepods.
var qosDirs = []string{"", "burstable", "besteffort"}

// throttler limits the containers of pods that use a throttled volume. The limits
// go on each container's own cgroup, because those of a parent do not count for
// its children. Nothing tells of a new cgroup (there is no inotify for mkdir in
// cgroupfs), so it looks; and only while there is something to limit.
type throttler struct {
	log *slog.Logger

	mu       sync.Mutex
	limited  map[string]*limitedPod   // by target path
	shared   map[string]*sharedVolume // by volume ID
	governed time.Time
	stopPoll context.CancelFunc
}

type limitedPod struct {
	publication
	// volume is set when the pod has a part of a budget and no limits of its own.
	volume *sharedVolume
	// done holds the containers' cgroups that have their limits.
	done map[string]bool
	// complained avoids the same line every 5 ms.
	complained bool
}

func newThrottler(log *slog.Logger) *throttler {
	return &throttler{log: log, limited: map[string]*limitedPod{}, shared: map[string]*sharedVolume{}}
}

func (t *throttler) add(p publication) {
	if p.Limits.empty() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limited[p.TargetPath] = &limitedPod{publication: p, done: map[string]bool{}}
	t.start()
}

// addShare gives a pod a part of its volume's budget, which is opened for the first.
func (t *throttler) addShare(p publication, open func() (keeper, error)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	volume := t.shared[p.VolumeID]
	if volume == nil {
		budget, err := open()
		if err != nil {
			return err
		}
		volume = newSharedVolume(p.Device, budget, time.Now())
		t.shared[p.VolumeID] = volume
	}
	t.limited[p.TargetPath] = &limitedPod{publication: p, volume: volume, done: map[string]bool{}}
	t.start()
	return nil
}

func (t *throttler) start() {
	if t.stopPoll != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.stopPoll = cancel
	go t.poll(ctx)
}

// reopen exchanges the budget of a volume that is in use.
func (t *throttler) reopen(id string, open func() (keeper, error)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	volume := t.shared[id]
	if volume == nil {
		return nil
	}
	if err := volume.budget.save(time.Now()); err != nil {
		return err
	}
	budget, err := open()
	if err == nil {
		volume.budget = budget
	}
	return err
}

func (t *throttler) remove(target string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pod := t.limited[target]
	delete(t.limited, target)
	if pod != nil && pod.volume != nil && !t.inUse(pod.volume) {
		delete(t.shared, pod.VolumeID)
		t.save(pod.VolumeID, pod.volume)
	}
	if len(t.limited) == 0 && t.stopPoll != nil {
		t.stopPoll()
		t.stopPoll = nil
	}
}

func (t *throttler) inUse(volume *sharedVolume) bool {
	for _, pod := range t.limited {
		if pod.volume == volume {
			return true
		}
	}
	return false
}

func (t *throttler) save(id string, volume *sharedVolume) {
	if err := volume.budget.save(time.Now()); err != nil {
		t.log.Error("Budget not saved", "volume", id, "err", err)
	}
}

// close saves what the volumes in use have left.
func (t *throttler) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, volume := range t.shared {
		errs = append(errs, volume.budget.save(time.Now()))
	}
	return errors.Join(errs...)
}

func (t *throttler) poll(ctx context.Context) {
	tick := time.NewTicker(throttleInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			t.applyAll()
			t.governAll(now)
		}
	}
}

func (t *throttler) applyAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pod := range t.limited {
		err := t.apply(pod)
		if err != nil && !pod.complained {
			t.log.Error("Limits not applied", "pod", pod.PodUID, "device", pod.Device, "err", err)
		}
		pod.complained = err != nil
	}
}

func (t *throttler) governAll(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.governed) < governInterval {
		return
	}
	t.governed = now
	for id, volume := range t.shared {
		err := volume.govern(now)
		if err != nil && !volume.complained {
			t.log.Error("Budget not divided", "volume", id, "err", err)
		}
		volume.complained = err != nil
	}
}

func (t *throttler) apply(pod *limitedPod) error {
	for _, qos := range qosDirs {
		dir := filepath.Join(pod.Kubepods, qos, "pod"+pod.PodUID)
		containers, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, container := range containers {
			if !container.IsDir() || pod.done[container.Name()] {
				continue
			}
			if err := pod.limit(filepath.Join(dir, container.Name())); err != nil {
				return err
			}
			pod.done[container.Name()] = true
			t.log.Info("Limits applied", "pod", pod.PodUID, "container", container.Name(), "device", pod.Device,
				"iops", pod.Limits.IOPS, "throughputMiB", pod.Limits.ThroughputMiB)
		}
	}
	return nil
}

func (p *limitedPod) limit(cgroup string) error {
	if p.volume != nil {
		return p.volume.join(cgroup)
	}
	return writeLimits(cgroup, blkioLimits(p.Device, p.Limits))
}

// writeLimits writes the files of a blkio cgroup.
func writeLimits(cgroup string, files map[string]string) error {
	for file, content := range files {
		// Without O_CREATE: in cgroupfs there is nothing to create.
		f, err := os.OpenFile(filepath.Join(cgroup, file), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(content)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// blkioLimits renders limits as the files of a blkio cgroup.
func blkioLimits(device string, l Limits) map[string]string {
	files := map[string]string{}
	for _, direction := range directions {
		if l.IOPS > 0 {
			files["blkio.throttle."+direction+"_iops_device"] = fmt.Sprintf("%s %d", device, l.IOPS)
		}
		if l.ThroughputMiB > 0 {
			files["blkio.throttle."+direction+"_bps_device"] = fmt.Sprintf("%s %d", device, l.ThroughputMiB*mib)
		}
	}
	return files
}

// deviceNumber returns a block device as MAJOR:MINOR.
func deviceNumber(path string) (string, error) {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Sprintf("%d:%d", unix.Major(stat.Rdev), unix.Minor(stat.Rdev)), nil
}
