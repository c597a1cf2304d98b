package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// driverName is what CSIDriver objects and volumes call the driver.
const driverName = "s3.csi.aws.com"

// registrar tells the kubelet of the driver, the job of the node-driver-registrar.
type registrar struct {
	registration.UnimplementedRegistrationServer

	endpoint string
}

// register waits at a socket of the kubelet's plugins_registry until the context ends.
func register(ctx context.Context, socket, endpoint string) error {
	if err := os.MkdirAll(filepath.Dir(socket), 0o750); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, &registrar{endpoint: endpoint})
	defer context.AfterFunc(ctx, server.Stop)()
	return server.Serve(listener)
}

func (r *registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              driverName,
		Endpoint:          r.endpoint,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (r *registrar) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	fmt.Fprintf(os.Stderr, "s3-csi: registered with the kubelet: %t %s\n", status.GetPluginRegistered(), status.GetError())
	return &registration.RegistrationStatusResponse{}, nil
}
