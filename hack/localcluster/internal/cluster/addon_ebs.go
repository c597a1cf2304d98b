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

func (c *Cluster) ebsComponents() ([]component, error) {
	return c.localDriver(EBSDriverCommand, ebscsi.SocketName,
		[]string{"--volumes=" + c.state.Path("ebs")},
		// As in the real driver's chart.
		provisioner{name: "csi-provisioner-ebs", port: ebsProvisionerPort, args: []string{"--default-fstype=ext4"}},
	)
}
