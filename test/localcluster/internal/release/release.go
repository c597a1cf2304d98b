// Package release downloads official builds of Kubernetes and etcd, so that nobody with an
// open network waits for a compiler. What is downloaded is only ever used when it has the
// checksum that is in this repository. What cannot be had, is too slow or is wrong is for the
// caller to build.
package release

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// MirrorVariable names a mirror, below which the hosts of the addresses are directories:
// MIRROR/dl.k8s.io/release/... and MIRROR/github.com/etcd-io/... The checksums stay the
// same. With "off" nothing is downloaded.
const MirrorVariable = "STORAGEBENCH_RELEASE_MIRROR"

// A Program is one of a project, in one of its versions.
type Program struct{ Name, Version string }

// Limits bound how long a bad network holds anybody up.
type Limits struct {
	// Reach is for finding out which hosts answer, all together.
	Reach time.Duration
	// Stall is how long a download may stand still.
	Stall time.Duration
	// Speed in bytes a second, below which building is the better choice.
	Speed int64
	// Grace is added to the time that a file takes at that speed.
	Grace time.Duration
	// Pause is between attempts.
	Pause time.Duration
	// Report is between lines of progress.
	Report time.Duration
}

// DefaultLimits are for slow networks: all programs are some 400 MiB, which at this speed take as long as two cores
// need to build them.
var DefaultLimits = Limits{
	Reach:  3 * time.Second,
	Stall:  15 * time.Second,
	Speed:  1 << 20,
	Grace:  15 * time.Second,
	Pause:  time.Second,
	Report: 10 * time.Second,
}

// A Client downloads into one store, which is shared by all checkouts of a user. No other may do so at the same time.
type Client struct {
	store    string
	progress func(format string, args ...any)
	mirror   string
	table    string
	arch     string
	limits   Limits
	http     *http.Client
}

// New returns a client that keeps what it downloads in store.
func New(store string, progress func(format string, args ...any)) *Client {
	return &Client{
		store:    store,
		progress: progress,
		mirror:   strings.TrimRight(os.Getenv(MirrorVariable), "/"),
		table:    published,
		arch:     runtime.GOARCH,
		limits:   DefaultLimits,
		http:     &http.Client{Transport: transport()},
	}
}

// transport heeds HTTPS_PROXY and its like, as http.DefaultTransport does. Files are to
// arrive as they are published, and so are never unpacked on the way.
func transport() *http.Transport {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableCompression: true}
}

// Fetch puts those of the programs into dir that have an official build and can be
// downloaded, as links into the store, which tell them from programs that were built there.
// The error says why others are missing; it is nil when there is nothing to say. Where it is
// ErrHere, to build them would fail as well.
func (c *Client) Fetch(ctx context.Context, programs []Program, dir string) error {
	wanted := c.wanted(programs)
	if c.mirror == "off" || len(wanted) == 0 {
		return nil
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(c.store, 0o755)); err != nil {
		return here(err)
	}
	errs := []error{c.download(ctx, c.missing(wanted))}
	for _, a := range wanted {
		if c.has(a) {
			errs = append(errs, here(link(filepath.Join(c.store, a.stored()), filepath.Join(dir, a.Name))))
		}
	}
	return errors.Join(errs...)
}

// wanted has the smallest file first: a slow network is found out with little lost.
func (c *Client) wanted(programs []Program) []artifact {
	var wanted []artifact
	for _, program := range programs {
		if a, ok := find(c.table, program, c.arch); ok {
			wanted = append(wanted, a)
		}
	}
	slices.SortStableFunc(wanted, func(a, b artifact) int { return int(a.mib - b.mib) })
	return wanted
}

func (c *Client) missing(wanted []artifact) []artifact {
	return slices.DeleteFunc(slices.Clone(wanted), c.has)
}

func (c *Client) has(a artifact) bool {
	info, err := os.Stat(filepath.Join(c.store, a.stored()))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (c *Client) download(ctx context.Context, missing []artifact) error {
	failed := c.reach(ctx, missing)
	errs := slices.Collect(maps.Values(failed))
	for _, a := range missing {
		if failed[a.host()] != nil {
			continue
		}
		err := c.get(ctx, a)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
		}
		if errors.Is(err, ErrHere) {
			break
		}
		// Where one file does not come through, the next one is not waited for either.
		if errors.Is(err, errHost) {
			failed[a.host()] = err
		}
	}
	return errors.Join(errs...)
}

// url of an artifact, at its own host or below the mirror.
func (c *Client) url(a artifact) string {
	if c.mirror != "" {
		return c.mirror + "/" + a.address
	}
	return "https://" + a.address
}

func (c *Client) request(ctx context.Context, a artifact) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(a), nil)
	if err != nil {
		return nil, fmt.Errorf("%s is not the address of a mirror: %w", MirrorVariable, err)
	}
	return request, nil
}

// link replaces what is at path, in one step.
func link(target, path string) error {
	tmp := path + ".link"
	if err := errors.Join(os.RemoveAll(tmp), os.Symlink(target, tmp)); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
