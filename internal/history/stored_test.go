package history

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stored is what testdata/v2.chunk has.
func stored() *History {
	at := time.Date(2026, 11, 26, 3, 0, 5, 0, time.UTC)
	before := Environment{
		Operator: "0.9.0", Fio: "fio-3.33", Kubelet: "v1.37.1", Kernel: "6.1.0-28-cloud-amd64", OSImage: "Amazon Linux 2023",
		Drivers: []Driver{
			{Name: "ebs.csi.aws.com", Image: "aws-ebs-csi-driver:1.63.0", Targets: []string{"gp3"}}, {Name: "efs.csi.aws.com", Targets: []string{"efs"}},
		},
		Classes:      []StorageClass{{Name: "fast", Parameters: []string{"provisioner=ebs.csi.aws.com", "iops=3000"}, Targets: []string{"gp3"}}},
		InstanceType: "m6i.large", Zone: "ap-northeast-1a", Node: "ip-10-0-1-7.ap-northeast-1.compute.internal", Baseline: "0011223344556677",
		Targets: []TargetBaseline{{Target: "efs", Baseline: "8899aabbccddeeff"}, {Target: "gp3", Baseline: "ffeeddccbbaa9988"}},
	}
	after := before
	after.Kernel, after.Drivers = "6.12.0", []Driver{{Name: "ebs.csi.aws.com", Image: "aws-ebs-csi-driver:1.64.0", Targets: []string{"gp3"}}}
	every := Measured{Case: Case{Workload: "wal", Parameters: "bs=16k iodepth=4", Section: "log#2", Target: "gp3"}}
	for _, metric := range Metrics()[:MetadataP99+1] {
		every.Figures = append(every.Figures, Figure{metric, int64(metric) * 1_000_003})
	}
	few := func(iops int64) Measured {
		return Measured{Case: Case{Workload: "randread", Target: "efs"}, Figures: []Figure{{ReadIOPS, iops}, {ReadP99, MaxLatency}}}
	}
	return &History{Points: []Point{
		{Sequence: 41, Chunk: 41, Time: at, Benchmark: "nightly-29921220-abcde", UID: "5f0c3a52-6a3c-4b7e-9d0e-0a6f6c1d2e3f", Succeeded: true, Reason: "Completed", Environment: before, Cases: []Measured{every, few(3_000_499)}},
		{Sequence: 42, Chunk: 41, Time: at.AddDate(0, 0, 1), Benchmark: "nightly-29922660-abcde", UID: "6f0c3a52-6a3c-4b7e-9d0e-0a6f6c1d2e3f", Reason: "RunFailed", Environment: before},
		{Sequence: 43, Chunk: 41, Time: at.AddDate(0, 0, 2), Benchmark: "nightly-now-x2b7k", UID: "7f0c3a52-6a3c-4b7e-9d0e-0a6f6c1d2e3f", Succeeded: true, Reason: "Completed", Environment: after, Cases: []Measured{few(0)}},
	}}
}

// A history outlives upgrades of the operator: what was stored once has to be read for ever. Whoever changes the encoding adds another file here, and
// leaves those that are there as they are.
func TestDecodesWhatIsStored(t *testing.T) {
	for file, want := range map[string]*History{"testdata/v2.chunk": stored()} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode([][]byte{data})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-stored +decoded):\n%s", file, diff)
		}
	}
}
