package drivers

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/efs"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

const (
	mib            = 1 << 20
	gib            = 1 << 30
	testFileSystem = "fs-0123456789abcdef0"
)

// TestSanity runs the conformance tests of the CSI community, on real loop devices and
// real FUSE mounts.
func TestSanity(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices and mounts need root")
	}
	// Not t.TempDir: its long name does not fit a socket's path.
	dir, err := os.MkdirTemp("", "drivers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cleanUp(t, dir) })
	if err := efs.CreateFileSystem(filepath.Join(dir, EFS.ShortName, "volumes"), testFileSystem, efsfuse.Limits{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served, ctx := errgroup.WithContext(ctx)
	var contexts []*sanity.TestContext
	for _, test := range []struct {
		driver              csidriver.Driver
		size                int64
		parameters, mutable map[string]string
	}{
		{driver: Loop, size: 32 * mib},
		{driver: EBS, size: gib, parameters: map[string]string{"type": "gp2"}, mutable: map[string]string{"type": "gp3", "throughput": "250"}},
		{driver: EFS, size: sanity.NewTestConfig().TestVolumeSize, parameters: map[string]string{
			"provisioningMode": "efs-ap", "fileSystemId": testFileSystem, "directoryPerms": "700",
			// The longest name of a volume is too long for a directory's.
			"subPathPattern": "sanity",
		}},
	} {
		config := serve(ctx, t, served, test.driver, filepath.Join(dir, test.driver.ShortName))
		config.TestVolumeSize = test.size
		config.TestVolumeParameters = test.parameters
		config.TestVolumeMutableParameters = test.mutable
		config.IdempotentCount = 2
		ginkgo.Describe(test.driver.Name, func() { contexts = append(contexts, sanity.GinkgoTest(config)) })
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "CSI")
	for _, c := range contexts {
		c.Finalize()
	}

	stop()
	if err := served.Wait(); err != nil {
		t.Error(err)
	}
}

// serve has a driver serve a node, and returns how to reach it.
func serve(ctx context.Context, t *testing.T, served *errgroup.Group, driver csidriver.Driver, dir string) *sanity.TestConfig {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	disks := filepath.Join(dir, "disks")
	if driver.ShortName != EFS.ShortName {
		server, err := disk.Serve(filepath.Join(dir, "volumes"), disks, log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	volumes, err := driver.Open(csidriver.Options{Volumes: filepath.Join(dir, "volumes"), Disks: disks, Mounts: dir, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	node := csidriver.Node{Name: "node-1", Dir: dir}
	served.Go(func() error { return driver.Serve(ctx, volumes, node, log) })

	config := sanity.NewTestConfig()
	config.Address = node.Sockets(driver.ShortName).CSI
	config.TargetPath = filepath.Join(dir, "target")
	config.StagingPath = filepath.Join(dir, "staging")
	return &config
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
