package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/opencontainers/go-digest"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
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
	if err := verify(p, a); err != nil {
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
	return here(state.KeepProgram(program, filepath.Join(c.store, a.stored())))
}

// verify reads what is on the disk, which is what will be run.
func verify(p partial, a artifact) error {
	file, err := os.Open(p.content)
	if err != nil {
		return here(err)
	}
	defer func() { _ = file.Close() }()
	want := digest.Digest(a.digest)
	got, err := want.Algorithm().FromReader(file)
	if err != nil {
		return here(err)
	}
	if got != want {
		return fmt.Errorf("%s is %w: its checksum is %s, and should be %s (%d bytes, removed)", a.address, errWrong, got, want, p.size())
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
