package efs

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
)

// mountOn mounts the file system on a node and returns where.
func mountOn(t *testing.T, n *onNode) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounts need root")
	}
	target := filepath.Join(t.TempDir(), n.nodeID)
	if _, err := n.NodePublishVolume(t.Context(), &csi.NodePublishVolumeRequest{
		VolumeId: testFileSystem, TargetPath: target, VolumeCapability: mountCapability(),
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := n.NodeUnpublishVolume(context.Background(), &csi.NodeUnpublishVolumeRequest{VolumeId: testFileSystem, TargetPath: target}); err != nil {
			t.Error(err)
		}
	})
	return target
}

func TestNodesSeeOneFileSystem(t *testing.T) {
	n := newNode(t)
	first, second := mountOn(t, n), mountOn(t, n.onNode("node-2"))
	if err := os.WriteFile(filepath.Join(first, "file"), []byte("of node-1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(second, "file")); err != nil || string(content) != "of node-1" {
		t.Errorf("the other node reads %q, %v", content, err)
	}
}

// A node is one client, whatever it mounts, and all clients share the file system's limits.
func TestNodesAreClientsOfOneServer(t *testing.T) {
	first := newNode(t)
	second := first.onNode("node-2")
	connect := func(n *onNode) *efsfuse.Connection {
		t.Helper()
		connection, err := n.connection(testFileSystem)
		if err != nil {
			t.Fatal(err)
		}
		return connection
	}
	client := connect(first)
	if connect(first) != client {
		t.Error("a node has two connections")
	}
	if connect(second) == client {
		t.Error("two nodes have one connection")
	}
}

func TestNodesShareTheFileSystemsLimits(t *testing.T) {
	const writesPerSecond, writesOfEach = 200, 50
	n := newNode(t)
	if err := CreateFileSystem(n.store.dir, testFileSystem, efsfuse.Limits{WriteIOPS: writesPerSecond}); err != nil {
		t.Fatal(err)
	}
	dirs := []string{mountOn(t, n), mountOn(t, n.onNode("node-2"))}
	began := time.Now()
	var group errgroup.Group
	for _, dir := range dirs {
		group.Go(func() error { return writeOften(filepath.Join(dir, filepath.Base(dir)), writesOfEach) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	// It may take longer, and with a limit for each node it would take half of it.
	least := time.Duration(len(dirs)) * writesOfEach * time.Second / writesPerSecond
	if passed := time.Since(began); passed < least {
		t.Errorf("%d writes of each of two nodes took %v, the limit of both is %d a second", writesOfEach, passed, writesPerSecond)
	}
}

func writeOften(file string, times int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	for range times {
		if _, err := f.WriteAt([]byte("x"), 0); err != nil {
			return err
		}
	}
	return f.Close()
}
