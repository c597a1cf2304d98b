package cluster

import (
	_ "embed"

	"github.com/storagebench/storagebench/hack/localcluster/internal/ebscsi"
)

//go:embed config/ebs.yaml
var ebsManifest string

// ebsAddon gives volumes as from Amazon EBS.
var ebsAddon = addon{
	name:       "ebs",
	components: (*Cluster).ebsComponents,
	manifest:   ebsManifest,
	drivers:    []string{ebscsi.DriverName},
}

// EBSDriverCommand is the subcommand of this program that is the stand-in for the
// driver of EBS.
const EBSDriverCommand = "csi-ebs"

func (n *node) ebsSocket() string { return n.path("csi-ebs.sock") }

func (c *Cluster) ebsComponents() ([]component, error) {
	var all []component
	for _, n := range c.nodes {
		driver, err := n.diskDriver(EBSDriverCommand, "ebs", c.state.Path("ebs"), n.ebsSocket())
		if err != nil {
			return nil, err
		}
		all = append(all, driver)
	}
	provisioner, err := c.provisioner(provisioner{
		name: "csi-provisioner-ebs", port: ebsProvisionerPort,
		driver: c.nodes[0].component(EBSDriverCommand), socket: c.nodes[0].ebsSocket(),
		// As in the real driver's chart.
		args: []string{"--default-fstype=ext4"},
	})
	return append(all, provisioner), err
}
