package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// volume is what is written down about a volume, beside its disk.
type volume struct {
	Plan
	Name string `json:"name"`
	// Source is the volume that it was copied from, "" for none.
	Source string `json:"source,omitempty"`
}

// store keeps each volume in a directory of its own. A directory appears and
// disappears by a rename, so a crash leaves whole volumes only.
type store struct {
	dir string
}

const (
	diskName     = "disk.img"
	metadataName = "volume.json"
	// attachmentName holds the volume's attachment.
	attachmentName = "attachment.json"
	// balanceName holds what is left of a volume's burst credits.
	balanceName = "balance.json"
	// partPrefix marks directories that are being made or deleted.
	partPrefix = ".part-"
)

func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	leftovers, err := filepath.Glob(filepath.Join(dir, partPrefix+"*"))
	if err != nil {
		return nil, err
	}
	for _, leftover := range leftovers {
		if err := os.RemoveAll(leftover); err != nil {
			return nil, err
		}
	}
	return &store{dir: dir}, nil
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}$`)

// volumeID makes a file name of a volume's name, which the specification lets hold
// nearly anything.
func volumeID(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:16])
}

func (s *store) path(id string, elem ...string) string {
	return filepath.Join(append([]string{s.dir, id}, elem...)...)
}

func (s *store) disk(id string) string { return s.path(id, diskName) }

// get returns what is written down about a volume, or NotFound.
func (s *store) get(id string) (volume, error) {
	var v volume
	err := fs.ErrNotExist
	if plainName.MatchString(id) {
		err = state.ReadJSON(s.path(id, metadataName), &v)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return v, status.Errorf(codes.NotFound, "volume %q does not exist", id)
	}
	return v, err
}

// create makes a volume's disk, empty or as a copy of another one. The file is sparse: a benchmark may ask for a far
// larger volume than it fills.
func (s *store) create(v volume) error {
	part, err := os.MkdirTemp(s.dir, partPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }()
	disk := filepath.Join(part, diskName)
	if err := os.WriteFile(disk, nil, 0o600); err != nil {
		return err
	}
	if v.Source != "" {
		if err := copyFile(s.disk(v.Source), disk); err != nil {
			return err
		}
	}
	if err := os.Truncate(disk, v.CapacityBytes); err != nil {
		return err
	}
	if err := state.WriteJSON(filepath.Join(part, metadataName), v, 0o600); err != nil {
		return err
	}
	return os.Rename(part, s.path(v.ID))
}

// copyFile copies a file, without its holes; where the file system can, without its blocks.
func copyFile(from, to string) error {
	said, err := exec.CommandContext(context.Background(), "cp", "--reflink=auto", "--sparse=always", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cp: %w: %s", err, bytes.TrimSpace(said))
	}
	return nil
}

func (s *store) delete(id string) error {
	part := s.path(partPrefix + id)
	if err := os.Rename(s.path(id), part); err != nil {
		return err
	}
	return os.RemoveAll(part)
}

// save replaces what is written down about an existing volume.
func (s *store) save(v volume) error {
	return state.WriteJSON(s.path(v.ID, metadataName), v, 0o600)
}

// balance returns what saveBalance saved, or that of a new volume.
func (s *store) balance(v volume) (balance, error) {
	b := balance{Credits: v.Performance.Bucket.Initial}
	return b, state.ReadJSONIfThere(s.path(v.ID, balanceName), &b)
}

// saveBalance keeps what is left of a budget, if it has a bucket. It makes no directory: a volume that is deleted has none, and must not come back.
func (s *store) saveBalance(v volume, b balance) error {
	if v.Performance.Bucket == (Bucket{}) {
		return nil
	}
	if _, err := os.Stat(s.path(v.ID)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return state.WriteJSON(s.path(v.ID, balanceName), b, 0o600)
}
