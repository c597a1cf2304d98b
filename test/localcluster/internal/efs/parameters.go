package efs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	defaultGIDStart = 50_000
	// gidsPerFileSystem is how many numbers of a range are looked at.
	gidsPerFileSystem = 10_000
	maxPath           = 100
	maxSlashes        = 5

	pvName       = "csi.storage.k8s.io/pv/name"
	pvcName      = "csi.storage.k8s.io/pvc/name"
	pvcNamespace = "csi.storage.k8s.io/pvc/namespace"
)

// parameters of a StorageClass, whose names have been checked to be documented.
type parameters struct {
	fsID           string
	permissions    uint32
	uid, gid       *int64
	gidMin, gidMax int64
	reuse          bool
}

func parseParameters(p map[string]string) (parameters, error) {
	permissions, err := strconv.ParseUint(p["directoryPerms"], 8, 12)
	if err != nil {
		return parameters{}, fmt.Errorf("directoryPerms %q: %w", p["directoryPerms"], err)
	}
	parsed := parameters{
		fsID:        strings.TrimSpace(p["fileSystemId"]),
		permissions: uint32(permissions),
		gidMin:      defaultGIDStart,
		gidMax:      defaultGIDStart + gidsPerFileSystem,
		reuse:       p["reuseAccessPoint"] == "true",
	}
	if parsed.uid, err = identity(p, "uid"); err != nil {
		return parameters{}, err
	}
	if parsed.gid, err = identity(p, "gid"); err != nil {
		return parameters{}, err
	}
	return parsed, parsed.setRange(p["gidRangeStart"], p["gidRangeEnd"])
}

func identity(p map[string]string, name string) (*int64, error) {
	value, ok := p[name]
	if !ok {
		return nil, nil
	}
	id, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("Failed to parse invalid %s: %w", name, err) //nolint:staticcheck // the real driver's words
	}
	return new(int64(id)), nil
}

func (p *parameters) setRange(start, end string) error {
	if start == "" && end == "" {
		return nil
	}
	var err error
	if p.gidMin, err = strconv.ParseInt(start, 10, 32); err != nil || p.gidMin <= 0 {
		return fmt.Errorf("gidRangeStart must be greater than 0, it is %q", start)
	}
	if p.gidMax, err = strconv.ParseInt(end, 10, 32); err != nil || p.gidMax <= p.gidMin {
		return fmt.Errorf("gidRangeEnd must be greater than gidRangeStart, it is %q", end)
	}
	return nil
}

// nextGID returns the lowest number of the range that no access point has.
func (p *parameters) nextGID(existing []accessPoint) (int64, error) {
	for gid := p.gidMin; gid <= min(p.gidMax, p.gidMin+gidsPerFileSystem); gid++ {
		if !slices.ContainsFunc(existing, func(ap accessPoint) bool { return int64(ap.Owner.GID) == gid }) {
			return gid, nil
		}
	}
	return 0, status.Errorf(codes.Internal,
		"Failed to locate a free GID for given file system: %v. Please create a new storage class with a new file-system", p.fsID)
}

// directory returns the root directory of a new access point. unique is appended to a
// pattern, unless that is switched off.
func directory(p map[string]string, volumeName, unique string) (string, error) {
	name := volumeName
	if pattern, ok := p["subPathPattern"]; ok {
		name = strings.NewReplacer("${.PVC.name}", p[pvcName], "${.PVC.namespace}", p[pvcNamespace], "${.PV.name}", p[pvName]).Replace(pattern)
		if strings.Contains(name, "${") || strings.Contains(name, "}") {
			return "", fmt.Errorf("Path specified \"%v\" contains invalid elements. Can only contain [.PV.name .PVC.name .PVC.namespace]", pattern) //nolint:staticcheck // the real driver's words
		}
		if p["ensureUniqueDirectory"] != "false" {
			name += "-" + unique
		}
	}
	dir := path.Join("/", p["basePath"], name)
	if len(dir) > maxPath {
		return "", fmt.Errorf("Proposed path '%s' exceeds file system limit of %d characters", dir, maxPath) //nolint:staticcheck // the real driver's words
	}
	if strings.Count(dir, "/") > maxSlashes {
		return "", fmt.Errorf("Proposed path '%s' file system limit of 4 subdirectories", dir) //nolint:staticcheck // the real driver's words
	}
	return dir, nil
}

// rootDirectory is the pattern that EFS has for the path of an access point: at most 4 directories, none of which begins
// with a dot. https://docs.aws.amazon.com/efs/latest/ug/API_RootDirectory.html
var rootDirectory = regexp.MustCompile("^(/[^.$#<>;`|&?{}^*/\n][^$#<>;`|&?{}^*/\n]*){1,4}$")

// checkRootDirectory refuses a path that the driver takes and EFS does not.
func checkRootDirectory(fsID, dir string) error {
	if rootDirectory.MatchString(dir) {
		return nil
	}
	return status.Errorf(codes.Internal, "Failed to create Access point in File System %v : Failed to create access point: "+
		"operation error EFS: CreateAccessPoint, ValidationException: 1 validation error detected: Value '%s' at 'rootDirectory.path' "+
		"failed to satisfy constraint: Member must satisfy regular expression pattern", fsID, dir)
}

// clientToken is equal for requests that mean the same access point.
func (p *parameters) clientToken(volumeName, claim string) string {
	if !p.reuse {
		return volumeName
	}
	sum := sha256.Sum256([]byte(claim))
	return hex.EncodeToString(sum[:])
}
