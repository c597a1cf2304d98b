// Package csiserve serves CSI drivers on sockets and tells the kubelet of them.
package csiserve

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// Sockets of a driver.
type Sockets struct {
	// CSI is where the kubelet and the external-provisioner call the driver.
	CSI string
	// Registration is where the kubelet finds it, in its plugins_registry.
	Registration string
}

// Driver is what is served.
type Driver struct {
	// Name in Kubernetes.
	Name       string
	Controller csi.ControllerServer
	Node       csi.NodeServer
	Log        *slog.Logger
}

// Serve runs the driver until the context ends.
func Serve(ctx context.Context, d Driver, sockets Sockets) error {
	identity := &identityServer{name: d.Name}
	driver := grpc.NewServer(grpc.UnaryInterceptor(d.logErrors))
	csi.RegisterIdentityServer(driver, identity)
	csi.RegisterControllerServer(driver, d.Controller)
	csi.RegisterNodeServer(driver, d.Node)
	registrar := grpc.NewServer()
	registration.RegisterRegistrationServer(registrar, &registrationServer{identity: identity, endpoint: sockets.CSI, log: d.Log})

	group, ctx := errgroup.WithContext(ctx)
	// The kubelet calls as soon as it sees the registration socket.
	group.Go(func() error { return serve(ctx, driver, sockets.CSI) })
	group.Go(func() error { return serve(ctx, registrar, sockets.Registration) })
	return group.Wait()
}

func serve(ctx context.Context, server *grpc.Server, socket string) error {
	listener, err := listen(ctx, socket)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	return server.Serve(listener)
}

func listen(ctx context.Context, socket string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(socket), 0o750); err != nil {
		return nil, err
	}
	// A driver that was killed leaves its socket.
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return (&net.ListenConfig{}).Listen(ctx, "unix", socket)
}

func (d Driver) logErrors(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	response, err := handle(ctx, request)
	if err != nil {
		d.Log.Error("Call failed", "method", info.FullMethod, "code", status.Code(err).String(), "err", err)
	}
	return response, err
}
