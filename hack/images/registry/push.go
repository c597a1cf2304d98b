package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/storagebench/storagebench/hack/images/internal/archive"
)

// push brings the index of a layout to the registry under its tag. A tag that names something else is left as it is: whoever
// has pulled a release gets the same one the next time.
func push(ctx context.Context, out io.Writer, keys authn.Keychain, layout, reference string) error {
	tag, want, err := parse(reference)
	if err != nil {
		return err
	}
	index, err := archive.OnlyIndex(layout)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	if digest != want {
		return fmt.Errorf("%s has %s, and %s is to be pushed: run make release again", layout, digest, reference)
	}
	options, err := access(ctx, keys, tag)
	if err != nil {
		return err
	}
	there, err := published(tag, options)
	switch {
	case err != nil:
		return err
	case there == nil:
		if err := remote.WriteIndex(tag, index, options...); err != nil {
			return fmt.Errorf("push %s: %w", tag, err)
		}
	case there.Digest != want:
		return fmt.Errorf("%s is %s already, and this release has %s. A tag that is published stays what it is: "+
			"raise version and appVersion in charts/storagebench/Chart.yaml", tag, there.Digest, want)
	default:
		fmt.Fprintf(os.Stderr, "registry: %s is there already\n", reference)
	}
	return platforms(out, tag, index)
}

// manifest prints what a tag names.
func manifest(ctx context.Context, out io.Writer, keys authn.Keychain, reference string) error {
	tag, err := name.NewTag(reference, name.StrictValidation)
	if err != nil {
		return err
	}
	options, err := access(ctx, keys, tag)
	if err != nil {
		return err
	}
	there, err := published(tag, options)
	if err != nil || there == nil {
		return err
	}
	_, err = out.Write(there.Manifest)
	return err
}

// parse splits REPOSITORY:TAG@DIGEST, as a line of images.txt is.
func parse(reference string) (name.Tag, v1.Hash, error) {
	before, after, _ := strings.Cut(reference, "@")
	tag, err := name.NewTag(before, name.StrictValidation)
	if err != nil {
		return name.Tag{}, v1.Hash{}, err
	}
	digest, err := v1.NewHash(after)
	if err != nil {
		return name.Tag{}, v1.Hash{}, fmt.Errorf("%s is not REPOSITORY:TAG@DIGEST: %w", reference, err)
	}
	return tag, digest, nil
}

// access returns how the registry is talked to: always with the right to push. Some registries refuse to say that a repository is
// not there yet to somebody who only asks to pull from it.
func access(ctx context.Context, keys authn.Keychain, tag name.Tag) ([]remote.Option, error) {
	credentials, err := keys.Resolve(tag.Context())
	if err != nil {
		return nil, err
	}
	wire, err := transport.NewWithContext(ctx, tag.Registry, credentials, transport.NewRetry(remote.DefaultTransport),
		[]string{tag.Scope(transport.PushScope)})
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", tag.RegistryStr(), err)
	}
	return []remote.Option{remote.WithContext(ctx), remote.WithTransport(wire)}, nil
}

// published returns what a tag names, nil where there is no such tag.
func published(tag name.Tag, options []remote.Option) (*remote.Descriptor, error) {
	there, err := remote.Get(tag, options...)
	var answer *transport.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", tag, err)
	}
	return there, nil
}

// platforms prints the architecture and the image of each platform.
func platforms(out io.Writer, tag name.Tag, index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, image := range manifest.Manifests {
		if _, err := fmt.Fprintln(out, image.Platform.Architecture, tag.Digest(image.Digest.String())); err != nil {
			return err
		}
	}
	return nil
}
