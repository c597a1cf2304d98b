package loopcsi

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopdev"
)

// TestSanity runs the conformance tests of the CSI community, on real loop devices.
func TestSanity(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	// Not t.TempDir: its long name does not fit a socket's path.
	dir, err := os.MkdirTemp("", "loopcsi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cleanUp(t, dir) })
	driver, err := New(Options{Volumes: filepath.Join(dir, "volumes"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	node := csiserve.Node{Name: "node-1", Dir: dir, Kubepods: dir}
	go func() { served <- driver.ServeNode(ctx, node) }()

	config := sanity.NewTestConfig()
	config.Address = node.Sockets(SocketName).CSI
	config.TargetPath = filepath.Join(dir, "target")
	config.StagingPath = filepath.Join(dir, "staging")
	config.TestVolumeSize = 32 * mib
	config.IdempotentCount = 2
	sanity.Test(t, config)

	stop()
	if err := errors.Join(<-served, driver.Close()); err != nil {
		t.Error(err)
	}
}

func cleanUp(t *testing.T, dir string) {
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
