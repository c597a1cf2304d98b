package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockInterval is how late it may be seen that a lock is free.
const lockInterval = 100 * time.Millisecond

// WriteFile replaces a file in one step: nobody reads half of it, and a crash
// leaves either the old or the new content.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// KeepProgram gives a new program its name, in one step. It is on the disk then: what has a name is never looked at again,
// and must not be empty after the machine has lost its power.
func KeepProgram(made, path string) error {
	file, err := os.Open(made)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o755), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(made, path)
}

// WriteJSON replaces a file with v.
func WriteJSON(path string, v any, mode os.FileMode) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(content, '\n'), mode)
}

// ReadJSON reads what WriteJSON wrote. A missing file is fs.ErrNotExist.
func ReadJSON(path string, v any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ReadJSONIfThere is ReadJSON, but leaves v as it is where there is no file.
func ReadJSONIfThere(path string, v any) error {
	if err := ReadJSON(path, v); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock takes an exclusive lock on a file, which a crash releases. While another
// process holds it, waiting is called once.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err == nil && !locked {
		waiting()
		_, err = lock.TryLockContext(ctx, lockInterval)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the lock %s: %w", path, err), lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}
