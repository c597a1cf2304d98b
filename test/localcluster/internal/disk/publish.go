package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// What is here is of kinds whose volumes the controller attaches to nodes. There the note of an attachment is what a cloud has in its books: it holds as long
// as nobody detaches the volume, whether there is a device or not, and from the moment at which attaching begins until detaching has ended.

// DevicePathKey is what a node is told of a volume that the controller has attached: where to find it.
const DevicePathKey = "devicePath"

// InUseError is the error of what cannot be done because a node has the volume.
type InUseError struct{ ID, Node string }

// Error is part of error.
func (e *InUseError) Error() string {
	return fmt.Sprintf("volume %s is attached to node %s", e.ID, e.Node)
}

// attaches says whether the controller attaches the volumes, and not their staging.
func (k Kind) attaches() bool { return k.Attaching > 0 }

// holder returns the node that a volume is attached to by the controller, or is on its way to or from, "" for none.
func (v *Volumes) holder(id string) (string, error) {
	if !v.kind.attaches() {
		return "", nil
	}
	var a attachment
	err := state.ReadJSON(v.store.path(id, attachmentName), &a)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return a.Node, err
}

// Attach attaches a volume to a node, which takes its time. Another node must not have it.
func (v *Volumes) Attach(ctx context.Context, id, node string) error {
	if done, err := v.beginAttaching(id, node); done || err != nil {
		return err
	}
	if err := pass(ctx, v.kind.Attaching); err != nil {
		return err
	}
	defer v.lock(id)()
	holder, err := v.holder(id)
	if err == nil && holder != node {
		err = fmt.Errorf("volume %s was detached from node %s while it was being attached", id, node)
	}
	if err == nil {
		_, err = v.at(node).attach(ctx, id)
	}
	return err
}

// beginAttaching notes for which node the volume is. It is done if the node has it already.
func (v *Volumes) beginAttaching(id, node string) (done bool, err error) {
	defer v.lock(id)()
	if err := v.Check(id); err != nil {
		return false, err
	}
	switch holder, err := v.holder(id); {
	case err != nil:
		return false, err
	case holder == "":
		return false, state.WriteJSON(v.store.path(id, attachmentName), attachment{Node: node}, 0o600)
	case holder != node:
		return false, &InUseError{ID: id, Node: holder}
	}
	device, err := v.at(node).attached(id)
	return device != "", err
}

// Detach takes a volume from a node, which takes its time, and does not end as long as it is mounted there. It is no error if the node has not got it.
func (v *Volumes) Detach(ctx context.Context, id, node string) error {
	if begun, err := v.beginDetaching(ctx, id, node); !begun || err != nil {
		return err
	}
	if err := pass(ctx, v.kind.Detaching); err != nil {
		return err
	}
	defer v.lock(id)()
	return v.store.deleteAttachment(id)
}

func (v *Volumes) beginDetaching(ctx context.Context, id, node string) (begun bool, err error) {
	defer v.lock(id)()
	if holder, err := v.holder(id); err != nil || holder != node {
		return false, err
	}
	return true, v.at(node).detach(ctx, id)
}

// at are the volumes as a node sees them, for what concerns its name alone.
func (v *Volumes) at(node string) *onNode {
	return &onNode{Volumes: v, node: csidriver.Node{Name: node}}
}

// pass lets time pass.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// deviceFor returns the device of a volume that is to be staged. One that the controller attaches has to be at the node; its device is there again after a
// restart of the machine.
func (d *onNode) deviceFor(ctx context.Context, r *csi.NodeStageVolumeRequest) (string, error) {
	if d.kind.attaches() {
		if err := d.checkPublished(r); err != nil {
			return "", err
		}
	}
	return d.attach(ctx, r.GetVolumeId())
}

// checkPublished refuses a volume that the controller has not attached, in the words of the driver of EBS.
func (d *onNode) checkPublished(r *csi.NodeStageVolumeRequest) error {
	path := r.GetPublishContext()[DevicePathKey]
	if path == "" {
		return status.Error(codes.InvalidArgument, "Device path not provided")
	}
	holder, err := d.holder(r.GetVolumeId())
	if err == nil && holder != d.node.Name {
		return status.Errorf(codes.NotFound, "Failed to find device path %s. no device path for device %q volume %q found", path, path, r.GetVolumeId())
	}
	return err
}

// Planned returns the plan of a volume.
func (v *Volumes) Planned(id string) (Plan, error) {
	found, err := v.store.get(id)
	return found.Plan, err
}
