// Registry brings the images of a release to a registry, and says what a registry has.
//
//	registry push LAYOUT REPOSITORY:TAG@DIGEST   prints each platform's architecture and image, by its digest
//	registry manifest REPOSITORY:TAG             prints what the tag names, and nothing where there is no such tag
//
// Credentials are Docker's: config.json in the directory DOCKER_CONFIG, or in ~/.docker.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
)

// deadline is for all that one call does: a release has 40 MB of layers for each platform.
const deadline = 15 * time.Minute

func main() {
	if err := inTime(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func inTime(out io.Writer, args []string) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), deadline, fmt.Errorf("the registry took longer than %s", deadline))
	defer cancel()
	if err := run(ctx, out, args); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return nil
}

func run(ctx context.Context, out io.Writer, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "push":
		return push(ctx, out, authn.DefaultKeychain, args[1], args[2])
	case len(args) == 2 && args[0] == "manifest":
		return manifest(ctx, out, authn.DefaultKeychain, args[1])
	}
	return errors.New("usage: registry push LAYOUT REPOSITORY:TAG@DIGEST | registry manifest REPOSITORY:TAG")
}
