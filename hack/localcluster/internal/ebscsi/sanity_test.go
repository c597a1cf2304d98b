package ebscsi

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopcsi"
)

// TestSanity runs the conformance tests of the CSI community, on real loop devices.
func TestSanity(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	// Not t.TempDir: its long name does not fit a socket's path.
	dir, err := os.MkdirTemp("", "ebscsi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	driver, err := loopcsi.NewOf(withPod(t), loopcsi.Options{Volumes: filepath.Join(dir, "volumes"), Log: slog.New(slog.DiscardHandler)})
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
	config.TestVolumeSize = gib
	config.TestVolumeParameters = map[string]string{"type": "gp2"}
	config.TestVolumeMutableParameters = map[string]string{"type": "gp3", "throughput": "250"}
	config.IdempotentCount = 2
	sanity.Test(t, config)

	stop()
	if err := errors.Join(<-served, driver.Close()); err != nil {
		t.Error(err)
	}
}

// withPod is the driver with the pod that the kubelet would name.
func withPod(t *testing.T) loopcsi.Kind {
	t.Helper()
	kind, err := kindOf()
	if err != nil {
		t.Fatal(err)
	}
	plan := kind.Plan
	kind.Plan = func(r *csi.CreateVolumeRequest) (loopcsi.Plan, error) {
		p, err := plan(r)
		p.Context = map[string]string{"csi.storage.k8s.io/pod.uid": "pod"}
		return p, err
	}
	return kind
}
