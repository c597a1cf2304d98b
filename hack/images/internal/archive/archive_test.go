package archive

import (
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
)

func imageFor(t *testing.T, architecture string) v1.Image {
	t.Helper()
	image, err := random.Image(100, 2)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{OS: "linux", Architecture: architecture})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func write(t *testing.T, index v1.ImageIndex) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image.oci.tar")
	if err := Write(index, "storagebench/runner", "0.1.0", file); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "archive-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	return string(content)
}

func TestArchiveIsReproducible(t *testing.T) {
	index, err := Index(imageFor(t, "amd64"), imageFor(t, "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := write(t, index), write(t, index)
	if first != second {
		t.Error("the same index gives different bytes")
	}
}

func TestIndexNamesPlatforms(t *testing.T) {
	index, err := Index(imageFor(t, "amd64"), imageFor(t, "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"linux/amd64", "linux/arm64"} {
		if got := manifest.Manifests[i].Platform.String(); got != want {
			t.Errorf("image %d is for %s, want %s", i, got, want)
		}
	}
}

func TestLayoutHasOneImage(t *testing.T) {
	dir := t.TempDir()
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Image(dir); err == nil {
		t.Error("a layout without an image was taken")
	}
	want := imageFor(t, "arm64")
	if err := path.AppendImage(want); err != nil {
		t.Fatal(err)
	}
	got, err := Image(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := digest(t, want), digest(t, got); a != b {
		t.Errorf("image %s, want %s", b, a)
	}
	if err := path.AppendImage(imageFor(t, "amd64")); err != nil {
		t.Fatal(err)
	}
	if _, err := Image(dir); err == nil {
		t.Error("a layout with two images was taken")
	}
}

func digest(t *testing.T, image v1.Image) string {
	t.Helper()
	hash, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}
