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
	return planVolume(known, &csi.CreateVolumeRequest{
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
		"tag without value":    {10, parameters{"tagSpecification_1": "x"}, codes.InvalidArgument, "tagSpecification_1"},
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
		"default":              {10, nil, nil, `{"type":"gp3","sizeGiB":10}`},
		"any case":             {10, parameters{"IOPS": "4000", "Throughput": "500"}, nil, `{"type":"gp3","sizeGiB":10,"iops":4000,"throughput":500}`},
		"capped by type":       {1000, parameters{"iops": "100000"}, nil, `{"type":"gp3","sizeGiB":1000,"iops":80000}`},
		"capped by size":       {100, parameters{"type": "io1", "iops": "10000"}, nil, `{"type":"io1","sizeGiB":100,"iops":5000}`},
		"per GiB":              {100, parameters{"type": "io2", "iopsPerGB": "50"}, nil, `{"type":"io2","sizeGiB":100,"iops":5000}`},
		"raised":               {10, parameters{"iopsPerGB": "10", "allowAutoIOPSPerGBIncrease": "true"}, nil, `{"type":"gp3","sizeGiB":10,"iops":3000}`},
		"encrypted":            {10, parameters{"encrypted": "true", "kmsKeyId": "arn:aws:kms:eu-west-1:111122223333:key/k"}, nil, `{"type":"gp3","sizeGiB":10}`},
		"tags":                 {10, parameters{"tagSpecification_1": "a=b=c", "tagSpecification_2": creditsTag + "=9000", "type": "gp2"}, nil, `{"type":"gp2","sizeGiB":10,"tags":{"a":"b=c","storagebench.dev/stand-in-credits":"9000"}}`},
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
