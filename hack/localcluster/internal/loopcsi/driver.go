// Package loopcsi is a CSI driver whose volumes are loop devices over files: real
// block devices of a real size, with limits like those of a cloud's disks.
package loopcsi

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"k8s.io/mount-utils"
	utilexec "k8s.io/utils/exec"
	"k8s.io/utils/keymutex"
)

// DriverName is the driver's name in Kubernetes.
const DriverName = "loop.csi.storagebench.dev"

const driverVersion = "0.1.0"

// Options of a driver.
type Options struct {
	NodeID string
	// Volumes is the directory of the volumes' files.
	Volumes string
	// Kubepods is the blkio cgroup that holds the pods' cgroups.
	Kubepods string
	Log      *slog.Logger
}

// Driver implements the CSI services.
type Driver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer

	nodeID   string
	store    *store
	throttle *throttler
	mounter  *mount.SafeFormatAndMount
	log      *slog.Logger
	// volumes has a lock for each volume: calls for one volume come one at a time,
	// whatever callers do.
	volumes keymutex.KeyMutex
	// registered is true once the kubelet has taken the driver.
	registered atomic.Bool
}

// New returns a driver that takes up the work of an earlier one.
func New(o Options) (*Driver, error) {
	s, err := openStore(o.Volumes)
	if err != nil {
		return nil, err
	}
	d := &Driver{
		nodeID:   o.NodeID,
		store:    s,
		throttle: newThrottler(o.Kubepods, o.Log),
		mounter:  mount.NewSafeFormatAndMount(mount.New(""), utilexec.New()),
		log:      o.Log,
		volumes:  keymutex.NewHashed(64),
	}
	published, err := s.publications("*")
	if err != nil {
		return nil, err
	}
	for _, p := range published {
		d.throttle.add(p)
	}
	return d, nil
}

func (d *Driver) lock(id string) (unlock func()) {
	d.volumes.LockKey(id)
	// The error is only for keys that were not locked.
	return func() { _ = d.volumes.UnlockKey(id) }
}

// GetPluginInfo is part of the Identity service.
func (d *Driver) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: DriverName, VendorVersion: driverVersion}, nil
}

// GetPluginCapabilities is part of the Identity service.
func (d *Driver) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{{
		Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{
			Type: csi.PluginCapability_Service_CONTROLLER_SERVICE,
		}},
	}}}, nil
}

// Probe is part of the Identity service. A driver that the kubelet does not know is
// of no use to pods.
func (d *Driver) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(d.registered.Load())}, nil
}
