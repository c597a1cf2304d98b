package csidriver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

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
	group, ctx := errgroup.WithContext(ctx)
	// The kubelet calls as soon as it sees the registration socket.
	group.Go(func() error { return serve(ctx, server, sockets.CSI) })
	group.Go(func() error { return s.announce(ctx, sockets, announceAgain) })
	return group.Wait()
}

// announceAgain is how long a kubelet has to register the driver before it gets another socket to see.
const announceAgain = 10 * time.Second

// announce has the kubelet register the driver, until the context ends. A kubelet watches its directory for sockets and
// may miss one. The real registrar has a probe for that, which has it started again, with a new socket:
// --mode=kubelet-registration-probe of node-driver-registrar.
func (s *service) announce(ctx context.Context, sockets Sockets, again time.Duration) error {
	for {
		registrar := grpc.NewServer()
		registration.RegisterRegistrationServer(registrar, &registrationServer{service: s, endpoint: sockets.CSI})
		attempt, stop := context.WithCancel(ctx)
		timer := time.AfterFunc(again, func() {
			if !s.registered.Load() {
				s.log.Warn("The kubelet has not registered the driver, and gets a new socket", "socket", sockets.Registration, "waited", again)
				stop()
			}
		})
		err := serve(attempt, registrar, sockets.Registration)
		timer.Stop()
		stop()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func serve(ctx context.Context, server *grpc.Server, socket string) error {
	listener, err := listen(context.WithoutCancel(ctx), socket) // which asks nobody
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, grpc.ErrServerStopped) || ctx.Err() == nil { // it was stopped before it had begun
		return err
	}
	return nil
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
