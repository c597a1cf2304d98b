package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/process"
)

// What is here makes the faults of tests: components that stop, hang and come back, and nodes that vanish. `up` heals
// all of it.

// Stop ends components: it asks them to, and kills those that have not ended after 10 s. With now it kills them at
// once. The pods of a node go on without its kubelet and containerd. One that does not run is no error.
func (c *Cluster) Stop(ctx context.Context, now bool, names ...string) error {
	return c.each(ctx, names, func(_ component, i process.Identity) error {
		// One that is paused hears nothing but SIGKILL.
		if err := i.Signal(syscall.SIGCONT); err != nil {
			return err
		}
		if now {
			return process.Kill(ctx, i)
		}
		return process.Stop(ctx, i, stopGrace)
	})
}

// Pause makes components hang: they keep their sockets and connections, and answer nothing until Resume.
func (c *Cluster) Pause(ctx context.Context, names ...string) error {
	return c.signal(ctx, syscall.SIGSTOP, names)
}

// Resume has components go on that were paused.
func (c *Cluster) Resume(ctx context.Context, names ...string) error {
	return c.signal(ctx, syscall.SIGCONT, names)
}

func (c *Cluster) signal(ctx context.Context, signal os.Signal, names []string) error {
	return c.each(ctx, names, func(comp component, i process.Identity) error {
		if !i.Alive() {
			return fmt.Errorf("%s does not run: localcluster start %s", comp.name, comp.name)
		}
		return i.Signal(signal)
	})
}

// Start starts components that do not run, one after the other, and waits until each is ready.
func (c *Cluster) Start(ctx context.Context, names ...string) error {
	return c.each(ctx, names, func(comp component, _ process.Identity) error { return c.start(ctx, comp) })
}

// each does something with the named components, while no other command changes the cluster.
func (c *Cluster) each(ctx context.Context, names []string, do func(component, process.Identity) error) error {
	found, err := c.find(names)
	if err != nil {
		return err
	}
	unlock, err := c.prepareExisting(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, comp := range found {
		record, err := c.record(comp.name)
		if err != nil {
			return err
		}
		if err := do(comp, record.Identity); err != nil {
			return err
		}
	}
	return nil
}

// prepareExisting takes the lock of a cluster that there is.
func (c *Cluster) prepareExisting(ctx context.Context) (unlock func(), err error) {
	if _, err := os.Stat(string(c.state)); err != nil {
		return nil, fmt.Errorf("there is no cluster (localcluster up): %w", err)
	}
	return c.prepare(ctx)
}

// find returns components by their names. Those of the first node may be named as those of the others, such as
// node-1-kubelet.
func (c *Cluster) find(names []string) ([]component, error) {
	byName := map[string]component{}
	var known []string
	for _, comp := range c.components() {
		byName[comp.name] = comp
		known = append(known, comp.name)
	}
	var found []component
	for _, name := range names {
		comp, ok := byName[strings.TrimPrefix(name, c.nodes[0].name+"-")]
		if !ok {
			return nil, fmt.Errorf("the cluster has no component %s; it has %s", name, strings.Join(known, ", "))
		}
		found = append(found, comp)
	}
	return found, nil
}

func (c *Cluster) node(name string) (*node, error) {
	var known []string
	for _, n := range c.nodes {
		if n.name == name {
			return n, nil
		}
		known = append(known, n.name)
	}
	return nil, fmt.Errorf("the cluster has no node %s; it has %s", name, strings.Join(known, ", "))
}

// lockNode returns a node, and takes the lock of the cluster.
func (c *Cluster) lockNode(ctx context.Context, name string) (n *node, unlock func(), err error) {
	if n, err = c.node(name); err != nil {
		return nil, nil, err
	}
	unlock, err = c.prepareExisting(ctx)
	return n, unlock, err
}

// Lose has a node vanish with all that runs there, as when its instance is terminated. As on EKS, its disks are free
// for other nodes then, and the cloud's controller deletes the node's object. Find brings the node back.
func (c *Cluster) Lose(ctx context.Context, name string) error {
	n, unlock, err := c.lockNode(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	// The kubelet and the runtime are among them, with the processes that watch containers.
	if err := n.cgroup.KillAll(ctx, sweepLimit); err != nil {
		return err
	}
	if err := host.UnmountBelow(ctx, n.dir); err != nil {
		return err
	}
	for _, a := range csiAddons {
		if err := disk.DetachAll(ctx, c.state.Path(a.dir), n.name); err != nil {
			return err
		}
	}
	c.progress.printf("Node %s is lost", n.name)
	return c.kubectl(ctx, "delete", "node", n.name, "--ignore-not-found")
}

// Find brings back a node that was lost, with the disk that it had, and waits until pods can use it.
func (c *Cluster) Find(ctx context.Context, name string) error {
	n, unlock, err := c.lockNode(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.startRuntime(ctx, n); err != nil {
		return err
	}
	if err := c.startKubelet(ctx, n); err != nil {
		return err
	}
	for _, comp := range c.components() {
		if comp.cgroup != n.cgroup {
			continue
		}
		if err := c.start(ctx, comp); err != nil {
			return err
		}
	}
	return c.awaitNode(ctx, n, c.drivers(), nil)
}
