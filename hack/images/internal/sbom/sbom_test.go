package sbom

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const control = "Package: libstdc++6\nStatus: install ok installed\nVersion: 14.2.0-19\nArchitecture: arm64\nDescription: a library\n Version: none\n"

// program is an executable of Go's: this test's own.
func program(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func image(t *testing.T, files map[string][]byte) v1.Image {
	t.Helper()
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for name, file := range files {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755, Size: int64(len(file))})
		_, writeErr := w.Write(file)
		if err := errors.Join(err, writeErr); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestPackagesAndModulesAreListed(t *testing.T) {
	bom, err := Of("storagebench/runner", "0.1.0", image(t, map[string][]byte{
		"var/lib/dpkg/status.d/libstdc++6": []byte(control), "runner": program(t), "other": program(t), "LICENSE": []byte("text"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, component := range *bom.Components {
		found = append(found, component.PackageURL)
	}
	if !slices.IsSorted(found) || len(slices.Compact(slices.Clone(found))) != len(found) {
		t.Errorf("not sorted, or twice the same: %q", found)
	}
	for _, want := range []string{"pkg:deb/debian/libstdc++6@14.2.0-19?arch=arm64&distro=debian-13", "pkg:golang/stdlib@1.", "pkg:golang/github.com/storagebench/"} {
		if !slices.ContainsFunc(found, func(purl string) bool { return strings.HasPrefix(purl, want) }) {
			t.Errorf("%s is not in %q", want, found)
		}
	}
}

func TestModuleThatWasReplaced(t *testing.T) {
	var found []string
	for _, component := range linked(&debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "example.org/main", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v1.2.3"},
			{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.0.1"}},
		},
	}) {
		found = append(found, component.Name+" "+component.Version)
	}
	want := []string{"stdlib 1.26.8", "example.org/main (devel)", "example.org/a v1.2.3", "example.org/fork v1.0.1"}
	if !slices.Equal(found, want) {
		t.Errorf("components %q, want %q", found, want)
	}
}

func TestBillIsReproducible(t *testing.T) {
	var bills [2]bytes.Buffer
	of := image(t, map[string][]byte{"runner": program(t)})
	for i := range bills {
		if err := Write(&bills[i], "storagebench/runner", "0.1.0", of); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bills[0].Bytes(), bills[1].Bytes()) {
		t.Error("the same image gives different bytes")
	}
}

func TestPackageWithoutVersionIsAnError(t *testing.T) {
	_, err := Of("a", "1", image(t, map[string][]byte{"var/lib/dpkg/status.d/fio": []byte("Package: fio\nArchitecture: all\n")}))
	if err == nil || !strings.Contains(err.Error(), "status.d/fio") {
		t.Errorf("error %v does not name the file", err)
	}
}
