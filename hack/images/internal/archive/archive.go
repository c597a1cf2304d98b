// Package archive puts the images of several platforms into one OCI archive, and reads what such an archive holds.
package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// What reads an archive finds an image by one of these: containerd and Docker by the first, skopeo by the second.
const (
	containerdName = "io.containerd.image.name"
	referenceName  = "org.opencontainers.image.ref.name"
)

// Image returns the only image of an OCI layout.
func Image(dir string) (v1.Image, error) {
	index, digest, err := only(dir)
	if err != nil {
		return nil, err
	}
	return index.Image(digest)
}

// OnlyIndex returns the only index of images of an OCI layout, which is what Write has packed.
func OnlyIndex(dir string) (v1.ImageIndex, error) {
	index, digest, err := only(dir)
	if err != nil {
		return nil, err
	}
	return index.ImageIndex(digest)
}

// only returns what an OCI layout has, and the digest of the only thing in it.
func only(dir string) (v1.ImageIndex, v1.Hash, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, v1.Hash{}, fmt.Errorf("%s: %w", dir, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, v1.Hash{}, fmt.Errorf("%s: %w", dir, err)
	}
	if len(manifest.Manifests) != 1 {
		return nil, v1.Hash{}, fmt.Errorf("%s has %d images, want 1", dir, len(manifest.Manifests))
	}
	return index, manifest.Manifests[0].Digest, nil
}

// Index returns an index of the images, each with its platform, in their order.
func Index(images ...v1.Image) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: config.Platform()}})
	}
	return index, nil
}

// Write writes the index as an OCI archive that has the tag, below the repository and its tag. The same index gives the
// same bytes.
func Write(index v1.ImageIndex, repository, tag, file string) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(file), "archive-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	written, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	names := map[string]string{containerdName: repository + ":" + tag, referenceName: tag}
	if err := written.AppendIndex(index, layout.WithAnnotations(names)); err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(pack(out, os.DirFS(dir)), out.Close())
}

// pack writes a tar with nothing in it that changes from one time to the next. fs.WalkDir goes in the order of names.
func pack(out io.Writer, files fs.FS) error {
	archive := tar.NewWriter(out)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	return errors.Join(err, archive.Close())
}
