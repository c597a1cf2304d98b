package cluster

import (
	"context"
	_ "embed"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/hack/localcluster/internal/efscsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
)

//go:embed config/efs.yaml
var efsManifest string

//go:embed config/efs-file-systems.yaml
var efsFileSystems []byte

// newEFSAddon gives volumes as from Amazon EFS.
func (c *Cluster) newEFSAddon() addon {
	return addon{
		name:       "efs",
		manifest:   efsManifest,
		prepare:    c.createFileSystems,
		components: (*Cluster).efsComponents,
		drivers:    []string{efscsi.DriverName},
	}
}

// EFSDriverCommand is the subcommand of this program that is the stand-in for the
// driver of EFS, and its file servers.
const EFSDriverCommand = "csi-efs"

func (n *node) efsSocket() string { return n.path("csi-efs.sock") }

func (c *Cluster) efsDir() string { return c.state.Path("efs") }

// createFileSystems makes the file systems that the real driver would find.
func (c *Cluster) createFileSystems(context.Context) error {
	fileSystems := map[string]efsfuse.Limits{}
	if err := yaml.UnmarshalStrict(efsFileSystems, &fileSystems); err != nil {
		return err
	}
	for id, limits := range fileSystems {
		if err := efscsi.CreateFileSystem(c.efsDir(), id, limits); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) efsComponents() ([]component, error) {
	driver, err := c.efsDriver()
	if err != nil {
		return nil, err
	}
	provisioner, err := c.provisioner(provisioner{
		name: "csi-provisioner-efs", port: efsProvisionerPort,
		driver: EFSDriverCommand, socket: c.nodes[0].efsSocket(),
	})
	return []component{driver, provisioner}, err
}

// efsDriver is one for all nodes: they share the limits of a file system.
func (c *Cluster) efsDriver() (component, error) {
	program, err := executable()
	comp := component{
		name:   EFSDriverCommand,
		argv:   []string{program, EFSDriverCommand, "--file-systems=" + c.efsDir(), "--mounts=" + string(c.state)},
		inputs: []string{program},
	}
	for _, n := range c.nodes {
		comp.argv = append(comp.argv, "--node="+n.name+","+n.efsSocket()+","+n.registrationSocket("efs"))
	}
	comp.ready = func(ctx context.Context) error {
		for _, n := range c.nodes {
			if err := driverReady(n.efsSocket())(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	return comp, err
}
