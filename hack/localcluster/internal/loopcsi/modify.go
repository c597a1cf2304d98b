package loopcsi

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ControllerModifyVolume is part of the Controller service. It is in force at once.
func (d *Driver) ControllerModifyVolume(_ context.Context, r *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	if d.kind.Modify == nil {
		return nil, status.Error(codes.Unimplemented, "volumes of this driver cannot be modified")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	defer d.lock(v.ID)()
	plan, err := d.kind.Modify(v.Plan, r.GetMutableParameters())
	if err != nil {
		return nil, err
	}
	v.Plan = plan
	if err := d.store.save(v); err != nil {
		return nil, internalError(err)
	}
	if err := d.throttle.reopen(v.ID, func() (keeper, error) { return d.openBudget(v.ID) }); err != nil {
		return nil, internalError(err)
	}
	d.log.Info("Volume modified", "volume", v.ID, "limits", v.Limits)
	return &csi.ControllerModifyVolumeResponse{}, nil
}
