package loopcsi

import (
	"context"
	"errors"
	"io/fs"
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

// Serve runs the driver until the context ends.
func (d *Driver) Serve(ctx context.Context, sockets Sockets) error {
	driver := grpc.NewServer(grpc.UnaryInterceptor(d.logErrors))
	csi.RegisterIdentityServer(driver, d)
	csi.RegisterControllerServer(driver, d)
	csi.RegisterNodeServer(driver, d)
	registrar := grpc.NewServer()
	registration.RegisterRegistrationServer(registrar, &registrationServer{driver: d, endpoint: sockets.CSI})

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

func (d *Driver) logErrors(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	response, err := handle(ctx, request)
	if err != nil {
		d.log.Error("Call failed", "method", info.FullMethod, "code", status.Code(err).String(), "err", err)
	}
	return response, err
}

// registrationServer tells the kubelet of the driver, the job of the
// node-driver-registrar.
type registrationServer struct {
	registration.UnimplementedRegistrationServer
	driver   *Driver
	endpoint string
}

func (s *registrationServer) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              DriverName,
		Endpoint:          s.endpoint,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (s *registrationServer) NotifyRegistrationStatus(_ context.Context, r *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	s.driver.registered.Store(r.GetPluginRegistered())
	s.driver.log.Info("Registration with the kubelet", "registered", r.GetPluginRegistered(), "err", r.GetError())
	return &registration.RegistrationStatusResponse{}, nil
}
