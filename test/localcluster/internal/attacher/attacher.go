// Package attacher attaches the volumes of a CSI driver to nodes and detaches them, by the code of Kubernetes' own external-attacher: it carries out the
// VolumeAttachments that Kubernetes' controller manager makes. Only what starts it is ours, because its main package brings what runs several of
// it, of which one leads.
package attacher

import (
	"context"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/attacher"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/controller"
	translation "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"

	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

// As in the chart of aws-ebs-csi-driver v1.64.0, or by default where that sets nothing.
const (
	workers = 100
	resync  = 10 * time.Minute
)

// Run attaches and detaches until the context ends.
func Run(ctx context.Context, o sidecar.Options) error {
	return sidecar.Run(ctx, o, resync, func(ctx context.Context, s *sidecar.Sidecar) (func(context.Context), error) {
		attach := newController(ctx, s)
		return func(ctx context.Context) { attach.Run(ctx, workers, nil) }, nil
	})
}

// newController returns the external-attacher's own, for a driver that does not list volumes.
func newController(ctx context.Context, s *sidecar.Sidecar) *controller.CSIAttachController {
	const (
		reconciles   = false
		noReconciles = time.Duration(0)
	)
	storage, core := s.Informers.Storage().V1(), s.Informers.Core().V1()
	handler := controller.NewCSIHandler(s.Client, s.Name, attacher.NewAttacher(s.Conn), attacher.NewVolumeLister(s.Conn, 0),
		core.PersistentVolumes().Lister(), storage.CSINodes().Lister(), storage.VolumeAttachments().Lister(), &s.Timeout,
		s.Capabilities[csi.ControllerServiceCapability_RPC_PUBLISH_READONLY], s.Capabilities[csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER],
		translation.New(), s.DefaultFSType)
	return controller.NewCSIAttachController(klog.FromContext(ctx), s.Client, s.Name, handler,
		storage.VolumeAttachments(), core.PersistentVolumes(), s.RateLimiter(), s.RateLimiter(), reconciles, noReconciles)
}
