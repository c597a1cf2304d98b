// Package s3programs builds the programs of the S3 addon from hack/s3, once for each
// version of their source, into the user's cache.
package s3programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/binaries"
	"github.com/storagebench/storagebench/test/localcluster/internal/image"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const (
	driverModule = "github.com/awslabs/mountpoint-s3-csi-driver"
	// authorities is where Debian's ca-certificates are. Mountpoint's client does not
	// start without any, also when it is to speak plain HTTP.
	authorities = "/etc/ssl/certs/ca-certificates.crt"
)

// Programs are the programs of one checkout.
type Programs struct {
	// source is hack/s3: a Rust workspace, and in csi a Go module.
	source string
	// rust and driver are the directories in the cache that are built into.
	rust, driver string
	progress     func(format string, args ...any)
}

// Open reads the sources of a checkout to know which programs are meant.
func Open(root string, progress func(format string, args ...any)) (*Programs, error) {
	cache, err := binaries.CacheDir()
	if err != nil {
		return nil, err
	}
	p := &Programs{source: filepath.Join(root, "hack", "s3"), progress: progress}
	rust, err := sourceKey(p.source, "csi")
	if err != nil {
		return nil, err
	}
	driver, err := sourceKey(filepath.Join(p.source, "csi"))
	if err != nil {
		return nil, err
	}
	p.rust = filepath.Join(cache, "s3-"+rust)
	p.driver = filepath.Join(cache, "s3-csi-"+driver)
	return p, nil
}

// Server is the S3 server.
func (p *Programs) Server() string { return filepath.Join(p.rust, "s3-server") }

// Driver is the CSI driver and its controller.
func (p *Programs) Driver() string { return filepath.Join(p.driver, "s3-csi") }

func (p *Programs) mountpoint() string { return filepath.Join(p.rust, "mount-s3") }

// mounter is the driver's program that starts Mountpoint in a pod.
func (p *Programs) mounter() string { return filepath.Join(p.driver, "aws-s3-csi-mounter") }

func (p *Programs) imageKey() string {
	key := func(dir string) string { return dir[strings.LastIndex(dir, "-")+1:] }
	return key(p.rust) + "-" + key(p.driver)
}

// Image is the name of the Mountpoint pods' image.
func (p *Programs) Image() string { return "localhost/storagebench/mountpoint:" + p.imageKey() }

// Tarball is where the image is.
func (p *Programs) Tarball() string { return filepath.Join(p.driver, p.imageKey()+".tar") }

// Build builds what is missing. Several processes may do so at the same time: one
// builds and the others wait for it. Rust's last packages leave processors to Go.
func (p *Programs) Build(ctx context.Context) error {
	group, building := errgroup.WithContext(ctx)
	group.Go(func() error { return p.locked(building, p.rust, p.buildRust) })
	group.Go(func() error { return p.locked(building, p.driver, p.buildDriver) })
	if err := group.Wait(); err != nil {
		return err
	}
	return p.locked(ctx, p.driver, p.buildImage)
}

func (p *Programs) locked(ctx context.Context, dir string, build func(context.Context) error) error {
	unlock, err := state.Lock(ctx, filepath.Join(dir, ".lock"), func() {
		p.progress("Waiting for another process that builds into %s", dir)
	})
	if err != nil {
		return err
	}
	defer unlock()
	return build(ctx)
}

var requiredDriver = regexp.MustCompile(regexp.QuoteMeta(driverModule) + ` v(\S+)`)

// driverVersion is that of the required module, without the v. Pods carry it in a label.
func (p *Programs) driverVersion() (string, error) {
	path := filepath.Join(p.source, "csi", "go.mod")
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	found := requiredDriver.FindSubmatch(content)
	if found == nil {
		return "", fmt.Errorf("%s does not require %s", path, driverModule)
	}
	return string(found[1]), nil
}

func (p *Programs) buildDriver(ctx context.Context) error {
	if exist(p.Driver(), p.mounter()) {
		return nil
	}
	version, err := p.driverVersion()
	if err != nil {
		return err
	}
	p.progress("Building %s %s (kept in %s)", driverModule, version, p.driver)
	started := time.Now()
	ldflags := "-s -w -X " + driverModule + "/pkg/driver/version.driverVersion=" + version
	module := filepath.Join(p.source, "csi")
	if err := errors.Join(
		binaries.GoBuild(ctx, module, p.Driver(), ".", ldflags),
		binaries.GoBuild(ctx, module, p.mounter(), driverModule+"/cmd/aws-s3-csi-mounter", ldflags),
	); err != nil {
		return err
	}
	p.progress("Built %s in %.0f s", driverModule, time.Since(started).Seconds())
	return nil
}

// buildImage makes the image of the Mountpoint pods.
func (p *Programs) buildImage(context.Context) error {
	if exist(p.Tarball()) {
		return nil
	}
	return image.Write(image.Spec{
		Name: p.Image(),
		Files: map[string]string{
			"/bin/aws-s3-csi-mounter": p.mounter(),
			authorities:               authorities,
		},
		Programs:   []string{p.mountpoint()},
		Entrypoint: []string{"/bin/aws-s3-csi-mounter"},
		User:       "1000:1000",
		Env:        []string{"MOUNTPOINT_BIN_DIR=" + p.rust},
	}, p.Tarball())
}

func exist(files ...string) bool {
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return true
}
