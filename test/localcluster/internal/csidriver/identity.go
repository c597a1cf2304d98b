package csidriver

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/types/known/wrapperspb"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const driverVersion = "0.1.0"

// service is a driver on one node. What it does not answer itself the volumes do, and those as the node sees them.
type service struct {
	csi.UnimplementedIdentityServer
	Volumes
	csi.NodeServer

	driver Driver
	node   Node
	log    *slog.Logger
	// registered is true once the kubelet has taken the driver.
	registered atomic.Bool
}

// GetPluginInfo is part of the Identity service.
func (s *service) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: s.driver.Name, VendorVersion: driverVersion}, nil
}

// GetPluginCapabilities is part of the Identity service.
func (s *service) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	services := []csi.PluginCapability_Service_Type{csi.PluginCapability_Service_CONTROLLER_SERVICE}
	if s.info().GetAccessibleTopology() != nil {
		services = append(services, csi.PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS)
	}
	response := &csi.GetPluginCapabilitiesResponse{}
	for _, service := range services {
		response.Capabilities = append(response.Capabilities, &csi.PluginCapability{
			Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{Type: service}},
		})
	}
	return response, nil
}

// Probe is part of the Identity service. A driver that the kubelet does not know is
// of no use to pods.
func (s *service) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(s.registered.Load())}, nil
}

// registrationServer tells the kubelet of the driver, the job of the
// node-driver-registrar.
type registrationServer struct {
	registration.UnimplementedRegistrationServer
	service  *service
	endpoint string
}

func (s *registrationServer) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              s.service.driver.Name,
		Endpoint:          s.endpoint,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (s *registrationServer) NotifyRegistrationStatus(_ context.Context, r *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	s.service.registered.Store(r.GetPluginRegistered())
	s.service.log.Info("Registration with the kubelet", "registered", r.GetPluginRegistered(), "err", r.GetError())
	return &registration.RegistrationStatusResponse{}, nil
}
