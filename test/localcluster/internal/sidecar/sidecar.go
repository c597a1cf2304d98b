// Package sidecar is the frame of the programs that stand beside a CSI driver: how they reach Kubernetes and the driver, fill their caches, and say that they
// work. What they do is their own.
package sidecar

import (
	"context"
	"fmt"
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

// askTimeout is for calls that ask a driver what it can.
const askTimeout = 10 * time.Second

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

// RateLimiter says when a call is made again that has failed.
func (p Pace) RateLimiter() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](p.RetryStart, p.RetryMax)
}

// Sidecar is what a program has to work with.
type Sidecar struct {
	Options
	Driver
	Config *rest.Config
	Client kubernetes.Interface
	// Informers are those of Client. They start when it is known which are needed.
	Informers informers.SharedInformerFactory
}

// Driver is what a driver says of itself.
type Driver struct {
	Conn         *grpc.ClientConn
	Name         string
	Plugin       rpc.PluginCapabilitySet
	Capabilities rpc.ControllerCapabilitySet
}

// Run runs a sidecar until the context ends. It ends the process when it loses the driver. Prepare asks for the informers that it needs, and returns what it
// does when their caches are filled.
func Run(ctx context.Context, o Options, resync time.Duration, prepare func(context.Context, *Sidecar) (work func(context.Context), err error)) error {
	s, err := begin(ctx, o, resync)
	if err != nil {
		return err
	}
	work, err := prepare(ctx, s)
	if err != nil {
		return err
	}
	s.Informers.Start(ctx.Done())
	for kind, synced := range s.Informers.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v did not fill", kind)
		}
	}
	if err := serveHealth(ctx, o.HTTPEndpoint); err != nil {
		return err
	}
	work(ctx)
	return nil
}

func begin(ctx context.Context, o Options, resync time.Duration) (*Sidecar, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = o.QPS, o.Burst
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	driver, err := connect(ctx, o.CSIAddress)
	if err != nil {
		return nil, fmt.Errorf("driver at %s: %w", o.CSIAddress, err)
	}
	return &Sidecar{Options: o, Driver: driver, Config: config, Client: client, Informers: informers.NewSharedInformerFactory(client, resync)}, nil
}

func connect(ctx context.Context, address string) (d Driver, err error) {
	d.Conn, err = connection.Connect(ctx, address, metrics.NewCSIMetricsManagerForSidecar(""), connection.OnConnectionLoss(connection.ExitOnConnectionLoss()))
	if err != nil {
		return d, err
	}
	if err := rpc.ProbeForever(ctx, d.Conn, askTimeout); err != nil {
		return d, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if d.Name, err = rpc.GetDriverName(ctx, d.Conn); err != nil {
		return d, err
	}
	if d.Plugin, err = rpc.GetPluginCapabilities(ctx, d.Conn); err != nil {
		return d, err
	}
	d.Capabilities, err = rpc.GetControllerCapabilities(ctx, d.Conn)
	return d, err
}
