package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/storagebench/storagebench/hack/images/internal/archive"
	"github.com/storagebench/storagebench/hack/images/internal/loopback"
)

// packed writes a layout with an index of an image for each architecture, as archives of releases have it.
func packed(t *testing.T, architectures ...string) (string, v1.ImageIndex) {
	t.Helper()
	var images []v1.Image
	for _, architecture := range architectures {
		image, err := random.Image(100, 2)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config.OS, config.Architecture = "linux", architecture
		if image, err = mutate.ConfigFile(image, config); err != nil {
			t.Fatal(err)
		}
		images = append(images, image)
	}
	index, err := archive.Index(images...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := path.AppendIndex(index); err != nil {
		t.Fatal(err)
	}
	return dir, index
}

func digest(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	hash, err := of.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}

func TestPush(t *testing.T) {
	key := loopback.Key{Username: "somebody", Password: "secret"}
	repository := loopback.Registry(t, key) + "/storagebench/runner"
	dir, index := packed(t, "amd64", "arm64")
	reference := repository + ":0.1.0@" + digest(t, index)

	var printed bytes.Buffer
	for range 2 { // the second time all is there
		printed.Reset()
		if err := push(t.Context(), &printed, key, dir, reference); err != nil {
			t.Fatal(err)
		}
	}

	tag, err := name.NewTag(repository + ":0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	there, err := remote.Index(tag, remote.WithAuthFromKeychain(key))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := digest(t, there), digest(t, index); got != want {
		t.Errorf("the registry has %s, want %s", got, want)
	}
	manifest, err := there.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms, lines []string
	for _, descriptor := range manifest.Manifests {
		image, err := there.Image(descriptor.Digest)
		if err != nil {
			t.Fatal(err)
		}
		if layers, err := image.Layers(); err != nil || len(layers) != 2 {
			t.Errorf("the image for %s has layers %v, %v; want 2", descriptor.Platform, layers, err)
		}
		platforms = append(platforms, descriptor.Platform.String())
		lines = append(lines, descriptor.Platform.Architecture+" "+repository+"@"+digest(t, image))
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("platforms (-want +got): %s", diff)
	}
	if diff := cmp.Diff(strings.Join(lines, "\n")+"\n", printed.String()); diff != "" {
		t.Errorf("printed (-want +got): %s", diff)
	}
}

func TestManifest(t *testing.T) {
	key := loopback.Key{}
	repository := loopback.Registry(t, key) + "/storagebench/runner"
	dir, index := packed(t, "amd64")
	want, err := index.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	if err := push(t.Context(), io.Discard, key, dir, repository+":0.1.0@"+digest(t, index)); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{":0.1.0": string(want), ":0.2.0": "", "-other:0.1.0": ""} {
		var printed bytes.Buffer
		if err := manifest(t.Context(), &printed, key, repository+of); err != nil {
			t.Errorf("%s: %v", of, err)
		}
		if got := printed.String(); got != want {
			t.Errorf("%s is %q, want %q", of, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	key := loopback.Key{Username: "somebody", Password: "secret"}
	repository := loopback.Registry(t, key) + "/storagebench/runner"
	dir, index := packed(t, "amd64", "arm64")
	if err := push(t.Context(), io.Discard, key, dir, repository+":0.1.0@"+digest(t, index)); err != nil {
		t.Fatal(err)
	}
	other, otherIndex := packed(t, "amd64", "arm64")
	for name, test := range map[string]struct {
		key               loopback.Key
		layout, reference string
		want              string
	}{
		"tag of another release": {key, other, repository + ":0.1.0@" + digest(t, otherIndex), "is " + digest(t, index) + " already"},
		"layout of another one":  {key, other, repository + ":0.2.0@" + digest(t, index), "run make release again"},
		"no digest":              {key, dir, repository + ":0.2.0", "REPOSITORY:TAG@DIGEST"},
		"no tag":                 {key, dir, repository + "@" + digest(t, index), "tag"},
		"no layout":              {key, filepath.Join(dir, "none"), repository + ":0.2.0@" + digest(t, index), "none"},
		"wrong password":         {loopback.Key{Username: "somebody", Password: "guess"}, dir, repository + ":0.2.0@" + digest(t, index), "401"},
	} {
		t.Run(name, func(t *testing.T) {
			err := push(t.Context(), io.Discard, test.key, test.layout, test.reference)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	var there bytes.Buffer
	if err := manifest(t.Context(), &there, key, repository+":0.1.0"); err != nil {
		t.Fatal(err)
	}
	want, err := index.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	if there.String() != string(want) {
		t.Errorf("the tag was moved to %s", there.String())
	}
}
