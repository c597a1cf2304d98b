// Package provisioner makes and deletes the volumes of a CSI driver, by the code of Kubernetes' own external-provisioner:
// its calls, its events and its retries. Only what starts it is ours, because its main package does not build with the
// Kubernetes of this cluster; the features that the local drivers do not have are left out (topology, capacity, snapshots).
package provisioner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	csi "github.com/kubernetes-csi/external-provisioner/v6/pkg/controller"
	_ "github.com/kubernetes-csi/external-provisioner/v6/pkg/features" // registers the gates that its code asks for
	snapshots "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned"
	"google.golang.org/grpc"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

const (
	// callLimit bounds a call to the driver.
	callLimit = 30 * time.Second
	// retryStart and retryMax are between tries. Drivers on AWS are given 1 s and 5 min; here nobody wants to wait.
	retryStart = 250 * time.Millisecond
	retryMax   = 10 * time.Second
	// workers make and delete so many volumes side by side.
	workers = 20
	// protectionWorkers is as by default.
	protectionWorkers = 1
	// volumePrefix and the whole UID of the claim are a volume's name, as by default.
	volumePrefix = "pvc"
	wholeUID     = -1
	// HealthPath answers as soon as volumes are made.
	HealthPath = "/healthz"
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
	// QPS and Burst of its requests to the API.
	QPS   float32
	Burst int
}

// Run provisions until the context ends. It ends the process when it loses the driver.
func Run(ctx context.Context, o Options) error {
	// Its gate is for all volumes of a process, and the nodes here differ in no topology that a driver knows.
	if err := utilfeature.DefaultMutableFeatureGate.Set("Topology=false"); err != nil {
		return err
	}
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
	factory := informers.NewSharedInformerFactory(client, csi.ResyncPeriodOfCsiNodeInformer)
	own, err := d.provisioner(config, client, factory, o.DefaultFSType)
	if err != nil {
		return err
	}
	claims := factory.Core().V1().PersistentVolumeClaims()
	// Lets go of claims that were copied, when they are deleted. It is nil for a driver without clones.
	protection := csi.NewCloningProtectionController(client, claims.Lister(), claims.Informer(), workqueue.NewTypedRateLimitingQueue(rateLimiter()), d.capabilities)
	provision := controller.NewProvisionController(ctx, client, d.name, own,
		controller.LeaderElection(false), // there is one for each driver
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
		controller.RateLimiter(rateLimiter()),
		controller.Threadiness(workers),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.ClaimsInformer(claims.Informer()),
		controller.RetryIntervalMax(retryMax),
		controller.AddFinalizer(true),
	)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v did not fill", kind)
		}
	}
	if err := serveHealth(ctx, o.HTTPEndpoint); err != nil {
		return err
	}
	if protection != nil {
		go protection.Run(ctx, protectionWorkers, &sync.WaitGroup{})
	}
	provision.Run(ctx)
	return nil
}

func rateLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryStart, retryMax)
}

// driver is what a driver says of itself.
type driver struct {
	conn         *grpc.ClientConn
	name         string
	plugin       rpc.PluginCapabilitySet
	capabilities rpc.ControllerCapabilitySet
}

func connect(ctx context.Context, address string) (*driver, error) {
	conn, err := csi.Connect(ctx, address, metrics.NewCSIMetricsManagerWithOptions("", metrics.WithSubsystem(metrics.SubsystemSidecar)))
	if err != nil {
		return nil, err
	}
	if err := csi.Probe(ctx, conn, callLimit); err != nil {
		return nil, err
	}
	name, err := csi.GetDriverName(conn, callLimit)
	if err != nil {
		return nil, err
	}
	plugin, capabilities, err := csi.GetDriverCapabilities(conn, callLimit)
	return &driver{conn: conn, name: name, plugin: plugin, capabilities: capabilities}, err
}

// provisioner is the external-provisioner's own, for a driver without topology and without attachments.
func (d *driver) provisioner(config *rest.Config, client kubernetes.Interface, factory informers.SharedInformerFactory, fsType string) (controller.Provisioner, error) {
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
	return csi.NewCSIProvisioner(client, callLimit, "localcluster-"+d.name, volumePrefix, wholeUID, d.conn, snapshotClient, d.name,
		d.plugin, d.capabilities, noMigration, strictTopology, immediateTopology, translation.New(),
		factory.Storage().V1().StorageClasses().Lister(), nil, nil,
		factory.Core().V1().PersistentVolumeClaims().Lister(), nil, nil,
		extraCreateMetadata, fsType, nil, controllerPublishReadOnly, preventModeConversion, nil), nil
}

func serveHealth(ctx context.Context, endpoint string) error {
	listener, err := net.Listen("tcp", endpoint)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(HealthPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: callLimit}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // nothing is left that could say so
		}
	}()
	return nil
}
