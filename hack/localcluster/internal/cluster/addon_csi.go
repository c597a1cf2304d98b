package cluster

import (
	"context"
	"embed"
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/hack/localcluster/internal/drivers"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efs"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
	external "github.com/storagebench/storagebench/hack/localcluster/internal/provisioner"
)

const (
	// DriverCommand is the subcommand of this program that is a CSI driver.
	DriverCommand = "csi"
	// ProvisionerCommand is the subcommand of this program that is an external-provisioner.
	ProvisionerCommand = "csi-provisioner"
)

// csiAddon gives the volumes of a driver that this program is. There is one process of each for all nodes: what the
// nodes share, such as the limits of a file system, is in one process then.
type csiAddon struct {
	csidriver.Driver

	// dir is the directory of its volumes, below that of the state.
	dir         string
	provisioner string
	port        int
	// fsType of volumes whose class names none, as in the real driver's chart.
	fsType string
	// prepare does what must be done in dir before the start. It may be nil.
	prepare func(dir string) error
}

var csiAddons = []csiAddon{
	{Driver: drivers.Loop, dir: "volumes", provisioner: "csi-provisioner", port: provisionerPort, fsType: "ext4"},
	{Driver: drivers.EBS, dir: "ebs", provisioner: "csi-provisioner-ebs", port: ebsProvisionerPort, fsType: "ext4"},
	{Driver: drivers.EFS, dir: "efs", provisioner: "csi-provisioner-efs", port: efsProvisionerPort, prepare: createFileSystems},
}

//go:embed config/loop.yaml config/ebs.yaml config/efs.yaml
var csiManifests embed.FS

func (c *Cluster) csiAddons() ([]addon, error) {
	var all []addon
	for _, a := range csiAddons {
		manifest, err := csiManifests.ReadFile("config/" + a.ShortName + ".yaml")
		if err != nil {
			return nil, err
		}
		added := addon{
			name:       a.ShortName,
			manifest:   string(manifest),
			components: a.components,
			drivers:    []string{a.Name},
		}
		if a.prepare != nil {
			added.prepare = func(context.Context) error { return a.prepare(c.state.Path(a.dir)) }
		}
		all = append(all, added)
	}
	return all, nil
}

func (a csiAddon) components(c *Cluster) ([]component, error) {
	program, err := executable()
	if err != nil {
		return nil, err
	}
	name := "csi-" + a.ShortName
	driver := component{
		name: name,
		argv: []string{program, DriverCommand,
			"--driver=" + a.ShortName,
			"--nodes=" + c.nodesPath(),
			"--volumes=" + c.state.Path(a.dir),
			"--mounts=" + string(c.state),
		},
		// Not the list of nodes, which the driver follows.
		inputs: []string{program},
		ready: func(ctx context.Context) error {
			for _, n := range c.nodes {
				if err := driverReady(n.sockets(a.ShortName).CSI)(ctx); err != nil {
					return fmt.Errorf("%s: %w", n.name, err)
				}
			}
			return nil
		},
	}
	return []component{driver, a.provisionerOf(c, program, name)}, nil
}

// provisionerOf is the external-provisioner of a driver's process.
func (a csiAddon) provisionerOf(c *Cluster, program, driver string) component {
	endpoint := address(loopbackIP, a.port)
	return component{
		name: a.provisioner,
		argv: []string{program, ProvisionerCommand,
			"--kubeconfig=" + c.state.Kubeconfig(),
			// Any node's socket serves for the volumes of all.
			"--csi-address=" + c.nodes[0].sockets(a.ShortName).CSI,
			"--http-endpoint=" + endpoint,
			fmt.Sprintf("--kube-api-qps=%d", clientQPS),
			fmt.Sprintf("--kube-api-burst=%d", clientBurst),
			"--default-fstype=" + a.fsType,
		},
		// It ends when it loses the driver, so it is started anew with the driver.
		inputs:  []string{program, c.state.Kubeconfig(), c.state.Record(driver)},
		listens: []string{endpoint},
		ready:   httpOK("http://" + endpoint + external.HealthPath),
	}
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
	return csidriver.Node{Name: n.name, Dir: n.dir, Kubepods: filepath.Join(n.cgroup.Dir("blkio"), "kubepods")}
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
