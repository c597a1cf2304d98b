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
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/storagebench/storagebench/test/localcluster/internal/binaries"
	"github.com/storagebench/storagebench/test/localcluster/internal/image"
)

const (
	pauseImage = "localhost/storagebench/pause:1"
	// pinLabel keeps an image from the kubelet's garbage collection, in releases of
	// containerd that know it.
	pinLabel   = "io.cri-containerd.pinned=pinned"
	imageLimit = 10 * time.Second
)

// Load imports image tarballs into every node, or into the one that is named.
func (c *Cluster) Load(ctx context.Context, onlyNode string, files ...string) error {
	nodes := c.nodes
	if onlyNode != "" {
		n, err := c.node(onlyNode)
		if err != nil {
			return err
		}
		nodes = []*node{n}
	}
	for _, file := range files {
		names, err := imageNames(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, n := range nodes {
			if err := n.load(ctx, file, names); err != nil {
				return fmt.Errorf("load %s into %s: %w", file, n.name, err)
			}
		}
		c.progress.printf("Loaded %s", strings.Join(names, ", "))
	}
	return nil
}

// shareImages gives all nodes the images of the first, so that a node that was added
// can run what was loaded before it was there.
func (c *Cluster) shareImages(ctx context.Context) error {
	first := c.nodes[0]
	images, err := first.images(ctx)
	if err != nil {
		return err
	}
	for _, n := range c.nodes[1:] {
		missing := slices.DeleteFunc(slices.Clone(images), func(image string) bool { return n.hasImage(ctx, image) == nil })
		if len(missing) == 0 {
			continue
		}
		if err := first.copyImages(ctx, n, missing); err != nil {
			return fmt.Errorf("copy images from %s to %s: %w", first.name, n.name, err)
		}
		c.progress.printf("Copied %s to %s", strings.Join(missing, ", "), n.name)
	}
	return nil
}

func (n *node) copyImages(ctx context.Context, to *node, names []string) error {
	dir, err := os.MkdirTemp(n.dir, "images-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "images.tar")
	if err := n.ctr(ctx, append([]string{"images", "export", file}, names...)...); err != nil {
		return err
	}
	return to.load(ctx, file, names)
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
	module := filepath.Join(c.root, "test", "localcluster")
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
