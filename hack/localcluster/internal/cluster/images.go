package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/storagebench/storagebench/hack/localcluster/internal/binaries"
	"github.com/storagebench/storagebench/hack/localcluster/internal/image"
)

const (
	pauseImage = "localhost/storagebench/pause:1"
	// pinLabel keeps an image from the kubelet's garbage collection, in releases of
	// containerd that know it.
	pinLabel   = "io.cri-containerd.pinned=pinned"
	imageLimit = 10 * time.Second
)

// Load imports image tarballs into every node.
func (c *Cluster) Load(ctx context.Context, files ...string) error {
	for _, file := range files {
		names, err := imageNames(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, n := range c.nodes {
			if err := n.load(ctx, file, names); err != nil {
				return fmt.Errorf("load %s into %s: %w", file, n.name, err)
			}
		}
		c.progress.printf("Loaded %s", strings.Join(names, ", "))
	}
	return nil
}

func (n *node) load(ctx context.Context, file string, names []string) error {
	if err := n.ctr(ctx, "images", "import", file); err != nil {
		return err
	}
	for _, image := range names {
		if err := n.ctr(ctx, "images", "label", image, pinLabel); err != nil {
			return err
		}
		// The runtime learns of a new image by an event, a moment later.
		ask := func(ctx context.Context) error { return n.hasImage(ctx, image) }
		if err := poll(ctx, "image "+image, imageLimit, nil, ask); err != nil {
			return err
		}
	}
	return nil
}

// imageNames returns the images of a tarball, with the names they get in containerd.
func imageNames(file string) ([]string, error) {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(file) })
	if err != nil {
		return nil, err
	}
	var names []string
	for _, described := range manifest {
		for _, tag := range described.RepoTags {
			parsed, err := name.NewTag(tag)
			if err != nil {
				return nil, err
			}
			names = append(names, strings.Replace(parsed.Name(), "index.docker.io/", "docker.io/", 1))
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the tarball names no image")
	}
	return names, nil
}

// pauseTarball builds the image of the pods' sandboxes, once for each version of
// its source.
func (c *Cluster) pauseTarball(ctx context.Context) (string, error) {
	module := filepath.Join(c.root, "hack", "localcluster")
	source, err := os.ReadFile(filepath.Join(module, "cmd", "pause", "main.go"))
	if err != nil {
		return "", err
	}
	cache, err := binaries.CacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(source)
	base := filepath.Join(cache, "pause-"+hex.EncodeToString(sum[:8]))
	tar := base + ".tar"
	if _, err := os.Stat(tar); err == nil {
		return tar, nil
	}
	if err := binaries.GoBuild(ctx, module, base, "./cmd/pause", "-s -w"); err != nil {
		return "", err
	}
	return tar, image.Write(image.Spec{
		Name:       pauseImage,
		Files:      map[string]string{"/pause": base},
		Entrypoint: []string{"/pause"},
		User:       "65535:65535",
	}, tar)
}
