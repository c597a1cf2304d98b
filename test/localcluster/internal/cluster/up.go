package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// upLimit bounds a start, with all binaries to be built on a busy machine.
const upLimit = 90 * time.Minute

// programNames are the programs that `up` needs, from the tool modules.
var programNames = []string{
	"etcd", "kubectl", "kube-apiserver", "kubelet", "kube-controller-manager", "kube-scheduler", "kube-proxy",
}

// Up starts the cluster, or what is missing of it. Options add to those of an earlier Up.
func (c *Cluster) Up(ctx context.Context, options Options) error {
	ctx, cancel := context.WithTimeout(ctx, upLimit)
	defer cancel()
	if err := c.enable(options); err != nil {
		return err
	}
	if err := preflight(); err != nil {
		return err
	}
	unlock, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, step := range []func(context.Context) error{
		c.build,
		c.configure,
		c.takeMachine,
		c.checkPorts,
		c.prepareHost,
		c.startStores,
		c.shareImages,
		c.startWorkers,
		c.awaitNodes,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, a := range c.addons {
		if a.about != "" {
			c.progress.printf("%s", a.about)
		}
	}
	c.progress.printf("The cluster is up: export KUBECONFIG=%s", c.state.Kubeconfig())
	return nil
}

// preflight finds what will not work before anything is changed.
func preflight() error {
	if os.Geteuid() != 0 {
		return errors.New("a local cluster needs root: containers, mounts and loop devices do")
	}
	return host.CheckControllers()
}

// prepare makes the state directory and takes its lock.
func (c *Cluster) prepare(ctx context.Context) (unlock func(), err error) {
	if err := c.state.Prepare(); err != nil {
		return nil, err
	}
	return state.Lock(ctx, c.state.Path("lock"), func() {
		c.progress.printf("Waiting for another process that changes this cluster")
	})
}

func (c *Cluster) build(ctx context.Context) error {
	if err := c.binaries.Build(ctx, programNames...); err != nil {
		return err
	}
	for _, a := range c.addons {
		if a.build == nil {
			continue
		}
		if err := a.build(ctx); err != nil {
			return fmt.Errorf("addon %s: %w", a.name, err)
		}
	}
	return nil
}

// configure writes all files that the components read.
func (c *Cluster) configure(context.Context) error {
	errs := []error{
		c.remember(),
		c.credentials(),
		state.WriteFile(c.auditPolicyPath(), auditPolicy, 0o644),
		writeYAML(c.state.Path("kube-scheduler.yaml"), c.schedulerConfig()),
		writeYAML(c.state.Path("kube-proxy.yaml"), c.proxyConfig()),
		c.writeNodes(),
	}
	for _, n := range c.nodes {
		errs = append(errs, n.writeConfig())
	}
	return errors.Join(errs...)
}

// checkPorts fails while nothing is changed yet, when another cluster runs.
func (c *Cluster) checkPorts(ctx context.Context) error {
	for _, comp := range c.components() {
		record, err := c.record(comp.name)
		if err != nil {
			return err
		}
		if record.Alive() {
			continue
		}
		if err := comp.checkPorts(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) journalPath() string { return c.state.Path("machine-before.json") }

// prepareHost changes what must be changed on the machine before the start.
func (c *Cluster) prepareHost(ctx context.Context) error {
	journal, err := host.OpenJournal(c.journalPath())
	if err != nil {
		return err
	}
	if err := journal.ClaimServiceTables(ctx); err != nil {
		return err
	}
	if err := host.EnableForwarding(); err != nil {
		return err
	}
	if err := c.sharedCgroup().Ensure(); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := n.cgroup.Ensure(); err != nil {
			return err
		}
		if err := journal.EnsureAddress(n.ip + "/32"); err != nil {
			return err
		}
	}
	return nil
}

// startStores starts what the rest stands on: the API, and the nodes' container
// runtimes, which need no API.
func (c *Cluster) startStores(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		// The API server waits for etcd by itself, which is faster than to wait for
		// etcd here first.
		return c.startAll(ctx, c.etcd(), c.apiserver())
	})
	for _, n := range c.nodes {
		group.Go(func() error { return c.startRuntime(ctx, n) })
	}
	return group.Wait()
}

func (c *Cluster) startRuntime(ctx context.Context, n *node) error {
	if err := c.start(ctx, n.containerd()); err != nil {
		return err
	}
	if n.hasImage(ctx, pauseImage) == nil {
		return nil
	}
	pause, err := c.pauseTarball(ctx)
	if err != nil {
		return fmt.Errorf("pause image: %w", err)
	}
	return n.load(ctx, pause, []string{pauseImage})
}

// startWorkers starts all that needs the API.
func (c *Cluster) startWorkers(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.startAll(ctx, c.controllerManager(), c.scheduler(), c.proxy()) })
	for _, n := range c.nodes {
		group.Go(func() error { return c.startNode(ctx, n) })
	}
	for _, a := range c.addons {
		group.Go(func() error { return c.startAddon(ctx, a) })
	}
	return group.Wait()
}

// registerLimit is how long a kubelet has to register all drivers, which are started at the same time.
const registerLimit = 30 * time.Second

// startNode starts a kubelet, and once more if it does not register the drivers. One whose watch of their sockets cannot begin
// logs that and goes on without: Run in Kubernetes' pkg/kubelet/pluginmanager/plugin_manager.go.
func (c *Cluster) startNode(ctx context.Context, n *node) error {
	if err := c.startKubelet(ctx, n); err != nil {
		return err
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	registered := func(ctx context.Context) error { return driversRegistered(ctx, client, n.name, c.drivers()) }
	err = poll(ctx, "drivers", registerLimit, nil, registered)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	c.progress.printf("%s: %v. It is started again", n.name, err)
	record, err := c.record(n.kubelet().name)
	if err != nil {
		return err
	}
	if err := process.Stop(ctx, record.Identity, stopGrace); err != nil {
		return c.failed(n.kubelet().name, err)
	}
	return c.startKubelet(ctx, n)
}

// kubeletStarts is how often a kubelet is started before it is given up.
const kubeletStarts = 3

// startKubelet starts a kubelet, and again when it ends before its node is Ready. A kubelet that cannot begin ends
// itself and relies on being started again, as systemd does on a real node: so say the comments of
// initializeRuntimeDependentModules in Kubernetes' pkg/kubelet/kubelet.go.
func (c *Cluster) startKubelet(ctx context.Context, n *node) error {
	return c.again(kubeletStarts, func() error {
		exited, err := c.startWatched(ctx, n.kubelet())
		if err == nil {
			err = c.awaitNode(ctx, n, nil, exited)
		}
		if errors.Is(err, process.ErrEnded) {
			return errors.Join(err, pause(ctx))
		}
		return err
	})
}

// pause waits a moment, for what made a process end to be over.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return nil
	}
}

// again starts what may end by itself, so many times at most.
func (c *Cluster) again(starts int, start func() error) error {
	for {
		err := start()
		starts--
		if !errors.Is(err, process.ErrEnded) || starts <= 0 {
			return err
		}
		c.progress.printf("%v. It is started again", err)
	}
}

func (c *Cluster) startAddon(ctx context.Context, a addon) error {
	if err := c.apply(ctx, a); err != nil {
		return err
	}
	if a.prepare != nil {
		if err := a.prepare(ctx); err != nil {
			return fmt.Errorf("addon %s: %w", a.name, err)
		}
	}
	for _, comp := range a.components(c) {
		if err := c.start(ctx, comp); err != nil {
			return err
		}
	}
	return nil
}

// startAll starts components side by side.
func (c *Cluster) startAll(ctx context.Context, components ...component) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, comp := range components {
		group.Go(func() error { return c.start(ctx, comp) })
	}
	return group.Wait()
}

// components returns all of the cluster, those first that others stand on.
func (c *Cluster) components() []component {
	all := []component{c.etcd(), c.apiserver(), c.controllerManager(), c.scheduler(), c.proxy()}
	for _, n := range c.nodes {
		all = append(all, n.containerd(), n.kubelet())
	}
	for _, a := range c.addons {
		all = append(all, a.components(c)...)
	}
	return all
}
