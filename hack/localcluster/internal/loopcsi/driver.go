// Package loopcsi makes CSI drivers whose volumes are loop devices over files: real
// block devices of a real size, with limits like those of a cloud's disks. Its own
// driver is of the plainest kind; a Kind makes another of it.
package loopcsi

import (
	"context"
	"log/slog"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"k8s.io/mount-utils"
	utilexec "k8s.io/utils/exec"
	"k8s.io/utils/keymutex"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
)

const (
	// DriverName is the driver's name in Kubernetes.
	DriverName = "loop.csi.storagebench.dev"
	// SocketName is its name among the sockets of a node.
	SocketName = "loop"
)

// Options of a driver.
type Options struct {
	// Volumes is the directory of the volumes' files.
	Volumes string
	Log     *slog.Logger
}

// Driver serves all nodes of a cluster, because a volume goes from one node to another,
// and its limits with it.
type Driver struct {
	csi.UnimplementedControllerServer

	kind     Kind
	store    *store
	throttle *throttler
	mounter  *mount.SafeFormatAndMount
	log      *slog.Logger
	// volumes has a lock for each volume: calls for one volume come one at a time,
	// whatever callers do.
	volumes keymutex.KeyMutex
}

// New returns a driver of loop volumes that takes up the work of an earlier one.
func New(o Options) (*Driver, error) { return NewOf(loopKind, o) }

// NewOf returns a driver of the given kind that takes up the work of an earlier one.
func NewOf(kind Kind, o Options) (*Driver, error) {
	s, err := openStore(o.Volumes)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		kind:     kind,
		store:    s,
		throttle: newThrottler(o.Log),
		mounter:  mount.NewSafeFormatAndMount(mount.New(""), utilexec.New()),
		log:      o.Log,
		volumes:  keymutex.NewHashed(64),
	}
	return d, d.takeUp()
}

// takeUp throttles again what was throttled before the driver ended.
func (d *Driver) takeUp() error {
	published, err := d.store.publications("*")
	if err != nil {
		return err
	}
	for _, p := range published {
		if err := d.throttlePod(p); err != nil {
			return err
		}
	}
	return nil
}

func (d *Driver) lock(id string) (unlock func()) {
	d.volumes.LockKey(id)
	// The error is only for keys that were not locked.
	return func() { _ = d.volumes.UnlockKey(id) }
}

// nodeDriver is the driver as one node sees it.
type nodeDriver struct {
	csi.UnimplementedNodeServer
	*Driver

	node csiserve.Node
}

// ServeNode serves a node until the context ends.
func (d *Driver) ServeNode(ctx context.Context, node csiserve.Node) error {
	sockets := node.Sockets(d.kind.SocketName)
	return csiserve.Serve(ctx, csiserve.Driver{Name: d.kind.Name, Controller: d, Node: &nodeDriver{Driver: d, node: node}, Log: d.log}, sockets)
}

// Close keeps what the budgets of the volumes in use have left.
func (d *Driver) Close() error { return d.throttle.close() }
