package csiserve

import "github.com/container-storage-interface/spec/lib/go/csi"

// ControllerCapabilities renders capabilities as the Controller service answers them.
func ControllerCapabilities(kinds ...csi.ControllerServiceCapability_RPC_Type) *csi.ControllerGetCapabilitiesResponse {
	response := &csi.ControllerGetCapabilitiesResponse{}
	for _, kind := range kinds {
		response.Capabilities = append(response.Capabilities, &csi.ControllerServiceCapability{
			Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: kind}},
		})
	}
	return response
}

// NodeCapabilities renders capabilities as the Node service answers them.
func NodeCapabilities(kinds ...csi.NodeServiceCapability_RPC_Type) *csi.NodeGetCapabilitiesResponse {
	response := &csi.NodeGetCapabilitiesResponse{}
	for _, kind := range kinds {
		response.Capabilities = append(response.Capabilities, &csi.NodeServiceCapability{
			Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{Type: kind}},
		})
	}
	return response
}
