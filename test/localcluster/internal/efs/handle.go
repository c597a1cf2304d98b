package efs

import (
	"path"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// handle is what a volume's id says.
type handle struct {
	fsID string
	// path is "" where none is given.
	path string
	// apID is "" without an access point.
	apID string
}

// typePrefix is before the ids that drivers from version 3 make.
const typePrefix = "efs:"

// parseHandle reads [efs:]FILESYSTEM[:PATH[:ACCESSPOINT]]. Errors are gRPC statuses.
func parseHandle(volumeID string) (handle, error) {
	fields := strings.Split(strings.TrimPrefix(volumeID, typePrefix), ":")
	if len(fields) > 3 {
		return handle{}, status.Errorf(codes.InvalidArgument, "volume ID '%s' is invalid: Expected at most three fields separated by ':'", volumeID)
	}
	fields = append(fields, "", "")
	h := handle{fsID: fields[0], path: fields[1], apID: fields[2]}
	if !fileSystemID.MatchString(h.fsID) {
		return handle{}, status.Errorf(codes.InvalidArgument, "volume ID '%s' is invalid: Expected a file system ID of the form 'fs-[0-9a-f]{8,40}'", volumeID)
	}
	if h.apID != "" && !accessPointID.MatchString(h.apID) {
		return handle{}, status.Errorf(codes.InvalidArgument,
			"volume ID '%s' has an invalid access point ID '%s': Expected it to be of the form 'fsap-[0-9a-f]{8,40}'", volumeID, h.apID)
	}
	if h.path != "" {
		h.path = path.Clean(h.path)
	}
	return h, nil
}

func (h handle) String() string { return typePrefix + h.fsID + ":" + h.path + ":" + h.apID }
