package disk

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

// newServed returns a driver whose disks are served, and a volume of the given limits.
func newServed(t *testing.T, dir string, parameters map[string]string) (driver *Volumes, server *Server, id string) {
	t.Helper()
	options := csidriver.Options{Volumes: filepath.Join(dir, "volumes"), Disks: filepath.Join(dir, "disks"), Log: slog.New(slog.DiscardHandler)}
	server, err := Serve(options.Volumes, options.Disks, options.Log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if driver, err = Open(Loop, options); err != nil {
		t.Fatal(err)
	}
	created, err := driver.CreateVolume(t.Context(), &csi.CreateVolumeRequest{
		Name: "pvc-1", Parameters: parameters, CapacityRange: &csi.CapacityRange{RequiredBytes: 32 * mib}, VolumeCapabilities: []*csi.VolumeCapability{disk()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return driver, server, created.GetVolume().GetVolumeId()
}

// A disk with limits is a block device with direct I/O that does as much as it may, holds what is written, and says for how long more was asked for.
func TestServedDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	driver, server, id := newServed(t, t.TempDir(), map[string]string{"iops": "100"})
	file, err := driver.file(id)
	if err != nil {
		t.Fatal(err)
	}
	device, err := loopdev.Attach(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	detached := false
	t.Cleanup(func() {
		if !detached {
			_ = loopdev.Detach(t.Context(), device)
		}
	})
	// The kernel leaves it off where the file system below has none.
	if dio, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(device), "loop/dio")); err != nil || string(dio) != "1\n" {
		t.Errorf("the device has no direct I/O: %q, %v", dio, err)
	}
	block := bytes.Repeat([]byte("storagebench...."), 256)
	began := time.Now()
	writeSynced(t, device, block, 60)
	if took := time.Since(began); took < 60*time.Second/100-slack-10*time.Millisecond {
		t.Errorf("60 writes at 100 a second took %v", took)
	}
	statistics := server.Statistics()
	if since := statistics[id]; since.IOPS < 150*time.Millisecond || since.IOPS > time.Since(began) || since.Throughput != 0 ||
		since.Write.Count < 60 || since.Write.Bytes < 60*4096 || since.QueueLength != 0 {
		t.Errorf("its limits were exceeded, and its operations were, %+v", statistics)
	}
	detached = true
	if err := loopdev.Detach(t.Context(), device); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(driver.store.disk(id))
	if err != nil || !bytes.Equal(content[59*len(block):60*len(block)], block) {
		t.Errorf("the disk does not hold what was written, %v", err)
	}
}

// writeSynced writes blocks one after the other, four at a time, each of which is one I/O.
func writeSynced(t *testing.T, device string, block []byte, blocks int) {
	t.Helper()
	file, err := os.OpenFile(device, os.O_WRONLY|os.O_SYNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(4)
	for i := range blocks {
		group.Go(func() error {
			_, err := file.WriteAt(block, int64(i)*int64(len(block)))
			return err
		})
	}
	if err := errors.Join(group.Wait(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// A volume without limits is the file itself: nothing is between it and the machine.
func TestDiskWithoutLimits(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts need root")
	}
	driver, _, id := newServed(t, t.TempDir(), nil)
	if file, err := driver.file(id); err != nil || file != driver.store.disk(id) {
		t.Errorf("its file is %s, %v", file, err)
	}
}

// A volume that was deleted while its disk was open does not come back when that is closed.
func TestDeletedVolumeStaysGone(t *testing.T) {
	dir := t.TempDir()
	volumes, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := newServer(volumes, slog.New(slog.NewTextHandler(&log, nil)))
	v := volume{Plan: Plan{ID: "vol-1", CapacityBytes: mib, Performance: fixed(Rate{IOs: 100}, Latency{}).Performance}}
	if err := volumes.create(v); err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(v.ID); err != nil {
		t.Fatal(err)
	}
	if err := volumes.delete(v.ID); err != nil {
		t.Fatal(err)
	}
	if s.end(v.ID); log.Len() > 0 {
		t.Errorf("it says %s", &log)
	}
	if err := volumes.create(v); err != nil {
		t.Errorf("it cannot be made again: %v", err)
	}
}

// A volume that is modified is so from its next first use on, and one whose balance cannot be read is no use.
func TestModifiedVolume(t *testing.T) {
	dir := t.TempDir()
	driver, err := Open(Loop, csidriver.Options{Volumes: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(driver.store, driver.log)
	v := volume{Plan: Plan{ID: "vol-1", CapacityBytes: mib, Performance: steady(Rate{IOs: 100})}}
	if err := driver.store.create(v); err != nil {
		t.Fatal(err)
	}
	var used []float64
	use := func(iops float64) error {
		first, err := s.begin(v.ID)
		if err != nil {
			return err
		}
		change := func(p Plan) (Plan, error) {
			p.Performance = steady(Rate{IOs: iops})
			return p, nil
		}
		if err := driver.Modify(v.ID, change); err != nil {
			return err
		}
		second, err := s.begin(v.ID)
		if err != nil || second != first {
			t.Errorf("who opens it as well gets another disk, %v", err)
		}
		used = append(used, first.ios.PerSecond)
		s.end(v.ID)
		s.end(v.ID)
		return nil
	}
	if err := errors.Join(use(200), use(0), use(0)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(driver.store.path(v.ID, balanceName), []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := use(0); err == nil || !slices.Equal(used, []float64{100, 200, 0}) {
		t.Errorf("it was used with %v IOPS, %v", used, err)
	}
}
