// Package sidecar runs Kubernetes' own programs that stand beside a CSI driver, the external-provisioner and the external-attacher. Ours is only what starts
// them: how they reach Kubernetes and the driver, fill their caches, and say that they work.
package sidecar

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"google.golang.org/grpc"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	// HealthPath answers as soon as a program does its work.
	HealthPath = "/healthz"

	// askTimeout is for calls that ask a driver what it can.
	askTimeout = 10 * time.Second
	readLimit  = 30 * time.Second
)

// Options of a sidecar.
type Options struct {
	Kubeconfig string
	// CSIAddress is the driver's socket.
	CSIAddress string
	// HTTPEndpoint, HOST:PORT, is where it says that it is ready.
	HTTPEndpoint string
	// DefaultFSType of volumes for which none is named. It may be "".
	DefaultFSType string
	// QPS and Burst of its requests to the API.
	QPS   float32
	Burst int
	Pace
}

// Pace is how long a sidecar waits for its driver.
type Pace struct {
	// Timeout bounds a call to the driver.
	Timeout time.Duration
	// RetryStart is the time after which a call is made again that has failed. It doubles with each failure, up to RetryMax.
	RetryStart, RetryMax time.Duration
}

// rateLimiter says when a call is made again that has failed.
func (p Pace) rateLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](p.RetryStart, p.RetryMax)
}

// sidecar is what a program has to work with.
type sidecar struct {
	Options
	config *rest.Config
	client kubernetes.Interface
	// informers are those of client. They start when it is known which are needed.
	informers informers.SharedInformerFactory
	conn      *grpc.ClientConn
	// What the driver says of itself.
	driver       string
	plugin       rpc.PluginCapabilitySet
	capabilities rpc.ControllerCapabilitySet
}

// run runs a sidecar until the context ends. It ends the process when it loses the driver. Prepare asks for the informers that it needs, and returns what it
// does when their caches are filled.
func run(ctx context.Context, o Options, resync time.Duration, prepare func(context.Context, *sidecar) (work func(context.Context), err error)) error {
	s, err := connect(ctx, o, resync)
	if err != nil {
		return err
	}
	work, err := prepare(ctx, s)
	if err != nil {
		return err
	}
	s.informers.Start(ctx.Done())
	for kind, synced := range s.informers.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v did not fill", kind)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.HTTPEndpoint)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(HealthPath, func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: readLimit}
	go func() { _ = server.Serve(listener) }() // ends with the process
	work(ctx)
	return server.Close()
}

// connect reaches Kubernetes and the driver.
func connect(ctx context.Context, o Options, resync time.Duration) (*sidecar, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = o.QPS, o.Burst
	s := &sidecar{Options: o, config: config}
	if s.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	s.informers = informers.NewSharedInformerFactory(s.client, resync)
	s.conn, err = connection.Connect(ctx, o.CSIAddress, metrics.NewCSIMetricsManagerForSidecar(""), connection.OnConnectionLoss(connection.ExitOnConnectionLoss()))
	if err == nil {
		err = s.ask(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("driver at %s: %w", o.CSIAddress, err)
	}
	return s, nil
}

// ask asks the driver what it is, as soon as it is ready.
func (s *sidecar) ask(ctx context.Context) (err error) {
	if err := rpc.ProbeForever(ctx, s.conn, askTimeout); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if s.driver, err = rpc.GetDriverName(ctx, s.conn); err != nil {
		return err
	}
	if s.plugin, err = rpc.GetPluginCapabilities(ctx, s.conn); err != nil {
		return err
	}
	s.capabilities, err = rpc.GetControllerCapabilities(ctx, s.conn)
	return err
}
