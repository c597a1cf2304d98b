package drivers

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/ebs"
	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// kind returns the disks of a driver by its short name.
func kind(driver string) (disk.Kind, error) {
	switch driver {
	case "loop":
		return disk.Loop, nil
	case "ebs":
		return ebs.Kind()
	}
	return disk.Kind{}, fmt.Errorf("driver %q has no disks: give loop or ebs", driver)
}

// DiskOptions are what ServeDisks needs to know.
type DiskOptions struct {
	// Driver is its short name.
	Driver string
	// Volumes is the directory of what the volumes hold, At the one where their disks are served.
	Volumes, At string
}

// ServeDisks serves the disks of a driver that have limits until the context ends.
func ServeDisks(ctx context.Context, o DiskOptions) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	k, err := kind(o.Driver)
	if err != nil {
		return err
	}
	if err := pace.Urgent(); err != nil {
		log.Warn("Disks are slower than they should be while the machine is busy", "err", err)
	}
	stop, err := disk.Serve(k, o.Volumes, o.At, log)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return stop()
}
