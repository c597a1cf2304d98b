package efscsi

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
)

const testFileSystem = "fs-0123456789abcdef0"

// TestSanity runs the conformance tests of the CSI community, on real FUSE mounts.
func TestSanity(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts need root")
	}
	// Not t.TempDir: its long name does not fit a socket's path.
	dir, err := os.MkdirTemp("", "efscsi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	fileSystems := filepath.Join(dir, "efs")
	if err := CreateFileSystem(fileSystems, testFileSystem, efsfuse.Limits{}); err != nil {
		t.Fatal(err)
	}
	driver, err := New(Options{FileSystems: fileSystems, Mounts: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	node := csiserve.Node{Name: "node-1", Dir: dir}
	go func() { served <- driver.ServeNode(ctx, node) }()

	config := sanity.NewTestConfig()
	config.Address = node.Sockets(SocketName).CSI
	config.TargetPath = filepath.Join(dir, "target")
	config.StagingPath = filepath.Join(dir, "staging")
	config.TestVolumeParameters = map[string]string{
		"provisioningMode": "efs-ap", "fileSystemId": testFileSystem, "directoryPerms": "700",
		// The longest name of a volume is too long for a directory's.
		"subPathPattern": "sanity",
	}
	config.IdempotentCount = 2
	sanity.Test(t, config)

	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
