// Package image makes container images from files of this machine, without a
// container engine. The same input gives the same bytes.
package image

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Spec describes an image.
type Spec struct {
	Name string
	// Files maps a path in the image to a file of this machine.
	Files map[string]string
	// Programs of this machine that are copied to the same path in the image,
	// with the loader and all libraries they need.
	Programs []string
	// Bare images have no files but those that are named here; others have /tmp, and users root and nonroot.
	Bare bool
	// Tree is a directory whose content is in the image as it is, with its symbolic links. It may be "".
	Tree       string
	Entrypoint []string
	User       string
	Env        []string
}

// Write builds the image into a tarball that `ctr images import` and `docker load`
// take. It appears at out only when it is whole, also where several write the same at the same time.
func Write(spec Spec, out string) error {
	tag, err := name.NewTag(spec.Name)
	if err != nil {
		return err
	}
	img, err := Build(spec)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	// A directory of its own, because several may write the same: each node loads the image of sandboxes.
	tmp, err := os.MkdirTemp(filepath.Dir(out), ".writing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	written := filepath.Join(tmp, filepath.Base(out))
	if err := tarball.WriteToFile(written, tag, img); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return os.Rename(written, out)
}

// Build makes the image, of a single layer.
func Build(spec Spec) (v1.Image, error) {
	tree, err := fileTree(spec)
	if err != nil {
		return nil, err
	}
	content, err := tree.tar()
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.BestSpeed))
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = v1.Config{
		Entrypoint: spec.Entrypoint,
		User:       spec.User,
		Env:        append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, spec.Env...),
	}
	return mutate.ConfigFile(img, config)
}
