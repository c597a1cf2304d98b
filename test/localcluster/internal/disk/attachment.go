package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// attachment is what is written down of a volume that nodes have, as in a cloud's books. For each of them it holds from the moment at which attaching begins until
// detaching has ended, whether there is a device or not: a restart of the machine takes that away. All nodes are on one machine, so that they share one device, which does
// not tell for which it is.
type attachment struct {
	Nodes []string `json:"nodes"`
	// File is what is attached: the disk, or, of a volume with limits, the file as which it is served.
	File string `json:"file"`
}

func (a attachment) isAt(node string) bool { return slices.Contains(a.Nodes, node) }

// without returns the attachment as it is after a node has left it.
func (a attachment) without(node string) attachment {
	a.Nodes = slices.DeleteFunc(slices.Clone(a.Nodes), func(n string) bool { return n == node })
	return a
}

// InUseError is the error of what cannot be done because a node has the volume.
type InUseError struct{ ID, Node string }

// Error is part of error.
func (e *InUseError) Error() string {
	return fmt.Sprintf("volume %s is attached to node %s", e.ID, e.Node)
}

// GRPCStatus is what a caller is told where nobody translates the error.
func (e *InUseError) GRPCStatus() *status.Status {
	return status.New(codes.FailedPrecondition, e.Error()+", and free when no pod there uses it any more")
}

// attachment returns what is written down of a volume, nothing where no node has it, and its device, "" where there is none.
func (v *Volumes) attachment(id string) (a attachment, device string, err error) {
	if err := state.ReadJSONIfThere(v.store.path(id, attachmentName), &a); err != nil || len(a.Nodes) == 0 {
		return a, "", err
	}
	device, err = loopdev.Find(a.File)
	return a, device, err
}

// file returns what is to be attached of a volume.
func (v *Volumes) file(id string) (string, error) {
	stored, err := v.store.get(id)
	if err != nil || stored.Performance == (Performance{}) {
		return v.store.disk(id), err
	}
	return filepath.Join(v.disks, id, diskName), nil
}

// Attach attaches a volume to a node, which takes its time. No more nodes may have it than the plan of the volume says.
func (v *Volumes) Attach(ctx context.Context, id, node string) error {
	there := false
	err := v.locked(id, func() (err error) {
		there, err = v.beginAttaching(id, node)
		return err
	})
	if there || err != nil {
		return err
	}
	if err := pass(ctx, v.kind.Attaching); err != nil {
		return err
	}
	return v.locked(id, func() error {
		device, err := v.deviceAt(ctx, id, node)
		switch {
		case err != nil && !v.kind.attaches():
			return errors.Join(err, v.forgetAttachment(ctx, id, node)) // nobody unstages what was not staged
		case err == nil && device == "":
			return fmt.Errorf("volume %s was detached from node %s while it was being attached", id, node)
		}
		return err
	})
}

// beginAttaching writes down for which node the volume is. It is there if the node has its device.
func (v *Volumes) beginAttaching(id, node string) (there bool, err error) {
	a, device, err := v.attachment(id)
	if err != nil || a.isAt(node) {
		return device != "", err
	}
	stored, err := v.store.get(id)
	if err != nil {
		return false, err
	}
	if len(a.Nodes) >= max(stored.Nodes, 1) {
		return false, &InUseError{ID: id, Node: a.Nodes[0]}
	}
	if a.File, err = v.file(id); err != nil {
		return false, err
	}
	a.Nodes = append(a.Nodes, node)
	return false, state.WriteJSON(v.store.path(id, attachmentName), a, 0o600)
}

// deviceAt returns the device of a volume that a node has, "" where it has not got it. Where there is none it is made, first or again.
func (v *Volumes) deviceAt(ctx context.Context, id, node string) (string, error) {
	a, device, err := v.attachment(id)
	if err != nil || !a.isAt(node) {
		return "", err
	}
	if device != "" {
		return device, nil
	}
	device, err = loopdev.Attach(ctx, a.File)
	if err == nil {
		v.log.Info("Volume attached", "volume", id, "node", node, "device", device)
	}
	return device, err
}

// Detach takes a volume from a node, which takes its time, and does not end as long as it is mounted there. It is no error if the node has not got it.
func (v *Volumes) Detach(ctx context.Context, id, node string) error {
	begun := false
	err := v.locked(id, func() (err error) {
		begun, err = v.beginDetaching(ctx, id, node)
		return err
	})
	if !begun || err != nil {
		return err
	}
	if err := pass(ctx, v.kind.Detaching); err != nil {
		return err
	}
	return v.locked(id, func() error { return v.forgetAttachment(ctx, id, node) })
}

// forgetAttachment forgets that a node has a volume. With the last node the device goes.
func (v *Volumes) forgetAttachment(ctx context.Context, id, node string) error {
	a, _, err := v.attachment(id)
	if err != nil {
		return err
	}
	return leave(ctx, v.store.path(id, attachmentName), a, node)
}

func (v *Volumes) beginDetaching(ctx context.Context, id, node string) (begun bool, err error) {
	a, device, err := v.attachment(id)
	if err != nil || !a.isAt(node) {
		return false, err
	}
	if device == "" || len(a.Nodes) > 1 {
		return true, nil
	}
	if err := loopdev.Detach(ctx, device); err != nil {
		return false, err
	}
	v.log.Info("Volume detached", "volume", id, "node", node, "device", device)
	return true, nil
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
		if !a.isAt(node) {
			continue
		}
		if err := leave(ctx, note, a, node); err != nil {
			return err
		}
	}
	return nil
}

// leave takes a node out of a note of an attachment. With the last node the device goes, and the note.
func leave(ctx context.Context, note string, a attachment, node string) error {
	a = a.without(node)
	if len(a.Nodes) > 0 {
		return state.WriteJSON(note, a, 0o600)
	}
	device, err := loopdev.Find(a.File)
	if err == nil && device != "" {
		err = loopdev.Detach(ctx, device)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(note)
}
