package ebs

import (
	"context"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

func openVolumes(t *testing.T, nodes ...csidriver.Node) *volumes {
	t.Helper()
	options := csidriver.Options{Volumes: t.TempDir(), Disks: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	opened, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		serve(t, options)
	}
	v := opened.(*volumes)
	for _, node := range nodes {
		v.On(node)
	}
	return v
}

// serve serves the disks of volumes until the test ends.
func serve(t *testing.T, o csidriver.Options) {
	t.Helper()
	server, err := disk.Serve(o.Volumes, o.Disks, o.Log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// makeVolume makes one of a GiB in the zone that is preferred, "" for none, and returns what it says.
func makeVolume(t *testing.T, v *volumes, name, zone string) *csi.Volume {
	t.Helper()
	request := &csi.CreateVolumeRequest{Name: name, CapacityRange: &csi.CapacityRange{RequiredBytes: gib}}
	if zone != "" {
		request.AccessibilityRequirements = &csi.TopologyRequirement{Preferred: []*csi.Topology{{Segments: map[string]string{driverZoneKey: zone}}}}
	}
	made, err := v.CreateVolume(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return made.GetVolume()
}

func attach(v *volumes, id, nodeID string) (map[string]string, error) {
	told, err := v.ControllerPublishVolume(context.Background(), &csi.ControllerPublishVolumeRequest{VolumeId: id, NodeId: nodeID})
	return told.GetPublishContext(), err
}

func remove(v *volumes, id string) error {
	_, err := v.DeleteVolume(context.Background(), &csi.DeleteVolumeRequest{VolumeId: id})
	return err
}

func TestInfoIsThatOfAnInstance(t *testing.T) {
	info := Info(csidriver.Node{Name: "node-1", Zone: "local-a"})
	if !regexp.MustCompile(`^i-0[0-9a-f]{16}$`).MatchString(info.GetNodeId()) || info.GetMaxVolumesPerNode() != 26 {
		t.Errorf("the node is %v", info)
	}
	for _, key := range []string{"topology.kubernetes.io/zone", "topology.ebs.csi.aws.com/zone"} {
		if got := info.GetAccessibleTopology().GetSegments()[key]; got != "local-a" {
			t.Errorf("%s is %q", key, got)
		}
	}
	if other := Info(csidriver.Node{Name: "node-2"}); other.GetNodeId() == info.GetNodeId() {
		t.Errorf("two nodes are instance %s", other.GetNodeId())
	}
}

func TestVolumesAreInAZone(t *testing.T) {
	v := openVolumes(t, csidriver.Node{Name: "node-1", Zone: "local-a"})
	for name, test := range map[string]struct{ zone, want string }{
		"asked for": {"local-b", "local-b"},
		"any":       {"", "local-a"},
	} {
		made := makeVolume(t, v, name, test.zone)
		if got := made.GetAccessibleTopology()[0].GetSegments(); len(got) != 1 || got[zoneKey] != test.want {
			t.Errorf("%s: the volume is in %v, want %s", name, got, test.want)
		}
		if again := makeVolume(t, v, name, test.zone); again.GetVolumeId() != made.GetVolumeId() {
			t.Errorf("%s: asked again there is another volume", name)
		}
	}
}

func TestRefusedAttachments(t *testing.T) {
	first, second := csidriver.Node{Name: "node-1", Zone: "local-a"}, csidriver.Node{Name: "node-2", Zone: "local-a"}
	v := openVolumes(t, first, second)
	taken, far := makeVolume(t, v, "taken", "local-a").GetVolumeId(), makeVolume(t, v, "far", "local-b").GetVolumeId()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	told, err := attach(v, taken, instanceID(first.Name))
	if err != nil || !strings.HasPrefix(told[disk.DevicePathKey], "/dev/xvd") {
		t.Fatalf("a node that attaches it is told %v, %v", told, err)
	}
	for name, test := range map[string]struct {
		volume, instance string
		code             codes.Code
		says             string
	}{
		"another instance has it": {taken, instanceID(second.Name), codes.Internal,
			"api error VolumeInUse: " + taken + " is already attached to an instance"},
		"of another zone": {far, instanceID(first.Name), codes.Internal,
			"api error InvalidVolume.ZoneMismatch: The volume '" + far + "' is not in the same availability zone as instance '" + instanceID(first.Name) + "'"},
		"no instance": {taken, "i-00000000000000000", codes.NotFound, "not found"},
		"no volume":   {"vol-00000000000000000", instanceID(first.Name), codes.NotFound, "not found"},
	} {
		_, err := attach(v, test.volume, test.instance)
		if status.Code(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %v with %q", name, err, test.code, test.says)
		}
	}
	err = remove(v, taken)
	if want := "api error VolumeInUse: Volume " + taken + " is currently attached to " + instanceID(first.Name); status.Code(err) != codes.Internal || !strings.Contains(err.Error(), want) {
		t.Errorf("deleted while it is attached: %v, want %q", err, want)
	}
	for _, instance := range []string{instanceID(first.Name), instanceID(first.Name), "i-00000000000000000"} {
		if _, err := v.ControllerUnpublishVolume(t.Context(), &csi.ControllerUnpublishVolumeRequest{VolumeId: taken, NodeId: instance}); err != nil {
			t.Errorf("detach from %s: %v", instance, err)
		}
	}
	if err := remove(v, taken); err != nil {
		t.Error(err)
	}
}

// A raw block volume of type io2 that was made for several instances comes to those of its zone, at most 16.
func TestMultiAttach(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	first, second := csidriver.Node{Name: "node-1", Zone: "local-a"}, csidriver.Node{Name: "node-2", Zone: "local-a"}
	far := csidriver.Node{Name: "node-3", Zone: "local-b"}
	v := openVolumes(t, first, second, far)
	request := &csi.CreateVolumeRequest{
		Name: "shared", CapacityRange: &csi.CapacityRange{RequiredBytes: 10 * gib},
		Parameters: map[string]string{"type": "io2", "iops": "500"},
		AccessibilityRequirements: &csi.TopologyRequirement{
			Preferred: []*csi.Topology{{Segments: map[string]string{zoneKey: "local-a"}}},
		},
		VolumeCapabilities: []*csi.VolumeCapability{{
			AccessType: &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}},
			AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER},
		}},
	}
	made, err := v.CreateVolume(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	id := made.GetVolume().GetVolumeId()
	if plan, err := v.Planned(id); err != nil || plan.Nodes != 16 {
		t.Errorf("%d nodes can have it, %v", plan.Nodes, err)
	}
	for _, node := range []csidriver.Node{first, second} {
		if _, err := attach(v, id, instanceID(node.Name)); err != nil {
			t.Errorf("%s: %v", node.Name, err)
		}
	}
	if _, err := attach(v, id, instanceID(far.Name)); err == nil || !strings.Contains(err.Error(), zoneMismatch) {
		t.Errorf("it comes to another zone: %v", err)
	}
	for _, node := range []csidriver.Node{first, second} {
		leaves := &csi.ControllerUnpublishVolumeRequest{VolumeId: id, NodeId: instanceID(node.Name)}
		if _, err := v.ControllerUnpublishVolume(t.Context(), leaves); err != nil {
			t.Errorf("%s: %v", node.Name, err)
		}
	}
	if err := remove(v, id); err != nil {
		t.Error(err)
	}
	request.VolumeCapabilities[0].AccessMode.Mode = csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER
	if again, err := v.CreateVolume(t.Context(), request); err != nil || again.GetVolume().GetVolumeId() != id {
		t.Errorf("%v, %v", again, err)
	} else if plan, err := v.Planned(id); err != nil || plan.Nodes != 0 {
		t.Errorf("%d nodes can have one of a single instance, %v", plan.Nodes, err)
	}
}
