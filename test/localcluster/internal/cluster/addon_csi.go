package cluster

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/drivers"
	"github.com/storagebench/storagebench/test/localcluster/internal/efs"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

const (
	// DriverCommand is the subcommand of this program that is a CSI driver.
	DriverCommand = "csi"
	// DisksCommand is the subcommand of this program that serves the disks of a CSI driver.
	DisksCommand = "csi-disks"
	// ProvisionerCommand is the subcommand of this program that is an external-provisioner.
	ProvisionerCommand = "csi-provisioner"
	// AttacherCommand is the one that is an external-attacher.
	AttacherCommand = "csi-attacher"
)

var (
	// impatient is for drivers that nobody has elsewhere: tests do not want to wait.
	impatient = sidecar.Pace{Timeout: 30 * time.Second, RetryStart: 250 * time.Millisecond, RetryMax: 10 * time.Second}
	// ebsPace is that of the chart of aws-ebs-csi-driver v1.64.0, which leaves RetryStart as it is.
	ebsPace = sidecar.Pace{Timeout: time.Minute, RetryStart: time.Second, RetryMax: 30 * time.Minute}
	// attachPace is that of its attacher, as in the same chart, or by default where that sets nothing.
	attachPace = sidecar.Pace{Timeout: 6 * time.Minute, RetryStart: time.Second, RetryMax: 5 * time.Minute}
)

// csiAddon gives the volumes of a driver that this program is. There is one process of each for all nodes: what the
// nodes share, such as the limits of a file system, is in one process then.
type csiAddon struct {
	csidriver.Driver

	// manifest has its CSIDriver and StorageClasses.
	manifest string
	// dir is the directory of its volumes, below that of the state.
	dir         string
	provisioner string
	port        int
	// disks says that volumes are disks, some of which have limits.
	disks bool
	pace  sidecar.Pace
	// attacher is the external-attacher of a driver whose controller attaches volumes, "" for others.
	attacher     string
	attacherPort int
	// metricsPort is that of what the driver's metrics tell of its disks, 0 if it has none.
	metricsPort int
	// fsType of volumes whose class names none, as in the real driver's chart.
	fsType string
	// prepare does what must be done in dir before the start. It may be nil.
	prepare func(dir string) error
}

var (
	//go:embed config/loop.yaml
	loopManifest string
	//go:embed config/ebs.yaml
	ebsManifest string
	//go:embed config/efs.yaml
	efsManifest string
)

var csiAddons = []csiAddon{
	{Driver: drivers.Loop, manifest: loopManifest, dir: "volumes", provisioner: "csi-provisioner", port: provisionerPort, pace: impatient, fsType: "ext4", disks: true},
	{Driver: drivers.EBS, manifest: ebsManifest, dir: "ebs", provisioner: "csi-provisioner-ebs", port: ebsProvisionerPort, pace: ebsPace,
		attacher: "csi-attacher-ebs", attacherPort: ebsAttacherPort, fsType: "ext4", disks: true, metricsPort: ebsMetricsPort},
	{Driver: drivers.EFS, manifest: efsManifest, dir: "efs", provisioner: "csi-provisioner-efs", port: efsProvisionerPort, pace: impatient, prepare: createFileSystems},
}

func (c *Cluster) csiAddons() []addon {
	var all []addon
	for _, a := range csiAddons {
		added := addon{name: a.ShortName, manifest: a.manifest, components: a.components, drivers: []string{a.Name}}
		if a.prepare != nil {
			added.prepare = func(context.Context) error { return a.prepare(c.state.Path(a.dir)) }
		}
		all = append(all, added)
	}
	return all
}

// components are what serves its disks, if it has some, the driver's process, and its sidecars.
func (a csiAddon) components(c *Cluster) []component {
	var all []component
	if a.disks {
		all = append(all, a.diskServer(c))
	}
	all = append(all, a.driver(c), a.sidecar(c, a.provisioner, ProvisionerCommand, a.port, a.pace))
	if a.attacher != "" {
		all = append(all, a.sidecar(c, a.attacher, AttacherCommand, a.attacherPort, attachPace))
	}
	return all
}

// part is the command line of a process that is this program, with its options.
func (c *Cluster) part(command string, options any) []string {
	text, _ := json.Marshal(options) // text and numbers
	return []string{c.executable, command, string(text)}
}

// process is the name of the driver's process.
func (a csiAddon) process() string { return "csi-" + a.ShortName }

func (a csiAddon) driver(c *Cluster) component {
	o := drivers.Options{Driver: a.ShortName, Nodes: c.nodesPath(), Options: csidriver.Options{Volumes: c.state.Path(a.dir), Mounts: string(c.state)}}
	if a.disks {
		o.Disks = c.state.Path(a.dir + "-disks")
	}
	return component{
		name: a.process(),
		argv: c.part(DriverCommand, o),
		// Not the list of nodes, which the driver follows.
		inputs: []string{c.executable},
		ready: func(ctx context.Context) error {
			for _, n := range c.nodes {
				err := driverReady(n.sockets(a.ShortName).CSI)(ctx)
				if errors.Is(err, errNotRegistered) {
					return c.failed(n.component("kubelet"), err)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", n.name, err)
				}
			}
			return nil
		},
	}
}

// sidecar is one of the programs that stand between Kubernetes and a driver.
func (a csiAddon) sidecar(c *Cluster, name, command string, port int, pace sidecar.Pace) component {
	endpoint := address(loopbackIP, port)
	return component{
		name: name,
		argv: c.part(command, sidecar.Options{
			Kubeconfig: c.state.Kubeconfig(),
			// Any node's socket serves for the volumes of all.
			CSIAddress:    c.nodes[0].sockets(a.ShortName).CSI,
			HTTPEndpoint:  endpoint,
			DefaultFSType: a.fsType,
			QPS:           clientQPS,
			Burst:         clientBurst,
			Pace:          pace,
		}),
		// It ends when it loses the driver, so it is started anew with the driver.
		inputs:  []string{c.executable, c.state.Kubeconfig(), c.state.Record(a.process())},
		listens: []string{endpoint},
		ready:   httpOK("http://" + endpoint + sidecar.HealthPath),
	}
}

// diskServer is a process of its own, because disks go on while the driver does not run. A rebuilt program takes over when the cluster starts anew: before, it
// would end the disks that are in use.
func (a csiAddon) diskServer(c *Cluster) component {
	o := drivers.DiskOptions{Volumes: c.state.Path(a.dir), At: c.state.Path(a.dir + "-disks")}
	var listens []string
	if a.metricsPort != 0 {
		o.EBSMetrics = address(c.apiIP(), a.metricsPort) // where pods reach it, as they do the API server
		listens = []string{o.EBSMetrics}
	}
	return component{
		name:    "disks-" + a.ShortName,
		argv:    c.part(DisksCommand, o),
		listens: listens,
		ready:   func(context.Context) error { return mounted(o.At) },
	}
}

func mounted(dir string) error {
	is, err := csidriver.Mounted(dir)
	if err == nil && !is {
		err = fmt.Errorf("nothing is served at %s", dir)
	}
	return err
}

//go:embed config/efs-file-systems.yaml
var efsFileSystems []byte

// createFileSystems makes the file systems that the real driver of EFS would find.
func createFileSystems(dir string) error {
	fileSystems := map[string]efsfuse.Limits{}
	if err := yaml.UnmarshalStrict(efsFileSystems, &fileSystems); err != nil {
		return err
	}
	for id, limits := range fileSystems {
		if err := efs.CreateFileSystem(dir, id, limits); err != nil {
			return err
		}
	}
	return nil
}

// served is the node as drivers know it.
func (n *node) served() csidriver.Node {
	return csidriver.Node{Name: n.name, Zone: zone, Dir: n.dir}
}

func (n *node) sockets(driver string) csidriver.Sockets { return n.served().Sockets(driver) }

func (c *Cluster) nodesPath() string { return c.state.Path("nodes.json") }

// writeNodes writes the list of nodes that the drivers follow.
func (c *Cluster) writeNodes() error {
	var nodes []csidriver.Node
	for _, n := range c.nodes {
		nodes = append(nodes, n.served())
	}
	return csidriver.WriteNodes(c.nodesPath(), nodes)
}
