package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// attachment is a volume at a node. It is written down, because all nodes are on one
// machine and the device does not tell for which of them it is.
type attachment struct {
	Node string `json:"node"`
	// File is what is attached: the disk, or, of a volume with limits, the file as which it is served.
	File string `json:"file"`
}

// attachment returns the device of a volume and the node that has it. Both are "" where
// none has: the note alone proves nothing, it survives a restart of the machine.
func (v *Volumes) attachment(id string) (device, node string, err error) {
	var a attachment
	if err := state.ReadJSON(v.store.path(id, attachmentName), &a); errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	} else if err != nil {
		return "", "", err
	}
	if device, err = loopdev.Find(a.File); device == "" || err != nil {
		return "", "", err
	}
	return device, a.Node, nil
}

// file returns what is to be attached of a volume.
func (v *Volumes) file(id string) (string, error) {
	stored, err := v.store.get(id)
	if err != nil || stored.Performance == (Performance{}) {
		return v.store.disk(id), err
	}
	return filepath.Join(v.disks, id, diskName), nil
}

// attach attaches a volume to the node, unless another one has it: as with a disk of a
// cloud's zone, each node can have it, one at a time.
func (d *onNode) attach(ctx context.Context, id string) (string, error) {
	device, node, err := d.attachment(id)
	if err != nil {
		return "", err
	}
	if device != "" && node != d.node.Name {
		return "", status.Errorf(codes.FailedPrecondition, "volume %s is attached to node %s, and can come to %s when no pod there uses it any more", id, node, d.node.Name)
	}
	if device != "" {
		return device, nil
	}
	file, err := d.file(id)
	if err != nil {
		return "", err
	}
	// First the note: who finds a device must find for whom.
	if err := state.WriteJSON(d.store.path(id, attachmentName), attachment{Node: d.node.Name, File: file}, 0o600); err != nil {
		return "", err
	}
	if device, err = loopdev.Attach(ctx, file); err != nil {
		return "", err
	}
	d.log.Info("Volume attached", "volume", id, "node", d.node.Name, "device", device)
	return device, nil
}

// attached returns the device of a volume that the node has, "" when it has not.
func (d *onNode) attached(id string) (string, error) {
	device, node, err := d.attachment(id)
	if err != nil || node != d.node.Name {
		return "", err
	}
	return device, nil
}

// DetachAll takes all volumes below a directory from a node that is gone, as a cloud does when it terminates an
// instance. Nothing may have them mounted. It may be called beside a running driver, which does not hand out a volume
// while another node has it.
func DetachAll(ctx context.Context, dir, node string) error {
	notes, err := filepath.Glob(filepath.Join(dir, "*", attachmentName))
	if err != nil {
		return err
	}
	for _, note := range notes {
		var a attachment
		if err := state.ReadJSON(note, &a); errors.Is(err, fs.ErrNotExist) {
			continue // deleted since
		} else if err != nil {
			return err
		}
		if a.Node != node {
			continue
		}
		device, err := loopdev.Find(a.File)
		if err == nil && device != "" {
			err = loopdev.Detach(ctx, device)
		}
		if err == nil {
			err = os.RemoveAll(note)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
