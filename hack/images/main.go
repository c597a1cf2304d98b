// Images makes what a release says of its images from what buildah has built: for each image an OCI archive with all
// platforms, a bill of materials for each platform, and the list of images with their digests.
//
//	images --layouts dist/oci --version 0.1.0 --out dist/release
//
// The layouts are directories PLATFORM/IMAGE, such as amd64/operator.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/storagebench/storagebench/hack/images/internal/archive"
	"github.com/storagebench/storagebench/hack/images/internal/sbom"
)

var names = []string{"operator", "runner"}

type options struct {
	layouts, repository, version, out string
}

func main() {
	var o options
	flag.StringVar(&o.layouts, "layouts", "", "directory with PLATFORM/IMAGE, each an OCI layout with one image")
	flag.StringVar(&o.repository, "repository", "ghcr.io/storagebench", "what stands before the names of the images")
	flag.StringVar(&o.version, "version", "", "tag of the images")
	flag.StringVar(&o.out, "out", "", "directory to write to")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func (o options) run() error {
	if o.layouts == "" || o.version == "" || o.out == "" || flag.NArg() > 0 {
		return errors.New("usage: images --layouts DIRECTORY --version VERSION --out DIRECTORY")
	}
	var list strings.Builder
	for _, name := range names {
		reference, err := o.release(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(&list, reference)
	}
	return os.WriteFile(filepath.Join(o.out, "images.txt"), []byte(list.String()), 0o644)
}

// release writes an image's archive and bills of materials, and returns its reference with its digest.
func (o options) release(name string) (string, error) {
	dirs, err := filepath.Glob(filepath.Join(o.layouts, "*", name))
	if err != nil {
		return "", err
	}
	if len(dirs) == 0 {
		return "", fmt.Errorf("no layout in %s", filepath.Join(o.layouts, "*", name))
	}
	var images []v1.Image
	for _, dir := range dirs {
		image, err := archive.Image(dir)
		if err != nil {
			return "", err
		}
		images = append(images, image)
		if err := o.bill(name, image); err != nil {
			return "", err
		}
	}
	index, err := archive.Index(images...)
	if err != nil {
		return "", err
	}
	digest, err := index.Digest()
	if err != nil {
		return "", err
	}
	repository := o.repository + "/" + name
	file := filepath.Join(o.out, fmt.Sprintf("storagebench-%s-%s.oci.tar", name, o.version))
	return fmt.Sprintf("%s:%s@%s", repository, o.version, digest), archive.Write(index, repository, o.version, file)
}

func (o options) bill(name string, image v1.Image) error {
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(o.out, fmt.Sprintf("storagebench-%s-%s-%s.cdx.json", name, o.version, config.Architecture)))
	if err != nil {
		return err
	}
	return errors.Join(sbom.Write(file, o.repository+"/"+name, o.version, image), file.Close())
}
