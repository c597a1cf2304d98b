package csidriver

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// plain are volumes of which each call ends with an error, if any. They are neither
// staged nor modified.
type plain struct {
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer
	err error
}

func (p plain) Check(string) error     { return p.err }
func (p plain) On(Node) csi.NodeServer { return p }
func (p plain) CreateVolume(context.Context, *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	return &csi.CreateVolumeResponse{}, p.err
}
func (p plain) DeleteVolume(context.Context, *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	return &csi.DeleteVolumeResponse{}, p.err
}
func (p plain) NodePublishVolume(context.Context, *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	return &csi.NodePublishVolumeResponse{}, p.err
}
func (p plain) NodeUnpublishVolume(context.Context, *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	return &csi.NodeUnpublishVolumeResponse{}, p.err
}

// staged are volumes with all that there can be.
type staged struct{ plain }

func (s staged) On(Node) csi.NodeServer { return s }
func (s staged) NodeStageVolume(context.Context, *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	return &csi.NodeStageVolumeResponse{}, s.err
}
func (s staged) NodeUnstageVolume(context.Context, *csi.NodeUnstageVolumeRequest) (*csi.NodeUnstageVolumeResponse, error) {
	return &csi.NodeUnstageVolumeResponse{}, s.err
}
func (s staged) ControllerModifyVolume(context.Context, *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	return &csi.ControllerModifyVolumeResponse{}, s.err
}
func (s staged) ControllerPublishVolume(context.Context, *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	return &csi.ControllerPublishVolumeResponse{}, s.err
}
func (s staged) ControllerUnpublishVolume(context.Context, *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	return &csi.ControllerUnpublishVolumeResponse{}, s.err
}

func newService(volumes Volumes) *service {
	s := &service{
		driver: Driver{Uses: Uses{
			AccessModes: []csi.VolumeCapability_AccessMode_Mode{csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
			Claims:      []string{"ReadWriteOnce"},
		}},
		Volumes: volumes, NodeServer: volumes.On(Node{}), log: slog.New(slog.DiscardHandler),
	}
	if _, ok := volumes.(staged); ok {
		s.driver.Node = []csi.NodeServiceCapability_RPC_Type{csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME}
	}
	return s
}

// ask calls a method as the server of the socket does.
func ask[Request, Response any](ctx context.Context, s *service, method func(context.Context, Request) (Response, error), request Request) error {
	_, err := s.handle(ctx, request, &grpc.UnaryServerInfo{}, func(ctx context.Context, asked any) (any, error) {
		return method(ctx, asked.(Request))
	})
	return err
}

// given is what a request has.
type given struct {
	name, id, node, target, staging string
	capability                      *csi.VolumeCapability
}

func (g given) capabilities() []*csi.VolumeCapability {
	if g.capability == nil {
		return nil
	}
	return []*csi.VolumeCapability{g.capability}
}

type call func(context.Context, *service, given) error

var calls = map[string]call{
	"CreateVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.CreateVolume, &csi.CreateVolumeRequest{Name: g.name, VolumeCapabilities: g.capabilities()})
	},
	"DeleteVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.DeleteVolume, &csi.DeleteVolumeRequest{VolumeId: g.id})
	},
	"ControllerPublishVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.ControllerPublishVolume, &csi.ControllerPublishVolumeRequest{VolumeId: g.id, NodeId: g.node, VolumeCapability: g.capability})
	},
	"ControllerUnpublishVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.ControllerUnpublishVolume, &csi.ControllerUnpublishVolumeRequest{VolumeId: g.id, NodeId: g.node})
	},
	"ControllerModifyVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.ControllerModifyVolume, &csi.ControllerModifyVolumeRequest{VolumeId: g.id})
	},
	"ValidateVolumeCapabilities": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.ValidateVolumeCapabilities, &csi.ValidateVolumeCapabilitiesRequest{VolumeId: g.id, VolumeCapabilities: g.capabilities()})
	},
	"NodeStageVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.NodeStageVolume, &csi.NodeStageVolumeRequest{VolumeId: g.id, StagingTargetPath: g.staging, VolumeCapability: g.capability})
	},
	"NodeUnstageVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.NodeUnstageVolume, &csi.NodeUnstageVolumeRequest{VolumeId: g.id, StagingTargetPath: g.staging})
	},
	"NodePublishVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.NodePublishVolume, &csi.NodePublishVolumeRequest{
			VolumeId: g.id, StagingTargetPath: g.staging, TargetPath: g.target, VolumeCapability: g.capability,
		})
	},
	"NodeUnpublishVolume": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.NodeUnpublishVolume, &csi.NodeUnpublishVolumeRequest{VolumeId: g.id, TargetPath: g.target})
	},
	"NodeGetVolumeStats": func(ctx context.Context, s *service, g given) error {
		return ask(ctx, s, s.NodeGetVolumeStats, &csi.NodeGetVolumeStatsRequest{VolumeId: g.id, VolumePath: g.target})
	},
}

func whole(t *testing.T) given {
	t.Helper()
	return given{name: "pvc-1", id: "vol", node: "i-1", target: t.TempDir(), staging: "/staging", capability: &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
	}}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	lacking := map[string]struct {
		take func(*given)
		of   string
	}{
		"Volume name": {func(g *given) { g.name = "" }, "CreateVolume"},
		"Node ID":     {func(g *given) { g.node = "" }, "ControllerPublishVolume ControllerUnpublishVolume"},
		"Volume ID": {func(g *given) { g.id = "" }, "DeleteVolume ControllerPublishVolume ControllerUnpublishVolume ControllerModifyVolume ValidateVolumeCapabilities " +
			"NodeStageVolume NodeUnstageVolume NodePublishVolume NodeUnpublishVolume NodeGetVolumeStats"},
		"Target path":         {func(g *given) { g.target = "" }, "NodePublishVolume NodeUnpublishVolume"},
		"Volume path":         {func(g *given) { g.target = "" }, "NodeGetVolumeStats"},
		"Staging target":      {func(g *given) { g.staging = "" }, "NodeStageVolume NodeUnstageVolume NodePublishVolume"},
		"Volume capability":   {func(g *given) { g.capability = nil }, "ControllerPublishVolume NodeStageVolume NodePublishVolume"},
		"Volume capabilities": {func(g *given) { g.capability = nil }, "CreateVolume ValidateVolumeCapabilities"},
	}
	for what, test := range lacking {
		for method := range strings.FieldsSeq(test.of) {
			request := whole(t)
			test.take(&request)
			err := calls[method](t.Context(), newService(staged{}), request)
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), what+" not provided") {
				t.Errorf("%s without %s: %v", method, what, err)
			}
		}
	}
}

func TestUsesAreChecked(t *testing.T) {
	many := whole(t)
	many.capability.AccessMode.Mode = csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER
	for _, method := range []string{"CreateVolume", "ControllerPublishVolume", "NodeStageVolume", "NodePublishVolume"} {
		err := calls[method](t.Context(), newService(staged{}), many)
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "possible are ReadWriteOnce") {
			t.Errorf("%s with another access mode: %v", method, err)
		}
	}
	answer, err := newService(staged{}).ValidateVolumeCapabilities(t.Context(), &csi.ValidateVolumeCapabilitiesRequest{
		VolumeId: "vol", VolumeCapabilities: many.capabilities(),
	})
	if err != nil || answer.GetConfirmed() != nil || !strings.Contains(answer.GetMessage(), "MULTI_NODE_MULTI_WRITER") {
		t.Errorf("validation says %v, %v", answer, err)
	}
}

func TestErrorsAreStatuses(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want codes.Code
	}{
		"none":      {nil, codes.OK},
		"a status":  {status.Error(codes.ResourceExhausted, "full"), codes.ResourceExhausted},
		"any other": {errors.New("broken"), codes.Internal},
	} {
		for method, do := range calls {
			if err := do(t.Context(), newService(staged{plain{err: test.err}}), whole(t)); status.Code(err) != test.want {
				t.Errorf("%s, %s: got %v, want %v", method, name, err, test.want)
			}
		}
	}
}

func TestWhatADriverLacksIsUnimplemented(t *testing.T) {
	lacks := map[string]bool{"ControllerPublishVolume": true, "ControllerUnpublishVolume": true, "ControllerModifyVolume": true, "NodeStageVolume": true, "NodeUnstageVolume": true}
	request := whole(t)
	// Volumes that are not staged are published without.
	request.staging = ""
	for method, do := range calls {
		want := codes.OK
		if lacks[method] {
			want = codes.Unimplemented
		}
		if err := do(t.Context(), newService(plain{}), request); status.Code(err) != want {
			t.Errorf("%s: got %v, want %v", method, err, want)
		}
	}
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	device := filepath.Join(dir, "device")
	if err := os.WriteFile(device, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	stats := func(path string) (*csi.NodeGetVolumeStatsResponse, error) {
		return newService(plain{}).NodeGetVolumeStats(t.Context(), &csi.NodeGetVolumeStatsRequest{VolumeId: "vol", VolumePath: path})
	}
	of, err := stats(device)
	if usage := of.GetUsage(); err != nil || len(usage) != 1 || usage[0].GetTotal() != 5000 || usage[0].GetUnit() != csi.VolumeUsage_BYTES {
		t.Errorf("a device has %v, %v", usage, err)
	}
	of, err = stats(dir)
	if usage := of.GetUsage(); err != nil || len(usage) == 0 || usage[0].GetTotal() < usage[0].GetUsed()+usage[0].GetAvailable() || usage[0].GetAvailable() == 0 {
		t.Errorf("a file system has %v, %v", usage, err)
	}
	if _, err := stats(filepath.Join(dir, "none")); status.Code(err) != codes.NotFound {
		t.Errorf("without the path: %v", err)
	}
}

// A volume is made from another one by drivers that can, and from a snapshot by none.
func TestSourcesAreChecked(t *testing.T) {
	from := func(id string) *csi.VolumeContentSource {
		return &csi.VolumeContentSource{Type: &csi.VolumeContentSource_Volume{Volume: &csi.VolumeContentSource_VolumeSource{VolumeId: id}}}
	}
	snapshot := &csi.VolumeContentSource{Type: &csi.VolumeContentSource_Snapshot{Snapshot: &csi.VolumeContentSource_SnapshotSource{SnapshotId: "snap"}}}
	for name, test := range map[string]struct {
		source *csi.VolumeContentSource
		clones bool
		want   codes.Code
	}{
		"no source":                           {clones: true},
		"a volume":                            {source: from("vol"), clones: true},
		"a volume without an ID":              {source: from(""), clones: true, want: codes.InvalidArgument},
		"a volume of a driver without clones": {source: from("vol"), want: codes.InvalidArgument},
		"a snapshot":                          {source: snapshot, clones: true, want: codes.InvalidArgument},
		"nothing that is known":               {source: &csi.VolumeContentSource{}, clones: true, want: codes.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(plain{})
			if test.clones {
				s.driver.Controller = []csi.ControllerServiceCapability_RPC_Type{csi.ControllerServiceCapability_RPC_CLONE_VOLUME}
			}
			err := ask(t.Context(), s, s.CreateVolume, &csi.CreateVolumeRequest{Name: "pvc-1", VolumeCapabilities: whole(t).capabilities(), VolumeContentSource: test.source})
			if status.Code(err) != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
