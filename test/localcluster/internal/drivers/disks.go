package drivers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/ebs"
	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// DiskOptions are what ServeDisks needs to know.
type DiskOptions struct {
	// Volumes is the directory of what the volumes hold, At the one where their disks are served.
	Volumes, At string
	// EBSMetrics is the address where it is told what EBS tells of its disks, at /metrics. "": nowhere.
	EBSMetrics string
}

// ServeDisks serves the disks of a driver that have limits until the context ends.
func ServeDisks(ctx context.Context, o DiskOptions) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := pace.Urgent(); err != nil {
		log.Warn("Disks are slower than they should be while the machine is busy", "err", err)
	}
	disks, err := disk.Serve(o.Volumes, o.At, log)
	if err != nil {
		return err
	}
	if o.EBSMetrics != "" {
		if err := serveMetrics(ctx, o.EBSMetrics, ebs.Metrics(disks)); err != nil {
			return errors.Join(err, disks.Stop())
		}
	}
	<-ctx.Done()
	return disks.Stop()
}

// serveMetrics serves metrics until the process ends.
func serveMetrics(ctx context.Context, address string, metrics http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", metrics)
	server := &http.Server{Handler: mux, ReadTimeout: 3 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return nil
}
