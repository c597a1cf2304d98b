package release

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errWrong means that a file is there and is not what was released.
var errWrong = errors.New("not what was released")

// ErrHere means that this machine is at fault and no host. To build instead needs the same disk, and more of it.
var ErrHere = errors.New("this machine cannot keep what was downloaded")

func here(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrHere, err)
}

// accept gives a file its name in the store if it is what it should be. If it is not, nothing
// of it stays: what was continued once must not be continued again.
func (c *Client) accept(a artifact, p partial) error {
	defer func() { _ = p.remove() }()
	if err := verify(p.content, a); err != nil {
		return err
	}
	program := p.content
	if a.member != "" {
		program += ".program"
		defer func() { _ = os.Remove(program) }()
		if err := unpack(p.content, a.member, program); err != nil {
			return here(fmt.Errorf("%s %s: %w", a.Name, a.Version, err))
		}
	}
	return here(keep(program, filepath.Join(c.store, a.stored())))
}

// keep gives a program its name. It is on the disk then: what has a name is never looked at again, and must not be empty
// after the machine has lost its power.
func keep(program, path string) error {
	file, err := os.OpenFile(program, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o755), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(program, path)
}

// verify reads what is on the disk, which is what will be run.
func verify(path string, a artifact) error {
	file, err := os.Open(path)
	if err != nil {
		return here(err)
	}
	defer func() { _ = file.Close() }()
	algorithm, want, _ := strings.Cut(a.digest, ":")
	digest := sha256.New()
	if algorithm == "sha512" {
		digest = sha512.New()
	}
	size, err := io.Copy(digest, file)
	if err != nil {
		return here(err)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != want {
		return fmt.Errorf("%s is %w: its %s is %s, and should be %s (%d bytes, removed)", a.address, errWrong, algorithm, got, want, size)
	}
	return nil
}

// unpack writes one program of an archive.
func unpack(archive, member, target string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	content, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	reader := tar.NewReader(content)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is not in the archive", member)
		}
		if err != nil {
			return err
		}
		if header.Name == member && header.Typeflag == tar.TypeReg {
			return write(target, io.LimitReader(reader, header.Size))
		}
	}
}

func write(path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
