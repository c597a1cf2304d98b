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
	return c.localDriver(EFSDriverCommand, efscsi.SocketName,
		[]string{"--file-systems=" + c.efsDir(), "--mounts=" + string(c.state)},
		provisioner{name: "csi-provisioner-efs", port: efsProvisionerPort},
	)
}
