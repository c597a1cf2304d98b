package sidecar

import (
	"context"
	"sync"

	spec "github.com/container-storage-interface/spec/lib/go/csi"
	csi "github.com/kubernetes-csi/external-provisioner/v6/pkg/controller"
	_ "github.com/kubernetes-csi/external-provisioner/v6/pkg/features" // registers the gates that its code asks for
	snapshots "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

const (
	// provisionWorkers make and delete so many volumes side by side.
	provisionWorkers = 20
	// protectionWorkers is as by default.
	protectionWorkers = 1
	// volumePrefix and the whole UID of the claim are a volume's name, as by default.
	volumePrefix = "pvc"
	wholeUID     = -1
)

// Provision makes and deletes the volumes of a CSI driver, by the code of Kubernetes' own external-provisioner: its calls, its events and its retries. What
// starts it is ours because its main package does not build with the Kubernetes of this cluster; the features that the local drivers do not have are left
// out (capacity, snapshots).
func Provision(ctx context.Context, o Options) error {
	return run(ctx, o, csi.ResyncPeriodOfCsiNodeInformer, provision)
}

func provision(ctx context.Context, s *sidecar) (func(context.Context), error) {
	own, err := provisioner(s)
	if err != nil {
		return nil, err
	}
	claims := s.informers.Core().V1().PersistentVolumeClaims()
	// Lets go of claims that were copied, when they are deleted. It is nil for a driver without clones.
	protection := csi.NewCloningProtectionController(s.client, claims.Lister(), claims.Informer(), workqueue.NewTypedRateLimitingQueue(s.rateLimiter()), s.capabilities)
	volumes := controller.NewProvisionController(ctx, s.client, s.driver, own,
		controller.LeaderElection(false), // there is one for each driver
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
		controller.RateLimiter(s.rateLimiter()),
		controller.Threadiness(provisionWorkers),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.ClaimsInformer(claims.Informer()),
		controller.RetryIntervalMax(s.RetryMax),
		controller.AddFinalizer(true),
	)
	return func(ctx context.Context) {
		if protection != nil {
			go protection.Run(ctx, protectionWorkers, &sync.WaitGroup{})
		}
		volumes.Run(ctx)
	}, nil
}

// listers are what the external-provisioner reads of a driver's nodes. What the driver has no need of is nil.
type listers struct {
	nodes       corelisters.NodeLister
	csiNodes    storagelisters.CSINodeLister
	attachments storagelisters.VolumeAttachmentLister
	// chosen has the topology that a claim got.
	chosen csi.TopologyProvider
}

// listersFor asks for the nodes of volumes that have a place, and for the attachments of those that are attached: these are not deleted.
func listersFor(s *sidecar) listers {
	var l listers
	if csi.SupportsTopology(s.plugin) {
		l.nodes, l.csiNodes = s.informers.Core().V1().Nodes().Lister(), s.informers.Storage().V1().CSINodes().Lister()
		l.chosen = csi.NewInMemoryStore()
	}
	if s.capabilities[spec.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME] {
		l.attachments = s.informers.Storage().V1().VolumeAttachments().Lister()
	}
	return l
}

// provisioner is the external-provisioner's own.
func provisioner(s *sidecar) (controller.Provisioner, error) {
	snapshotClient, err := snapshots.NewForConfig(s.config)
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
	l := listersFor(s)
	return csi.NewCSIProvisioner(s.client, s.Timeout, "localcluster-"+s.driver, volumePrefix, wholeUID, s.conn, snapshotClient, s.driver,
		s.plugin, s.capabilities, noMigration, strictTopology, immediateTopology, translation.New(),
		s.informers.Storage().V1().StorageClasses().Lister(), l.csiNodes, l.nodes,
		s.informers.Core().V1().PersistentVolumeClaims().Lister(), l.attachments, nil,
		extraCreateMetadata, s.DefaultFSType, nil, controllerPublishReadOnly, preventModeConversion, l.chosen), nil
}
