package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/storagebench/storagebench/hack/images/internal/rootfs"
)

// localVariable names the directory of the images that "make images" has made for the local cluster.
const localVariable = "STORAGEBENCH_LOCAL_IMAGES"

// What is tested on the local cluster is what is released: its images have the same files as those of the Dockerfile.
func TestLocalImages(t *testing.T) {
	dir := os.Getenv(localVariable)
	if dir == "" {
		t.Skip(localVariable + " is not set: make test-images makes the images and sets it")
	}
	for _, name := range names {
		each(t, name, func(t *testing.T, b built) {
			if b.architecture != runtime.GOARCH {
				t.Skip("the local cluster is of this machine's architecture")
			}
			image, err := tarball.ImageFromPath(filepath.Join(dir, name+".tar"), nil)
			if err != nil {
				t.Fatal(err)
			}
			local, err := rootfs.Read(image)
			if err != nil {
				t.Fatal(err)
			}
			compareFiles(t, b.files, local)
		})
	}
}

func compareFiles(t *testing.T, want, got rootfs.Files) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("files of the Dockerfile (-) and of the local image (+): %s", diff)
	}
	for _, file := range names {
		// Not by cmp, which looks at each byte by itself: two programs would take it a minute and a half.
		if a, b := want[file], got[file]; a.Mode != b.Mode || a.Link != b.Link || !bytes.Equal(a.Content, b.Content) {
			t.Errorf("%s: the Dockerfile has %v, %d bytes, link %q; the local image %v, %d bytes, link %q", file,
				want[file].Mode, len(want[file].Content), want[file].Link, got[file].Mode, len(got[file].Content), got[file].Link)
		}
	}
}
