package csidriver

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// Sockets of a driver.
type Sockets struct {
	// CSI is where the kubelet and the external-provisioner call the driver.
	CSI string
	// Registration is where the kubelet finds it, in its plugins_registry.
	Registration string
}

// Serve serves a node until the context ends.
func (d Driver) Serve(ctx context.Context, volumes Volumes, node Node, log *slog.Logger) error {
	sockets := node.Sockets(d.ShortName)
	s := &service{Volumes: volumes, NodeServer: volumes.On(node), driver: d, node: node, log: log}
	server := grpc.NewServer(grpc.UnaryInterceptor(s.handle))
	csi.RegisterIdentityServer(server, s)
	csi.RegisterControllerServer(server, s)
	csi.RegisterNodeServer(server, s)
	registrar := grpc.NewServer()
	registration.RegisterRegistrationServer(registrar, &registrationServer{service: s, endpoint: sockets.CSI})

	group, ctx := errgroup.WithContext(ctx)
	// The kubelet calls as soon as it sees the registration socket.
	group.Go(func() error { return serve(ctx, server, sockets.CSI) })
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
	if err := os.RemoveAll(socket); err != nil {
		return nil, err
	}
	return (&net.ListenConfig{}).Listen(ctx, "unix", socket)
}
