package drivers

import (
	"slices"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
)

func mountCapability(fsType string, mode csi.VolumeCapability_AccessMode_Mode) *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{FsType: fsType}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: mode},
	}
}

func TestUses(t *testing.T) {
	const (
		single   = csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER
		oncePod  = csi.VolumeCapability_AccessMode_SINGLE_NODE_SINGLE_WRITER
		many     = csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER
		readOnly = csi.VolumeCapability_AccessMode_MULTI_NODE_READER_ONLY
	)
	block := func(mode csi.VolumeCapability_AccessMode_Mode) *csi.VolumeCapability {
		return &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}},
			AccessMode: &csi.VolumeCapability_AccessMode{Mode: mode},
		}
	}
	tests := map[string]struct {
		capability *csi.VolumeCapability
		// refusedBy are the short names of the drivers.
		refusedBy string
	}{
		"default file system":  {capability: mountCapability("", single)},
		"xfs":                  {mountCapability("xfs", single), "efs"},
		"ext4":                 {mountCapability("ext4", single), "efs"},
		"efs":                  {mountCapability("efs", single), "loop ebs"},
		"block":                {block(single), "efs"},
		"block of many":        {block(many), "loop efs"},
		"ReadWriteOncePod":     {mountCapability("", oncePod), "loop ebs efs"}, // to drivers that do not ask for this mode it is SINGLE_NODE_WRITER
		"ReadWriteMany":        {mountCapability("", many), "loop ebs"},
		"ext4 of many":         {mountCapability("ext4", many), "loop ebs efs"},
		"ReadOnlyMany":         {mountCapability("", readOnly), "loop ebs efs"},
		"other file system":    {mountCapability("btrfs", single), "loop ebs efs"},
		"no capability":        {nil, "loop ebs efs"},
		"neither mount or raw": {&csi.VolumeCapability{}, "loop ebs efs"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, driver := range []csidriver.Driver{Loop, EBS, EFS} {
				err := driver.Uses.Check(test.capability)
				refused := slices.Contains(strings.Fields(test.refusedBy), driver.ShortName)
				if refused && status.Code(err) != codes.InvalidArgument || !refused && err != nil {
					t.Errorf("%s: got %v, refused: %t", driver.ShortName, err, refused)
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	for _, want := range []csidriver.Driver{Loop, EBS, EFS} {
		if got, err := Find(want.ShortName); err != nil || got.Name != want.Name {
			t.Errorf("%s is %s, %v", want.ShortName, got.Name, err)
		}
	}
	if _, err := Find("s3"); err == nil || !strings.Contains(err.Error(), `"s3"`) {
		t.Errorf("a driver that there is not: %v", err)
	}
}
