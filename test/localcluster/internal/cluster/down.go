package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/process"
)

const (
	downLimit   = 5 * time.Minute
	sweepLimit  = 15 * time.Second
	cgroupLimit = 30 * time.Second
)

// Down stops the cluster, deletes its state and restores the machine. It does so
// from any state: each step undoes what it finds, and a failed step does not keep
// the later ones from their work. The state is kept if anything failed, so that it
// can be called again.
func (c *Cluster) Down(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downLimit)
	defer cancel()
	if _, err := os.Stat(string(c.state)); errors.Is(err, fs.ErrNotExist) {
		c.progress.printf("There is no cluster")
		return nil
	}
	unlock, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := errors.Join(c.stopProcesses(ctx), c.restoreHost(ctx)); err != nil {
		return err
	}
	if err := errors.Join(c.leaveMachine(), c.state.Remove()); err != nil {
		return err
	}
	c.progress.printf("The cluster is down")
	return nil
}

// stopProcesses ends the processes and pods. The order matters: nobody may start
// again what was just stopped.
func (c *Cluster) stopProcesses(ctx context.Context) error {
	names, err := c.recorded()
	if err != nil {
		return err
	}
	runtimes := map[string]bool{}
	for _, n := range c.nodes {
		runtimes[n.component("containerd")] = true
	}
	var group errgroup.Group
	for _, name := range names {
		if !runtimes[name] {
			// All their data is about to be deleted: there is nothing to end in order.
			group.Go(func() error { return c.stop(ctx, name, process.Kill) })
		}
	}
	errs := []error{group.Wait()}
	c.progress.printf("Control plane and kubelets are stopped")
	for _, n := range c.nodes {
		errs = append(errs, c.stopRuntime(ctx, n))
	}
	// What is left has lost its parent, like the shims of a killed runtime.
	return errors.Join(append(errs, c.cgroup.KillAll(ctx, sweepLimit))...)
}

// recorded returns the components that were ever started, also those that this
// release does not have.
func (c *Cluster) recorded() ([]string, error) {
	records, err := filepath.Glob(c.state.Record("*"))
	var names []string
	for _, record := range records {
		names = append(names, strings.TrimSuffix(filepath.Base(record), ".json"))
	}
	return names, err
}

func (c *Cluster) stop(ctx context.Context, name string, end func(context.Context, process.Identity) error) error {
	record, err := c.record(name)
	if err != nil {
		return err
	}
	if err := end(ctx, record.Identity); err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return os.Remove(c.state.Record(name))
}

// stopRuntime ends a node's pods through its runtime, which knows how to take down
// their networks and mounts. A runtime that was killed is started for that.
func (c *Cluster) stopRuntime(ctx context.Context, n *node) error {
	comp := n.containerd()
	record, err := c.record(comp.name)
	if err != nil || record.PID == 0 {
		return err
	}
	err = c.start(ctx, comp)
	if err == nil {
		err = n.stopPods(ctx)
	}
	if err != nil {
		// The sweep after this ends them all the same.
		c.progress.printf("Pods of %s are not stopped in order: %v", n.name, err)
	}
	c.progress.printf("Pods of %s are stopped", n.name)
	return c.stop(ctx, comp.name, func(ctx context.Context, i process.Identity) error {
		return process.Stop(ctx, i, stopGrace)
	})
}

// restoreHost undoes all changes of the machine.
func (c *Cluster) restoreHost(ctx context.Context) error {
	journal, err := host.LoadJournal(c.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was changed
	}
	if err != nil {
		return err
	}
	dir := string(c.state)
	devices, err := host.LoopDevicesBelow(dir)
	errs := []error{
		err,
		host.UnmountBelow(ctx, dir),
		host.DetachLoopDevices(ctx, devices),
		journal.RemoveLoopDevices(),
	}
	for _, n := range c.nodes {
		errs = append(errs, host.RemoveBridge(n.bridge), journal.RemoveOutsideFiles(n.network, dir))
	}
	return errors.Join(append(errs,
		journal.RemoveServiceTables(ctx),
		c.cgroup.Remove(ctx, cgroupLimit),
		journal.RemoveAddresses(),
		journal.RestoreSysctls(),
	)...)
}
