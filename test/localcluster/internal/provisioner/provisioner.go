// Package provisioner makes and deletes the volumes of a CSI driver, by the code of Kubernetes' own external-provisioner:
// its calls, its events and its retries. Only what starts it is ours, because its main package does not build with the
// Kubernetes of this cluster; the features that the local drivers do not have are left out (capacity, snapshots).
package provisioner

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

// Run provisions until the context ends.
func Run(ctx context.Context, o sidecar.Options) error {
	return sidecar.Run(ctx, o, csi.ResyncPeriodOfCsiNodeInformer, prepare)
}

func prepare(ctx context.Context, s *sidecar.Sidecar) (func(context.Context), error) {
	own, err := provisioner(s)
	if err != nil {
		return nil, err
	}
	claims := s.Informers.Core().V1().PersistentVolumeClaims()
	// Lets go of claims that were copied, when they are deleted. It is nil for a driver without clones.
	protection := csi.NewCloningProtectionController(s.Client, claims.Lister(), claims.Informer(), workqueue.NewTypedRateLimitingQueue(s.RateLimiter()), s.Capabilities)
	provision := controller.NewProvisionController(ctx, s.Client, s.Name, own,
		controller.LeaderElection(false), // there is one for each driver
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
		controller.RateLimiter(s.RateLimiter()),
		controller.Threadiness(workers),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.ClaimsInformer(claims.Informer()),
		controller.RetryIntervalMax(s.RetryMax),
		controller.AddFinalizer(true),
	)
	return func(ctx context.Context) {
		if protection != nil {
			go protection.Run(ctx, protectionWorkers, &sync.WaitGroup{})
		}
		provision.Run(ctx)
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
func listersFor(s *sidecar.Sidecar) listers {
	var l listers
	if csi.SupportsTopology(s.Plugin) {
		l.nodes, l.csiNodes = s.Informers.Core().V1().Nodes().Lister(), s.Informers.Storage().V1().CSINodes().Lister()
		l.chosen = csi.NewInMemoryStore()
	}
	if s.Capabilities[spec.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME] {
		l.attachments = s.Informers.Storage().V1().VolumeAttachments().Lister()
	}
	return l
}

// provisioner is the external-provisioner's own.
func provisioner(s *sidecar.Sidecar) (controller.Provisioner, error) {
	snapshotClient, err := snapshots.NewForConfig(s.Config)
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
	return csi.NewCSIProvisioner(s.Client, s.Timeout, "localcluster-"+s.Name, volumePrefix, wholeUID, s.Conn, snapshotClient, s.Name,
		s.Plugin, s.Capabilities, noMigration, strictTopology, immediateTopology, translation.New(),
		s.Informers.Storage().V1().StorageClasses().Lister(), l.csiNodes, l.nodes,
		s.Informers.Core().V1().PersistentVolumeClaims().Lister(), l.attachments, nil,
		extraCreateMetadata, s.DefaultFSType, nil, controllerPublishReadOnly, preventModeConversion, l.chosen), nil
}
