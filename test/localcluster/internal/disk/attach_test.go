package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

const attachedAfter, detachedAfter = 50 * time.Millisecond, 70 * time.Millisecond

// newAttached returns a driver whose controller attaches volumes, and the id of one.
func newAttached(t *testing.T, dir string) (driver *Volumes, id string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	kind := Loop
	kind.Attaching, kind.Detaching = attachedAfter, detachedAfter
	return newVolumeOf(t, kind, dir)
}

func (n testNode) stagePublished(id string) error {
	_, err := n.NodeStageVolume(context.Background(), &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: n.staging, VolumeCapability: disk(), PublishContext: map[string]string{DevicePathKey: "/dev/xvdaa"},
	})
	return err
}

// lasts says how long something takes, which must not fail.
func lasts(t *testing.T, do func() error) time.Duration {
	t.Helper()
	began := time.Now()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func TestControllerAttachesVolumes(t *testing.T) {
	dir := t.TempDir()
	driver, id := newAttached(t, dir)
	first, second := newTestNode(driver, "node-1", dir), newTestNode(driver, "node-2", dir)
	t.Cleanup(func() {
		_ = first.unmount(first.staging)
		cleanUp(t, dir)
	})
	if err := first.stagePublished(id); status.Code(err) != codes.NotFound {
		t.Errorf("a volume that is not attached is staged: %v", err)
	}
	attach := func() error { return driver.Attach(t.Context(), id, "node-1") }
	if took := lasts(t, attach); took < attachedAfter {
		t.Errorf("attaching took %v", took)
	}
	driver.kind.Attaching = time.Hour
	lasts(t, attach) // which waits for nothing once more
	if err := first.stage(id); status.Code(err) != codes.InvalidArgument {
		t.Errorf("it is staged by a node that is not told of the device: %v", err)
	}
	if err := second.stagePublished(id); status.Code(err) != codes.NotFound {
		t.Errorf("another node stages it: %v", err)
	}
	if err := first.stagePublished(id); err != nil {
		t.Fatal(err)
	}
	first.unstage(t, id)

	inUse := (*InUseError)(nil)
	if err := driver.Attach(t.Context(), id, "node-2"); !errors.As(err, &inUse) || inUse.Node != "node-1" {
		t.Errorf("it is attached to a second node: %v", err)
	}
	if err := remove(driver, id); !errors.As(err, &inUse) {
		t.Errorf("it is deleted while it is attached: %v", err)
	}
	if err := driver.Detach(t.Context(), id, "node-2"); err != nil {
		t.Errorf("detaching it from where it is not: %v", err)
	}
	detach := func() error { return driver.Detach(t.Context(), id, "node-1") }
	if took := lasts(t, detach); took < detachedAfter {
		t.Errorf("detaching took %v", took)
	}
	driver.kind.Detaching = time.Hour
	lasts(t, detach)
	if err := remove(driver, id); err != nil {
		t.Error(err)
	}
	if err := driver.Attach(t.Context(), id, "node-1"); status.Code(err) != codes.NotFound {
		t.Errorf("a volume that is gone is attached: %v", err)
	}
}

// As long as it is on its way to a node or from it, nobody else can have it, and who asks again goes on.
func TestVolumeOnItsWay(t *testing.T) {
	dir := t.TempDir()
	driver, id := newAttached(t, dir)
	t.Cleanup(func() { cleanUp(t, dir) })
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	for _, move := range []func(context.Context, string, string) error{driver.Attach, driver.Detach} {
		if err := move(impatient, id, "node-1"); !errors.Is(err, context.Canceled) {
			t.Errorf("it is there before its time: %v", err)
		}
		inUse := (*InUseError)(nil)
		if err := driver.Attach(t.Context(), id, "node-2"); !errors.As(err, &inUse) {
			t.Errorf("another node gets it: %v", err)
		}
		if err := remove(driver, id); !errors.As(err, &inUse) {
			t.Errorf("it is deleted: %v", err)
		}
		if err := move(t.Context(), id, "node-1"); err != nil {
			t.Errorf("it never comes: %v", err)
		}
	}
	if err := remove(driver, id); err != nil {
		t.Error(err)
	}
}

// A cloud's books outlast a restart of a machine, and its end alone takes its volumes from it.
func TestAttachmentOutlastsItsDevice(t *testing.T) {
	dir := t.TempDir()
	driver, id := newAttached(t, dir)
	first := newTestNode(driver, "node-1", dir)
	t.Cleanup(func() {
		_ = first.unmount(first.staging)
		cleanUp(t, dir)
	})
	if err := driver.Attach(t.Context(), id, "node-1"); err != nil {
		t.Fatal(err)
	}
	_, device, err := driver.attachment(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := loopdev.Detach(t.Context(), device); err != nil {
		t.Fatal(err)
	}
	inUse := (*InUseError)(nil)
	if err := driver.Attach(t.Context(), id, "node-2"); !errors.As(err, &inUse) {
		t.Errorf("a restart detaches it: %v", err)
	}
	if err := first.stagePublished(id); err != nil {
		t.Errorf("after a restart its node does not find it: %v", err)
	}
	if err := first.unmount(first.staging); err != nil {
		t.Fatal(err)
	}
	if err := DetachAll(t.Context(), filepath.Join(dir, "volumes"), "node-1"); err != nil {
		t.Fatal(err)
	}
	if err := driver.Attach(t.Context(), id, "node-2"); err != nil {
		t.Errorf("after the end of its node it does not come to another one: %v", err)
	}
	if err := driver.Detach(t.Context(), id, "node-2"); err != nil {
		t.Error(err)
	}
}

// A volume that two nodes can have goes when both have left, in whatever order, and nobody else gets it.
func TestVolumeAtSeveralNodes(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	kind := Kind{Attaching: time.Millisecond, Detaching: attachedAfter, Plan: func(r *csi.CreateVolumeRequest) (Plan, error) {
		plan, err := planLoop(r)
		plan.Nodes = 2
		return plan, err
	}}
	driver, id := newVolumeOf(t, kind, dir)
	t.Cleanup(func() { cleanUp(t, dir) })
	inUse := (*InUseError)(nil)
	attachBoth := func() {
		for _, node := range []string{"node-1", "node-2", "node-1"} {
			if err := driver.Attach(t.Context(), id, node); err != nil {
				t.Fatal(err)
			}
		}
		if err := driver.Attach(t.Context(), id, "node-3"); !errors.As(err, &inUse) {
			t.Errorf("a third node gets it: %v", err)
		}
	}
	attachBoth()
	if err := driver.Detach(t.Context(), id, "node-1"); err != nil {
		t.Fatal(err)
	}
	if device, err := driver.deviceAt(t.Context(), id, "node-1"); err != nil || device != "" {
		t.Errorf("the node that it has left has device %q, %v", device, err)
	}
	if _, device, err := driver.attachment(id); err != nil || device == "" {
		t.Errorf("the other node has lost its device: %v", err)
	}
	if err := remove(driver, id); !errors.As(err, &inUse) || inUse.Node != "node-2" {
		t.Errorf("it is deleted while a node has it: %v", err)
	}

	attachBoth()
	var wait sync.WaitGroup
	for _, node := range []string{"node-1", "node-2"} {
		wait.Go(func() {
			if err := driver.Detach(t.Context(), id, node); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	attachBoth()
	for _, node := range []string{"node-2", "node-1"} {
		if err := DetachAll(t.Context(), filepath.Join(dir, "volumes"), node); err != nil {
			t.Fatal(err)
		}
	}
	if err := remove(driver, id); err != nil {
		t.Error(err)
	}
}
