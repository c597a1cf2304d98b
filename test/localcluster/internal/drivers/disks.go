package drivers

import (
	"context"
	"log/slog"
	"os"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// DiskOptions are what ServeDisks needs to know.
type DiskOptions struct {
	// Volumes is the directory of what the volumes hold, At the one where their disks are served.
	Volumes, At string
}

// ServeDisks serves the disks of a driver that have limits until the context ends.
func ServeDisks(ctx context.Context, o DiskOptions) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := pace.Urgent(); err != nil {
		log.Warn("Disks are slower than they should be while the machine is busy", "err", err)
	}
	stop, err := disk.Serve(o.Volumes, o.At, log)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return stop()
}
