package drivers

import (
	"context"
	"fmt"
	"log/slog"

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

// ServeDisks serves the disks of a driver that have limits, from the directory of its volumes at another one, until the context ends.
func ServeDisks(ctx context.Context, driver, volumes, at string, log *slog.Logger) error {
	k, err := kind(driver)
	if err != nil {
		return err
	}
	if err := pace.Urgent(); err != nil {
		log.Warn("Disks are slower than they should be while the machine is busy", "err", err)
	}
	stop, err := disk.Serve(k, volumes, at, log)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return stop()
}
