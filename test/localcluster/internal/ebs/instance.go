package ebs

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/container-storage-interface/spec/lib/go/csi"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
)

// The topology that the real driver says of a node (v1.64.0, pkg/driver/driver.go and node.go). Volumes have the well-known zone alone.
const (
	zoneKey       = "topology.kubernetes.io/zone"
	driverZoneKey = "topology.ebs.csi.aws.com/zone"
	systemKey     = "kubernetes.io/os"
)

// volumesPerNode is what the real driver says for an m6i.large with one network interface (v1.64.0, pkg/cloud/limits and getVolumesLimit of
// pkg/driver/node.go): the instance has 27 attachments for both, of which one is the root volume's and one the first network interface's, which
// the 27 do not count.
const volumesPerNode = 26

// Info is what the real driver says of a node.
func Info(node csidriver.Node) *csi.NodeGetInfoResponse {
	return &csi.NodeGetInfoResponse{
		NodeId:            instanceID(node.Name),
		MaxVolumesPerNode: volumesPerNode,
		AccessibleTopology: &csi.Topology{Segments: map[string]string{
			zoneKey: node.Zone, driverZoneKey: node.Zone, systemKey: "linux",
		}},
	}
}

// instanceID looks like one of EC2's: 17 hexadecimal digits, of which the first is 0.
func instanceID(node string) string { return "i-0" + digits(node) }

// volumeID does as well.
func volumeID(name string) string { return "vol-0" + digits(name) }

func digits(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// instance returns the node that is an instance.
func (v *volumes) instance(id string) (node csidriver.Node, ok bool) {
	found, _ := v.instances.Load(id)
	node, ok = found.(csidriver.Node)
	return node, ok
}

// zone returns that of an instance, where nobody asks for another one. The real driver takes any of the region.
func (v *volumes) zone() (zone string) {
	v.instances.Range(func(_, found any) bool {
		node, _ := found.(csidriver.Node)
		zone = node.Zone
		return false
	})
	return zone
}
