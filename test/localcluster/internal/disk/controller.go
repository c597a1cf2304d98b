package disk

import (
	"context"
	"errors"
	"fmt"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// CreateVolume is part of the Controller service.
func (v *Volumes) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	plan, err := v.kind.Plan(r)
	if err != nil {
		return nil, err
	}
	source := r.GetVolumeContentSource()
	wanted := volume{Plan: plan, Name: r.GetName(), Source: source.GetVolume().GetVolumeId()}
	defer v.lock(wanted.ID)()
	existing, err := v.store.get(wanted.ID)
	switch {
	case err == nil:
		if err := sameVolume(existing, wanted, r.GetCapacityRange()); err != nil {
			return nil, status.Errorf(codes.AlreadyExists, "volume %q exists with other properties: %v", wanted.Name, err)
		}
		wanted = existing
	case isNotFound(err):
		if err := v.checkSource(wanted); err != nil {
			return nil, err
		}
		if err := v.store.create(wanted); err != nil {
			return nil, createError(err)
		}
		v.log.Info("Volume created", "volume", wanted.ID, "capacityBytes", wanted.CapacityBytes, "performance", wanted.Performance, "source", wanted.Source)
	default:
		return nil, err
	}
	made := &csi.Volume{VolumeId: wanted.ID, CapacityBytes: wanted.CapacityBytes, ContentSource: source}
	if wanted.Topology != nil {
		made.AccessibleTopology = []*csi.Topology{{Segments: wanted.Topology}}
	}
	return &csi.CreateVolumeResponse{Volume: made}, nil
}

// checkSource refuses a copy of a volume that does not exist, or that is larger. The source is not locked: it may be in use, and Kubernetes
// does not delete it meanwhile.
func (v *Volumes) checkSource(wanted volume) error {
	if wanted.Source == "" {
		return nil
	}
	source, err := v.store.get(wanted.Source)
	if err == nil && wanted.CapacityBytes < source.CapacityBytes {
		return status.Errorf(codes.OutOfRange, "volume %q has %d bytes, which do not fit into %d", wanted.Source, source.CapacityBytes, wanted.CapacityBytes)
	}
	return err
}

func sameVolume(existing, wanted volume, requested *csi.CapacityRange) error {
	if existing.Source != wanted.Source {
		return fmt.Errorf("it was made from %q, asked for is one from %q", existing.Source, wanted.Source)
	}
	if existing.Performance != wanted.Performance {
		return fmt.Errorf("it has the performance %+v, asked for is %+v", existing.Performance, wanted.Performance)
	}
	if existing.Settings != wanted.Settings {
		return fmt.Errorf("it has the settings %s, asked for are %s", existing.Settings, wanted.Settings)
	}
	least, most := requested.GetRequiredBytes(), requested.GetLimitBytes()
	if size := existing.CapacityBytes; size < least || most > 0 && size > most {
		return fmt.Errorf("it has %d bytes, asked for are %d to %d", size, least, most)
	}
	return nil
}

func createError(err error) error {
	switch {
	case errors.Is(err, unix.EFBIG):
		return status.Errorf(codes.OutOfRange, "the disk below cannot hold a file of that size: %v", err)
	case errors.Is(err, unix.ENOSPC):
		return status.Errorf(codes.ResourceExhausted, "the disk below is full: %v", err)
	}
	return err
}

// DeleteVolume is part of the Controller service.
func (v *Volumes) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	err := v.locked(r.GetVolumeId(), func() error { return v.delete(r.GetVolumeId()) })
	if isNotFound(err) {
		err = nil
	}
	return &csi.DeleteVolumeResponse{}, err
}

func (v *Volumes) delete(id string) error {
	if a, _, err := v.attachment(id); err != nil {
		return err
	} else if len(a.Nodes) > 0 {
		return &InUseError{ID: id, Node: a.Nodes[0]}
	}
	if err := v.store.delete(id); err != nil {
		return err
	}
	v.log.Info("Volume deleted", "volume", id)
	return nil
}

// Check is part of csidriver.Volumes.
func (v *Volumes) Check(id string) error {
	_, err := v.store.get(id)
	return err
}

// Planned returns the plan of a volume.
func (v *Volumes) Planned(id string) (Plan, error) {
	found, err := v.store.get(id)
	return found.Plan, err
}

func isNotFound(err error) bool { return status.Code(err) == codes.NotFound }

// Modify changes the plan of a volume, which is in force when a node gets it next.
func (v *Volumes) Modify(id string, change func(Plan) (Plan, error)) error {
	defer v.lock(id)()
	modified, err := v.store.get(id)
	if err != nil {
		return err
	}
	if modified.Plan, err = change(modified.Plan); err != nil {
		return err
	}
	if err := v.store.save(modified); err != nil {
		return err
	}
	v.log.Info("Volume modified", "volume", id, "performance", modified.Performance)
	return nil
}
