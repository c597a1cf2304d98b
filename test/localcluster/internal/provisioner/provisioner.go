// Package provisioner makes and deletes the volumes of a CSI driver, by the code of Kubernetes' own external-provisioner:
// its calls, its events and its retries. Only what starts it is ours, because its main package does not build with the
// Kubernetes of this cluster; the features that the local drivers do not have are left out (capacity, snapshots).
package provisioner

import (
	"context"
	"fmt"
	"sync"
	"time"

	spec "github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	csi "github.com/kubernetes-csi/external-provisioner/v6/pkg/controller"
	_ "github.com/kubernetes-csi/external-provisioner/v6/pkg/features" // registers the gates that its code asks for
	snapshots "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned"
	"google.golang.org/grpc"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"github.com/storagebench/storagebench/test/localcluster/internal/sidecar"
)

const (
	// workers make and delete so many volumes side by side.
	workers = 20
	// protectionWorkers is as by default.
	protectionWorkers = 1
	// volumePrefix and the whole UID of the claim are a volume's name, as by default.
	volumePrefix = "pvc"
	wholeUID     = -1
)

// Options of a provisioner.
type Options struct {
	Kubeconfig string
	// CSIAddress is the driver's socket.
	CSIAddress string
	// HTTPEndpoint, HOST:PORT, is where it says that it is ready.
	HTTPEndpoint string
	// DefaultFSType of volumes whose class names none. It may be "".
	DefaultFSType string
	// Timeout bounds a call to the driver.
	Timeout time.Duration
	// RetryStart is the time after which a call is made again that has failed. It doubles with each failure, up to RetryMax.
	RetryStart, RetryMax time.Duration
	// QPS and Burst of its requests to the API.
	QPS   float32
	Burst int
}

// Run provisions until the context ends. It ends the process when it loses the driver.
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
	d, err := connect(ctx, o)
	if err != nil {
		return fmt.Errorf("driver at %s: %w", o.CSIAddress, err)
	}
	factory := informers.NewSharedInformerFactory(client, csi.ResyncPeriodOfCsiNodeInformer)
	own, err := d.provisioner(config, client, factory, o)
	if err != nil {
		return err
	}
	claims := factory.Core().V1().PersistentVolumeClaims()
	// Lets go of claims that were copied, when they are deleted. It is nil for a driver without clones.
	protection := csi.NewCloningProtectionController(client, claims.Lister(), claims.Informer(), workqueue.NewTypedRateLimitingQueue(o.rateLimiter()), d.capabilities)
	provision := controller.NewProvisionController(ctx, client, d.name, own,
		controller.LeaderElection(false), // there is one for each driver
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
		controller.RateLimiter(o.rateLimiter()),
		controller.Threadiness(workers),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.ClaimsInformer(claims.Informer()),
		controller.RetryIntervalMax(o.RetryMax),
		controller.AddFinalizer(true),
	)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v did not fill", kind)
		}
	}
	if err := sidecar.ServeHealth(ctx, o.HTTPEndpoint); err != nil {
		return err
	}
	if protection != nil {
		go protection.Run(ctx, protectionWorkers, &sync.WaitGroup{})
	}
	provision.Run(ctx)
	return nil
}

func (o Options) rateLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](o.RetryStart, o.RetryMax)
}

// driver is what a driver says of itself.
type driver struct {
	conn         *grpc.ClientConn
	name         string
	plugin       rpc.PluginCapabilitySet
	capabilities rpc.ControllerCapabilitySet
}

func connect(ctx context.Context, o Options) (*driver, error) {
	conn, err := csi.Connect(ctx, o.CSIAddress, metrics.NewCSIMetricsManagerWithOptions("", metrics.WithSubsystem(metrics.SubsystemSidecar)))
	if err != nil {
		return nil, err
	}
	if err := csi.Probe(ctx, conn, o.Timeout); err != nil {
		return nil, err
	}
	name, err := csi.GetDriverName(conn, o.Timeout)
	if err != nil {
		return nil, err
	}
	plugin, capabilities, err := csi.GetDriverCapabilities(conn, o.Timeout)
	return &driver{conn: conn, name: name, plugin: plugin, capabilities: capabilities}, err
}

// listers are what the external-provisioner reads of a driver's nodes. What the driver has no need of is nil.
type listers struct {
	nodes       corelisters.NodeLister
	csiNodes    storagelisters.CSINodeLister
	attachments storagelisters.VolumeAttachmentLister
	// chosen has the topology that a claim got.
	chosen csi.TopologyProvider
}

// listers asks for the nodes of volumes that have a place, and for the attachments of those that are attached: these are not deleted.
func (d *driver) listers(factory informers.SharedInformerFactory) listers {
	var l listers
	if csi.SupportsTopology(d.plugin) {
		l.nodes, l.csiNodes = factory.Core().V1().Nodes().Lister(), factory.Storage().V1().CSINodes().Lister()
		l.chosen = csi.NewInMemoryStore()
	}
	if d.capabilities[spec.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME] {
		l.attachments = factory.Storage().V1().VolumeAttachments().Lister()
	}
	return l
}

// provisioner is the external-provisioner's own.
func (d *driver) provisioner(config *rest.Config, client kubernetes.Interface, factory informers.SharedInformerFactory, o Options) (controller.Provisioner, error) {
	snapshotClient, err := snapshots.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	const (
		noMigration               = ""
		strictTopology            = false
		immediateTopology         = true
		extraCreateMetadata       = true
		controllerPublishReadOnly = false
		preventModeConversion     = true
	)
	l := d.listers(factory)
	return csi.NewCSIProvisioner(client, o.Timeout, "localcluster-"+d.name, volumePrefix, wholeUID, d.conn, snapshotClient, d.name,
		d.plugin, d.capabilities, noMigration, strictTopology, immediateTopology, translation.New(),
		factory.Storage().V1().StorageClasses().Lister(), l.csiNodes, l.nodes,
		factory.Core().V1().PersistentVolumeClaims().Lister(), l.attachments, nil,
		extraCreateMetadata, o.DefaultFSType, nil, controllerPublishReadOnly, preventModeConversion, l.chosen), nil
}
