package efs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const (
	fileSystemFile = "filesystem.json"
	accessPointDir = "access-points"
	dataDir        = "data"
)

var (
	errNotFound = errors.New("Resource was not found") //nolint:staticcheck // the real driver's words

	fileSystemID  = regexp.MustCompile(`^fs-[0-9a-f]{8,40}$`)
	accessPointID = regexp.MustCompile(`^fsap-[0-9a-f]{8,40}$`)
)

// store holds file systems, each in a directory of its id. Someone else makes them, as
// with the real driver.
type store struct {
	dir string
}

// CreateFileSystem makes a file system below a directory, unless it is there. Its root
// belongs to root and others may only read, as that of a new EFS.
func CreateFileSystem(dir, id string, limits efsfuse.Limits) error {
	if !fileSystemID.MatchString(id) {
		return fmt.Errorf("file system id %q does not match %v", id, fileSystemID)
	}
	if err := os.MkdirAll(filepath.Join(dir, id, dataDir), 0o755); err != nil {
		return err
	}
	return state.WriteJSON(filepath.Join(dir, id, fileSystemFile), limits, 0o600)
}

// limits returns those of a file system, or errNotFound.
func (s store) limits(fsID string) (efsfuse.Limits, error) {
	var limits efsfuse.Limits
	if !fileSystemID.MatchString(fsID) {
		return limits, errNotFound
	}
	return limits, read(filepath.Join(s.dir, fsID, fileSystemFile), &limits)
}

// read reads a file, or returns errNotFound.
func read(path string, into any) error {
	err := state.ReadJSON(path, into)
	if errors.Is(err, fs.ErrNotExist) {
		return errNotFound
	}
	return err
}

// data returns the directory of what a file system holds at a path.
func (s store) data(fsID, path string) string {
	return filepath.Join(s.dir, fsID, dataDir, filepath.Clean("/"+path))
}

// accessPoint is one of a file system.
type accessPoint struct {
	ID string `json:"id"`
	// ClientToken is equal for equal requests.
	ClientToken   string        `json:"clientToken"`
	Path          string        `json:"path"`
	Owner         efsfuse.Owner `json:"owner"`
	Permissions   uint32        `json:"permissions"`
	CapacityBytes int64         `json:"capacityBytes"`
}

func newAccessPointID(fsID, token string) string {
	sum := sha256.Sum256([]byte(fsID + "\x00" + token))
	return "fsap-0" + hex.EncodeToString(sum[:8])
}

func (s store) accessPointFile(fsID, id string) string {
	return filepath.Join(s.dir, fsID, accessPointDir, id+".json")
}

func (s store) accessPoint(fsID, id string) (accessPoint, error) {
	var ap accessPoint
	if !fileSystemID.MatchString(fsID) || !accessPointID.MatchString(id) {
		return ap, errNotFound
	}
	return ap, read(s.accessPointFile(fsID, id), &ap)
}

func (s store) accessPoints(fsID string) ([]accessPoint, error) {
	files, err := filepath.Glob(s.accessPointFile(fsID, "*"))
	if err != nil {
		return nil, err
	}
	var all []accessPoint
	for _, file := range files {
		ap, err := s.accessPoint(fsID, strings.TrimSuffix(filepath.Base(file), ".json"))
		if err != nil {
			return nil, err
		}
		all = append(all, ap)
	}
	return all, nil
}

// ensureRoot makes the root directory of an access point, as EFS does when the first
// client mounts it. One that exists keeps its owner and mode.
func (s store) ensureRoot(fsID string, ap accessPoint) error {
	dir := s.data(fsID, ap.Path)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(
		os.Chown(dir, int(ap.Owner.UID), int(ap.Owner.GID)),
		// Not os.Chmod, whose modes have the bits above 0777 elsewhere.
		unix.Chmod(dir, ap.Permissions),
	)
}
