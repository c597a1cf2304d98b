package workers

import (
	"context"
	"fmt"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/storage"
)

// whyNotOnNode tells that a node does not run a CSI driver, "" if it does, or if the driver may be none of CSI.
func whyNotOnNode(ctx context.Context, p *pass.Pass, node, driver string) (string, error) {
	if node == "" || !storage.IsCSI(driver) || p.Namespaces.AreSet() {
		return "", nil
	}
	var csi storagev1.CSINode
	if err := world.UnlessGone(
		p.World.Live.Get(ctx, types.NamespacedName{Name: node}, &csi),
		"get CSINode",
	); err != nil ||
		Runs(&csi, driver) {
		return "", err
	}
	return fmt.Sprintf(
		"node %s does not run CSI driver %s: look at the driver's pods there, "+
			"or keep the benchmark on other nodes by spec.placement",
		node,
		driver,
	), nil
}

// Runs reports whether a node runs a CSI driver.
func Runs(node *storagev1.CSINode, driver string) bool {
	return slices.ContainsFunc(node.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}
