package ebs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/documented"
)

func ask(t *testing.T, sizeGiB int64, parameters, mutable map[string]string) (disk.Plan, error) {
	t.Helper()
	known, err := documented.EBS()
	if err != nil {
		t.Fatal(err)
	}
	return planVolume(known.WithUndocumented(), &csi.CreateVolumeRequest{
		Name: "pvc-1", CapacityRange: &csi.CapacityRange{RequiredBytes: sizeGiB * gib},
		Parameters: parameters, MutableParameters: mutable,
	}, "")
}

type parameters map[string]string

func TestRefusedVolumes(t *testing.T) {
	tests := map[string]struct {
		sizeGiB    int64
		parameters parameters
		code       codes.Code
		says       string
	}{
		"misspelled":           {10, parameters{"iop": "3000"}, codes.InvalidArgument, `"iop"`},
		"another's":            {10, parameters{"fileSystemId": "fs-1"}, codes.InvalidArgument, `"fileSystemId"`},
		"no such type":         {10, parameters{"type": "gp4"}, codes.InvalidArgument, "gp4"},
		"iops too low":         {10, parameters{"iops": "2000"}, codes.Aborted, "InvalidParameterValue: Volume iops of 2000 is too low; minimum is 3000."},
		"ratio, small volume":  {4, parameters{"iops": "4000"}, codes.Aborted, "Iops to volume size ratio of 1000.000000 is too high; maximum is 500"},
		"throughput too low":   {10, parameters{"throughput": "100"}, codes.Aborted, "Volume throughput of 100 is too low; minimum is 125."},
		"throughput too high":  {10, parameters{"throughput": "2001"}, codes.Aborted, "Volume throughput of 2001 is too high; maximum is 2000."},
		"throughput to iops":   {10, parameters{"throughput": "1000"}, codes.Aborted, "Throughput (MiBps) to iops ratio of 0.333333 is too high; maximum is 0.250000 MiBps per iops"},
		"throughput of gp2":    {10, parameters{"type": "gp2", "throughput": "125"}, codes.InvalidArgument, "InvalidParameterCombination: throughput can only be specified for volumeType gp3."},
		"iops of gp2":          {10, parameters{"type": "gp2", "iops": "3000"}, codes.InvalidArgument, "InvalidParameterCombination: The parameter iops is not supported for gp2 volumes."},
		"iops of st1":          {125, parameters{"type": "st1", "iops": "500"}, codes.InvalidArgument, "not supported for st1 volumes"},
		"io1 without iops":     {10, parameters{"type": "io1"}, codes.InvalidArgument, "The parameter iops must be specified for io1 volumes."},
		"io2 without iops":     {10, parameters{"type": "io2"}, codes.InvalidArgument, "The parameter iops must be specified for io2 volumes."},
		"iops twice":           {10, parameters{"type": "io2", "iops": "3000", "iopsPerGB": "10"}, codes.InvalidArgument, "iopsPerGB"},
		"small st1":            {124, parameters{"type": "st1"}, codes.Aborted, "minimum is 125GiB"},
		"small sc1":            {1, parameters{"type": "sc1"}, codes.Aborted, "minimum is 125GiB"},
		"large gp2":            {16_385, parameters{"type": "gp2"}, codes.Aborted, "maximum is 16384GiB"},
		"reserved tag":         {10, parameters{"tagSpecification_1": "kubernetes.io/x=y"}, codes.InvalidArgument, "reserved"},
		"driver's tag":         {10, parameters{"tagSpecification_1": "ebs.csi.aws.com/x=y"}, codes.InvalidArgument, "reserved"},
		"tag without value":    {10, parameters{"tagSpecification_1": "x"}, codes.InvalidArgument, "tagSpecification_1"},
		"broken template":      {10, parameters{"tagSpecification_1": "a={{ .PVCName"}, codes.InvalidArgument, "Error interpolating tag value: "},
		"no such property":     {10, parameters{"tagSpecification_1": "a={{ .Name }}"}, codes.InvalidArgument, "Error interpolating tag value: "},
		"function taken away":  {10, parameters{"tagSpecification_1": `a={{ html .PVCName }}`}, codes.InvalidArgument, "cannot call 'html' function"},
		"out of range":         {10, parameters{"tagSpecification_1": `a={{ substring -1 99 .PVCName }}`}, codes.InvalidArgument, "out of range"},
		"credits no number":    {10, parameters{"tagSpecification_1": creditsTag + "=many"}, codes.InvalidArgument, "many"},
		"kmsKeyId no ARN":      {10, parameters{"kmsKeyId": "alias/a"}, codes.InvalidArgument, "kmsKeyId"},
		"tags in another case": {10, parameters{"tagspecification_1": "a=b"}, codes.InvalidArgument, "tagspecification_1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, test.sizeGiB, test.parameters, nil)
			if status.Code(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.code, test.says)
			}
		})
	}
}

func TestGrantedVolumes(t *testing.T) {
	tests := map[string]struct {
		sizeGiB             int64
		parameters, mutable parameters
		want                string
	}{
		"default":        {10, nil, nil, `{"type":"gp3","sizeGiB":10}`},
		"any case":       {10, parameters{"IOPS": "4000", "Throughput": "500"}, nil, `{"type":"gp3","sizeGiB":10,"iops":4000,"throughput":500}`},
		"capped by type": {1000, parameters{"iops": "100000"}, nil, `{"type":"gp3","sizeGiB":1000,"iops":80000}`},
		"capped by size": {100, parameters{"type": "io1", "iops": "10000"}, nil, `{"type":"io1","sizeGiB":100,"iops":5000}`},
		"per GiB":        {100, parameters{"type": "io2", "iopsPerGB": "50"}, nil, `{"type":"io2","sizeGiB":100,"iops":5000}`},
		"raised":         {10, parameters{"iopsPerGB": "10", "allowAutoIOPSPerGBIncrease": "true"}, nil, `{"type":"gp3","sizeGiB":10,"iops":3000}`},
		"encrypted":      {10, parameters{"encrypted": "true", "kmsKeyId": "arn:aws:kms:eu-west-1:111122223333:key/k"}, nil, `{"type":"gp3","sizeGiB":10}`},
		"tags":           {10, parameters{"tagSpecification_1": "a=b=c", "tagSpecification_2": creditsTag + "=9000", "type": "gp2"}, nil, `{"type":"gp2","sizeGiB":10,"tags":{"a":"b=c","storagebench.dev/stand-in-credits":"9000"}}`},
		"tags as templates": {10, parameters{"csi.storage.k8s.io/pvc/name": "data-7", "csi.storage.k8s.io/pvc/namespace": "team", "csi.storage.k8s.io/pv/name": "pvc-1",
			"tagSpecification_1": "a={{ .PVCNamespace }}/{{ .PVCName | toUpper }}", "tagSpecification_2": `b={{ field "-" 1 .PVCName }}{{ substring 0 2 .PVName }}`,
			"tagSpecification_3": `c={{ if contains "ata" .PVCName }}{{ index "t" .PVCName }}{{ lastIndex "a" .PVCName }}{{ end }}`}, nil,
			`{"type":"gp3","sizeGiB":10,"tags":{"a":"team/DATA-7","b":"7pv","c":"23"}}`},
		"undocumented":         {10, parameters{"fsType": "xfs", "blockExpress": "true", "blockAttachUntilInitialized": "true"}, nil, `{"type":"gp3","sizeGiB":10}`},
		"old name of the type": {125, nil, parameters{"volumeType": "st1"}, `{"type":"st1","sizeGiB":125}`},
		"both names":           {10, nil, parameters{"volumeType": "st1", "type": "gp2"}, `{"type":"gp2","sizeGiB":10}`},
		"attributes class":     {10, parameters{"type": "gp2"}, parameters{"type": "gp3", "iops": "5000", "throughput": "300"}, `{"type":"gp3","sizeGiB":10,"iops":5000,"throughput":300}`},
		"provisioner's extras": {10, parameters{"csi.storage.k8s.io/pvc/name": "a", "csi.storage.k8s.io/pvc/namespace": "b", "csi.storage.k8s.io/pv/name": "c"}, nil, `{"type":"gp3","sizeGiB":10}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ask(t, test.sizeGiB, test.parameters, test.mutable)
			if err != nil || got.Settings != test.want {
				t.Errorf("got %s, %v, want %s", got.Settings, err, test.want)
			}
			if !regexp.MustCompile(`^vol-0[0-9a-f]{16}$`).MatchString(got.ID) {
				t.Errorf("volume ID %q", got.ID)
			}
			if got.CapacityBytes != test.sizeGiB*gib {
				t.Errorf("capacity %d", got.CapacityBytes)
			}
		})
	}
}

// What a new volume cannot be told, or its file system cannot have, or what only io2 can be.
func TestRefusedRequests(t *testing.T) {
	known, err := documented.EBS()
	if err != nil {
		t.Fatal(err)
	}
	mount := func(fsType string) *csi.VolumeCapability {
		return &csi.VolumeCapability{AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{FsType: fsType}}}
	}
	block := func(mode csi.VolumeCapability_AccessMode_Mode) *csi.VolumeCapability {
		return &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}}, AccessMode: &csi.VolumeCapability_AccessMode{Mode: mode},
		}
	}
	const one, many = csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER, csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER
	for name, test := range map[string]struct {
		parameters, mutable parameters
		as                  *csi.VolumeCapability
		// says is "" where nothing is refused.
		says string
	}{
		"tags to delete":       {mutable: parameters{"tagDeletion_1": "a"}, as: mount(""), says: "Invalid mutable parameter key: tagDeletion_1"},
		"of modifying":         {mutable: parameters{"iopspergb": "50"}, as: mount(""), says: "Invalid mutable parameter key: iopspergb"},
		"mkfs of a device":     {parameters: parameters{"blockSize": "4096"}, as: block(one), says: "Cannot use blocksize with block volume"},
		"mkfs of ext4 for xfs": {parameters: parameters{"ext4BigAlloc": "true"}, as: mount("xfs"), says: "Cannot use ext4bigalloc with fstype xfs"},
		"not asked for":        {parameters: parameters{"ext4BigAlloc": "false"}, as: mount("xfs")},
		"mkfs of xfs":          {parameters: parameters{"inodeSize": "512"}, as: mount("xfs")},
		"mkfs of ext4":         {parameters: parameters{"numberOfInodes": "512"}, as: mount("ext4")},
		"several instances":    {parameters: parameters{"type": "gp3"}, as: block(many), says: "CreateDisk: multi-attach is only supported for io2 volumes"},
		"io2 of several":       {parameters: parameters{"type": "io2", "iops": "500"}, as: block(many)},
	} {
		_, err := planVolume(known.WithUndocumented(), &csi.CreateVolumeRequest{
			Name: "pvc-1", CapacityRange: &csi.CapacityRange{RequiredBytes: 10 * gib}, VolumeCapabilities: []*csi.VolumeCapability{test.as},
			Parameters: test.parameters, MutableParameters: test.mutable,
		}, "")
		if got := status.Convert(err).Message(); (test.says == "") != (err == nil) || !strings.Contains(got, test.says) {
			t.Errorf("%s: got %v, want %q", name, err, test.says)
		}
	}
}

func TestModify(t *testing.T) {
	known, err := documented.EBS()
	if err != nil {
		t.Fatal(err)
	}
	volume, err := ask(t, 100, parameters{"type": "gp2"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	modified, err := modify(known, volume, parameters{"type": "gp3", "iops": "2000", "tagSpecification_1": "a=b"})
	if want := `{"type":"gp3","sizeGiB":100,"iops":3000,"tags":{"a":"b"}}`; err != nil || modified.Settings != want {
		t.Errorf("got %s, %v, want %s", modified.Settings, err, want)
	}
	for name, mutable := range map[string]parameters{
		"unknown":  {"encrypted": "true"},
		"of EC2":   {"throughput": "300"},
		"no value": {"iops": ""},
	} {
		if _, err := modify(known, volume, mutable); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
