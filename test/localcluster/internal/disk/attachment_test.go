package disk

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

// testNode is a driver's node, with a staging path for the one volume of the test.
type testNode struct {
	*onNode
	staging string
}

func newTestNode(driver *Volumes, name, dir string) testNode {
	return testNode{
		onNode:  &onNode{Volumes: driver, node: csidriver.Node{Name: name, Dir: dir}},
		staging: filepath.Join(dir, name, "staging"),
	}
}

func (n testNode) stage(id string) error {
	_, err := n.NodeStageVolume(context.Background(), &csi.NodeStageVolumeRequest{VolumeId: id, StagingTargetPath: n.staging, VolumeCapability: disk()})
	return err
}

func (n testNode) publish(id string) error {
	_, err := n.NodePublishVolume(context.Background(), &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: n.staging, TargetPath: n.staging + "-target", VolumeCapability: disk(),
	})
	return err
}

func (n testNode) unstage(t *testing.T, id string) {
	t.Helper()
	if _, err := n.NodeUnstageVolume(t.Context(), &csi.NodeUnstageVolumeRequest{VolumeId: id, StagingTargetPath: n.staging}); err != nil {
		t.Fatalf("unstage on %s: %v", n.node.Name, err)
	}
}

// remove deletes a volume.
func remove(driver *Volumes, id string) error {
	_, err := driver.DeleteVolume(context.Background(), &csi.DeleteVolumeRequest{VolumeId: id})
	return err
}

func disk() *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{FsType: "ext4"}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
	}
}

// newTestVolume returns a driver and the id of a volume, which the test's end removes.
func newTestVolume(t *testing.T, dir string) (driver *Volumes, id string) {
	t.Helper()
	return newVolumeOf(t, Loop, dir)
}

func newVolumeOf(t *testing.T, kind Kind, dir string) (driver *Volumes, id string) {
	t.Helper()
	driver, err := Open(kind, csidriver.Options{Volumes: filepath.Join(dir, "volumes"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	created, err := driver.CreateVolume(t.Context(), &csi.CreateVolumeRequest{
		Name: "pvc-1", CapacityRange: &csi.CapacityRange{RequiredBytes: 32 * mib}, VolumeCapabilities: []*csi.VolumeCapability{disk()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return driver, created.GetVolume().GetVolumeId()
}

func TestVolumeIsAtOneNodeAtATime(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	dir := t.TempDir()
	driver, id := newTestVolume(t, dir)
	first, second := newTestNode(driver, "node-1", dir), newTestNode(driver, "node-2", dir)
	t.Cleanup(func() {
		for _, n := range []testNode{first, second} {
			_ = n.unmount(n.staging)
		}
		cleanUp(t, dir)
	})
	if err := first.stage(id); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first.staging, "who"), []byte("node-1"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Asked again, as a kubelet does that has started anew.
	if err := first.stage(id); err != nil {
		t.Fatal(err)
	}

	if err := second.stage(id); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "node-1") {
		t.Errorf("a second node attaches it: %v", err)
	}
	if err := second.publish(id); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a node publishes what another one has: %v", err)
	}
	second.unstage(t, id)
	if a, device, err := driver.attachment(id); err != nil || device == "" || !a.isAt("node-1") {
		t.Errorf("after another node's unstaging it is %q at %q, %v", device, a.Nodes, err)
	}
	if err := remove(driver, id); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("it is deleted while a node has it: %v", err)
	}

	first.unstage(t, id)
	if err := second.stage(id); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(second.staging, "who")); err != nil || string(content) != "node-1" {
		t.Errorf("on the second node it holds %q, %v", content, err)
	}
	second.unstage(t, id)
	if err := remove(driver, id); err != nil {
		t.Error(err)
	}
}

// A volume that could not be attached as it was staged is at no node: nobody would unstage it.
func TestStagingThatFails(t *testing.T) {
	dir := t.TempDir()
	driver, id := newTestVolume(t, dir)
	disk, away := driver.store.disk(id), filepath.Join(dir, "away")
	if err := os.Rename(disk, away); err != nil {
		t.Fatal(err)
	}
	if err := newTestNode(driver, "node-1", dir).stage(id); err == nil {
		t.Error("a volume without a disk is staged")
	}
	if a, _, err := driver.attachment(id); err != nil || len(a.Nodes) > 0 {
		t.Errorf("it is at %q, %v", a.Nodes, err)
	}
	if err := remove(driver, id); err != nil {
		t.Error(err)
	}
}

// What a cloud does when it terminates an instance.
func TestDetachAll(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	dir := t.TempDir()
	driver, id := newTestVolume(t, dir)
	first, second := newTestNode(driver, "node-1", dir), newTestNode(driver, "node-2", dir)
	t.Cleanup(func() {
		for _, n := range []testNode{first, second} {
			_ = n.unmount(n.staging)
		}
		cleanUp(t, dir)
	})
	if err := first.stage(id); err != nil {
		t.Fatal(err)
	}
	if err := first.unmount(first.staging); err != nil {
		t.Fatal(err)
	}
	if err := DetachAll(t.Context(), filepath.Join(dir, "volumes"), "node-2"); err != nil {
		t.Fatal(err)
	}
	if a, _, err := driver.attachment(id); err != nil || !a.isAt("node-1") {
		t.Errorf("after the loss of another node the volume is at %q, %v", a.Nodes, err)
	}
	if err := DetachAll(t.Context(), filepath.Join(dir, "volumes"), "node-1"); err != nil {
		t.Fatal(err)
	}
	if err := second.stage(id); err != nil {
		t.Errorf("after the loss of its node the volume cannot come to another one: %v", err)
	}
	second.unstage(t, id)
}

func cleanUp(t *testing.T, dir string) {
	t.Helper()
	devices, err := loopdev.List()
	if err != nil {
		t.Error(err)
	}
	for _, device := range devices {
		if strings.HasPrefix(device.BackingFile, dir+"/") {
			t.Errorf("%s is still attached to %s", device.Path, device.BackingFile)
			_ = loopdev.Detach(context.Background(), device.Path)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
