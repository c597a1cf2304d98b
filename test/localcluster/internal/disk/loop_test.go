package disk

import (
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestParseLimits(t *testing.T) {
	tests := map[string]struct {
		parameters map[string]string
		want       Rate
		fails      string
	}{
		"none":                 {},
		"gp3":                  {parameters: map[string]string{"iops": "3000", "throughput": "125"}, want: Rate{IOs: 3000, Bytes: 125 * mib}},
		"one":                  {parameters: map[string]string{"iops": "1"}, want: Rate{IOs: 1}},
		"provisioner's extras": {parameters: map[string]string{"csi.storage.k8s.io/pvc/name": "a"}},
		"misspelled":           {parameters: map[string]string{"iop": "3000"}, fails: `"iop"`},
		"first by its name":    {parameters: map[string]string{"iops": "x", "iop": "3000", "throughput": "y"}, fails: `"iop"`},
		"zero":                 {parameters: map[string]string{"iops": "0"}, fails: `"iops"`},
		"negative":             {parameters: map[string]string{"throughput": "-1"}, fails: `"throughput"`},
		"unit":                 {parameters: map[string]string{"throughput": "125Mi"}, fails: `"125Mi"`},
		"too large":            {parameters: map[string]string{"iops": "99999999999999"}, fails: `"iops"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseLimits(test.parameters)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Fatalf("got error %v, want one about %s", err, test.fails)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func mountCapability(fsType string, mode csi.VolumeCapability_AccessMode_Mode) *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{FsType: fsType}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: mode},
	}
}

func TestCapacityFor(t *testing.T) {
	xfs := []*csi.VolumeCapability{mountCapability("xfs", csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER)}
	raw := []*csi.VolumeCapability{{AccessType: &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}}}}
	tests := map[string]struct {
		requested    *csi.CapacityRange
		capabilities []*csi.VolumeCapability
		want         int64
		code         codes.Code
	}{
		"default":              {capabilities: raw, want: defaultCapacity},
		"rounded up":           {requested: &csi.CapacityRange{RequiredBytes: 2*mib + 1}, capabilities: raw, want: 2*mib + sectorSize},
		"smallest xfs":         {requested: &csi.CapacityRange{RequiredBytes: mib}, capabilities: xfs, want: 300 * mib},
		"limit below smallest": {requested: &csi.CapacityRange{RequiredBytes: mib, LimitBytes: 2 * mib}, capabilities: xfs, code: codes.OutOfRange},
		"only a limit":         {requested: &csi.CapacityRange{LimitBytes: 5 * mib}, capabilities: raw, want: 5 * mib},
		"no range":             {requested: &csi.CapacityRange{RequiredBytes: 2, LimitBytes: 1}, capabilities: raw, code: codes.InvalidArgument},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := capacityFor(test.requested, test.capabilities)
			if status.Code(err) != test.code || got != test.want {
				t.Errorf("got %d, %v, want %d, %v", got, err, test.want, test.code)
			}
		})
	}
}
