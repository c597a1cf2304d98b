package sidecar

import (
	"context"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/attacher"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/controller"
	translation "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"
)

// As in the chart of aws-ebs-csi-driver v1.64.0, or by default where that sets nothing.
const (
	attachWorkers = 100
	attachResync  = 10 * time.Minute
)

// Attach attaches the volumes of a CSI driver to nodes and detaches them, by the code of Kubernetes' own external-attacher: it carries out the
// VolumeAttachments that Kubernetes' controller manager makes. Its own main package also
// elects a leader, which one process does not need.
func Attach(ctx context.Context, o Options) error {
	return run(ctx, o, attachResync, func(ctx context.Context, s *sidecar) (func(context.Context), error) {
		attach := attachController(ctx, s)
		return func(ctx context.Context) { attach.Run(ctx, attachWorkers, nil) }, nil
	})
}

// attachController returns the external-attacher's own, for a driver that does not list volumes.
func attachController(ctx context.Context, s *sidecar) *controller.CSIAttachController {
	const (
		reconciles   = false
		noReconciles = time.Duration(0)
	)
	storage, core := s.informers.Storage().V1(), s.informers.Core().V1()
	handler := controller.NewCSIHandler(s.client, s.driver, attacher.NewAttacher(s.conn), attacher.NewVolumeLister(s.conn, 0),
		core.PersistentVolumes().Lister(), storage.CSINodes().Lister(), storage.VolumeAttachments().Lister(), &s.Timeout,
		s.capabilities[csi.ControllerServiceCapability_RPC_PUBLISH_READONLY], s.capabilities[csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER],
		translation.New(), s.DefaultFSType)
	return controller.NewCSIAttachController(klog.FromContext(ctx), s.client, s.driver, handler,
		storage.VolumeAttachments(), core.PersistentVolumes(), s.rateLimiter(), s.rateLimiter(), reconciles, noReconciles)
}
