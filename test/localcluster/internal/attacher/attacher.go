// Package attacher attaches the volumes of a CSI driver to nodes and detaches them, by the code of Kubernetes' own external-attacher: it carries out the
// VolumeAttachments that Kubernetes' controller manager makes. Only what starts it is ours, because its main package brings what runs several of
// it, of which one leads.
package attacher

import (
	"context"
	"fmt"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/attacher"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/controller"
	"google.golang.org/grpc"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"

	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

// As in the chart of aws-ebs-csi-driver v1.64.0, or by default where that sets nothing.
const (
	timeout    = 6 * time.Minute
	retryStart = time.Second
	retryMax   = 5 * time.Minute
	workers    = 100
	resync     = 10 * time.Minute
	// probeTimeout is for calls that ask the driver what it can.
	probeTimeout = time.Second
)

// Options of an attacher.
type Options struct {
	Kubeconfig string
	// CSIAddress is the driver's socket.
	CSIAddress string
	// HTTPEndpoint, HOST:PORT, is where it says that it is ready.
	HTTPEndpoint string
	// DefaultFSType of volumes that name none. It may be "".
	DefaultFSType string
	// QPS and Burst of its requests to the API.
	QPS   float32
	Burst int
}

// Run attaches and detaches until the context ends. It ends the process when it loses the driver.
func Run(ctx context.Context, o Options) error {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = o.QPS, o.Burst
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	d, err := connect(ctx, o.CSIAddress)
	if err != nil {
		return fmt.Errorf("driver at %s: %w", o.CSIAddress, err)
	}
	factory := informers.NewSharedInformerFactory(client, resync)
	attach := d.controller(ctx, client, factory, o.DefaultFSType)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v did not fill", kind)
		}
	}
	if err := sidecar.ServeHealth(ctx, o.HTTPEndpoint); err != nil {
		return err
	}
	attach.Run(ctx, workers, nil)
	return nil
}

// driver is what a driver says of itself.
type driver struct {
	conn         *grpc.ClientConn
	name         string
	capabilities rpc.ControllerCapabilitySet
}

func connect(ctx context.Context, address string) (*driver, error) {
	conn, err := connection.Connect(ctx, address, metrics.NewCSIMetricsManager(""), connection.OnConnectionLoss(connection.ExitOnConnectionLoss()))
	if err != nil {
		return nil, err
	}
	if err := rpc.ProbeForever(ctx, conn, probeTimeout); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	name, err := rpc.GetDriverName(ctx, conn)
	if err != nil {
		return nil, err
	}
	capabilities, err := rpc.GetControllerCapabilities(ctx, conn)
	return &driver{conn: conn, name: name, capabilities: capabilities}, err
}

// controller is the external-attacher's own, for a driver that does not list volumes.
func (d *driver) controller(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, fsType string) *controller.CSIAttachController {
	const (
		reconciles   = false
		noReconciles = time.Duration(0)
	)
	limit := timeout
	handler := controller.NewCSIHandler(client, d.name, attacher.NewAttacher(d.conn), attacher.NewVolumeLister(d.conn, 0),
		factory.Core().V1().PersistentVolumes().Lister(), factory.Storage().V1().CSINodes().Lister(), factory.Storage().V1().VolumeAttachments().Lister(), &limit,
		d.capabilities[csi.ControllerServiceCapability_RPC_PUBLISH_READONLY], d.capabilities[csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER],
		translation.New(), fsType)
	return controller.NewCSIAttachController(klog.FromContext(ctx), client, d.name, handler,
		factory.Storage().V1().VolumeAttachments(), factory.Core().V1().PersistentVolumes(), rateLimiter(), rateLimiter(), reconciles, noReconciles)
}

func rateLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryStart, retryMax)
}
