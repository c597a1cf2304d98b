// Package ebs is a local stand-in for the CSI driver of Amazon EBS: it takes the
// parameters that aws-ebs-csi-driver documents, refuses what that driver or EC2
// refuses, and makes loop devices that are as slow as the volumes would be, and come to
// a node as slowly. Encryption and the parameters for mkfs are taken and have no effect.
package ebs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/documented"
)

// DriverName is the name of the real driver.
const DriverName = "ebs.csi.aws.com"

// defaultType is what the driver asks for when nobody does.
const defaultType = "gp3"

// volumes are disks of a zone, which come to instances.
type volumes struct {
	*disk.Volumes

	known documented.Driver
	// instances are the nodes by the IDs of their instances.
	instances sync.Map
}

// Open returns the volumes of a directory, and takes up the work of an earlier driver.
func Open(o csidriver.Options) (csidriver.Volumes, error) {
	known, err := documented.EBS()
	if err != nil {
		return nil, err
	}
	v := &volumes{known: known.WithUndocumented()}
	v.Volumes, err = disk.Open(disk.Kind{
		Plan:      func(r *csi.CreateVolumeRequest) (disk.Plan, error) { return planVolume(v.known, r, v.zone()) },
		Attaching: attaching,
		Detaching: detaching,
	}, o)
	return v, err
}

// On is part of csidriver.Volumes.
func (v *volumes) On(node csidriver.Node) csi.NodeServer {
	v.instances.Store(instanceID(node.Name), node)
	return v.Volumes.On(node)
}

// pickZone returns the zone that a volume is to be in, "" if the requirement says none. The driver takes the first that is preferred, and then the first
// that will do.
func pickZone(wanted *csi.TopologyRequirement) string {
	for _, topology := range append(wanted.GetPreferred(), wanted.GetRequisite()...) {
		for _, key := range []string{zoneKey, driverZoneKey} {
			if zone, ok := topology.GetSegments()[key]; ok {
				return zone
			}
		}
	}
	return ""
}

func planVolume(known documented.Driver, r *csi.CreateVolumeRequest, anyZone string) (disk.Plan, error) {
	if err := errors.Join(known.CheckParameters(r.GetParameters()), known.CheckMutableParameters(r.GetMutableParameters())); err != nil {
		return disk.Plan{}, status.Errorf(codes.InvalidArgument, "Invalid parameter for CreateVolume: %v", err)
	}
	if err := checkNew(r); err != nil {
		return disk.Plan{}, err
	}
	sizeGiB, err := sizeFor(r.GetCapacityRange())
	if err != nil {
		return disk.Plan{}, err
	}
	wanted := request{Type: defaultType, SizeGiB: sizeGiB, Zone: cmp.Or(pickZone(r.GetAccessibilityRequirements()), anyZone)}
	if err := wanted.set(r.GetParameters(), true); err != nil {
		return disk.Plan{}, status.Error(codes.InvalidArgument, err.Error())
	}
	// Those of a VolumeAttributesClass take precedence.
	if err := wanted.set(r.GetMutableParameters(), false); err != nil {
		return disk.Plan{}, status.Error(codes.InvalidArgument, err.Error())
	}
	wanted.complete()
	wanted.MultiAttach = isShared(r.GetVolumeCapabilities())
	if wanted.MultiAttach && wanted.Type != "io2" {
		return disk.Plan{}, status.Errorf(codes.Aborted,
			"Could not create volume %q: CreateDisk: multi-attach is only supported for io2 volumes", r.GetName())
	}
	if refusal := wanted.refuse("CreateVolume"); refusal != nil {
		return disk.Plan{}, createError(r.GetName(), refusal)
	}
	return plan(volumeID(r.GetName()), wanted)
}

// checkNew refuses what only volumes that exist can be told, and what their file systems cannot have.
func checkNew(r *csi.CreateVolumeRequest) error {
	for _, name := range slices.Sorted(maps.Keys(r.GetMutableParameters())) {
		if strings.HasPrefix(name, tagDeletionPrefix) || name == "iopspergb" || name == "allowautoiopsincreaseonmodify" {
			return status.Errorf(codes.InvalidArgument, "Invalid mutable parameter key: %s", name)
		}
	}
	return checkFormatting(r.GetParameters(), r.GetVolumeCapabilities())
}

// createError is the driver's, whose code tells a combination from a value.
func createError(name string, refusal *apiError) error {
	if refusal.code == invalidCombination {
		return status.Errorf(codes.InvalidArgument, "Could not create volume %q: invalid argument: %v", name, refusal)
	}
	return status.Errorf(codes.Aborted, "Could not create volume %q: could not create volume in EC2: %v", name, refusal)
}

func plan(id string, wanted request) (disk.Plan, error) {
	performance, err := wanted.performance()
	if err != nil {
		return disk.Plan{}, status.Error(codes.InvalidArgument, err.Error())
	}
	settings, err := json.Marshal(wanted)
	nodes := 0
	if wanted.MultiAttach {
		nodes = maxAttachments
	}
	return disk.Plan{
		Nodes:         nodes,
		ID:            id,
		CapacityBytes: wanted.SizeGiB * gib,
		Performance:   performance,
		Settings:      string(settings),
		Topology:      map[string]string{zoneKey: wanted.Zone},
	}, err
}

const defaultSizeGiB = 100

// sizeFor returns the size of a new volume: whole GiB.
func sizeFor(requested *csi.CapacityRange) (int64, error) {
	least, most := requested.GetRequiredBytes(), requested.GetLimitBytes()
	if requested == nil {
		return defaultSizeGiB, nil
	}
	size := max(1, (least+gib-1)/gib)
	if most > 0 && size*gib > most {
		return 0, status.Error(codes.InvalidArgument, "After round-up, volume size exceeds the limit specified")
	}
	return size, nil
}

// ControllerModifyVolume is part of the Controller service.
func (v *volumes) ControllerModifyVolume(_ context.Context, r *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	return &csi.ControllerModifyVolumeResponse{}, v.Modify(r.GetVolumeId(), func(p disk.Plan) (disk.Plan, error) {
		return modify(v.known, p, r.GetMutableParameters())
	})
}

func modify(known documented.Driver, volume disk.Plan, mutable map[string]string) (disk.Plan, error) {
	if err := known.CheckMutableParameters(mutable); err != nil {
		return volume, status.Errorf(codes.InvalidArgument, "Invalid mutable parameter: %v", err)
	}
	var wanted request
	if err := json.Unmarshal([]byte(volume.Settings), &wanted); err != nil {
		return volume, err
	}
	wanted.Tags, wanted.properties = maps.Clone(wanted.Tags), propertiesOf(mutable)
	if err := wanted.set(mutable, false); err != nil {
		return volume, status.Error(codes.InvalidArgument, err.Error())
	}
	// Modifying always raises IOPS to the least of the type.
	wanted.raiseIOPS = true
	wanted.complete()
	if refusal := wanted.refuse("ModifyVolume"); refusal != nil {
		return volume, status.Errorf(codes.InvalidArgument, "Could not modify volume (invalid argument) %q: %v", volume.ID, refusal)
	}
	return plan(volume.ID, wanted)
}
