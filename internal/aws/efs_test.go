package aws

import (
	"fmt"
	"strings"
	"testing"
)

func TestFileSystemProblems(t *testing.T) {
	tests := []struct {
		name       string
		fileSystem FileSystem
		want       []string
	}{
		{"nothing known", FileSystem{}, nil},
		{"E1", FileSystem{ThroughputMode: Bursting}, nil},
		{"elastic", FileSystem{ThroughputMode: Elastic, MeteredBytes: tib}, nil},
		{"least", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(1))}, nil},
		{"most", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(3414))}, nil},
		{"too little", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(0))}, []string{"provisionedThroughput=0: 1 to 3414 MiB/s"}},
		{"too much", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(3415))}, []string{"provisionedThroughput=3415: limits by hand"}},
		{"missing", FileSystem{ThroughputMode: Provisioned}, []string{"provisionedThroughput=: set provisionedThroughput to it"}},
		{"without the mode", FileSystem{ThroughputMode: Bursting, ProvisionedMiBps: new(int64(100))}, []string{"provisionedThroughput=100: remove it, or set throughputMode: Provisioned"}},
		{"without any mode", FileSystem{ProvisionedMiBps: new(int64(100))}, []string{"provisionedThroughput=100: remove it"}},
		{"unknown mode", FileSystem{ThroughputMode: "bursting"}, []string{"throughputMode=bursting: use Bursting, Elastic or Provisioned"}},
		{"negative size", FileSystem{ThroughputMode: Bursting, MeteredBytes: -1}, []string{"meteredSize=-1: 0 bytes or more"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expectProblems(t, test.fileSystem.Problems(), test.want)
		})
	}
}

func TestFileSystemLimits(t *testing.T) {
	tests := []struct {
		name       string
		fileSystem FileSystem
		// IOPS and MiB/s of reads/writes; without credits: metered MiB/s, credits in TiB.
		want, source string
	}{
		{"E1: empty", FileSystem{ThroughputMode: Bursting}, "35000/7000, 300/100; 1, 2.1", "stores 0 GiB, which bursts to 100 MiB/s with credits and has 1 without; reads take a third; it is taken for empty, because meteredSize is 0 or not set"},
		{"20 GiB", FileSystem{ThroughputMode: Bursting, MeteredBytes: 20 * gib}, "35000/7000, 300/100; 1, 2.1", ""},
		{"100 GiB", FileSystem{ThroughputMode: Bursting, MeteredBytes: 100 * gib}, "35000/7000, 300/100; 4.9, 2.1", "stores 100 GiB"},
		{"1 TiB", FileSystem{ThroughputMode: Bursting, MeteredBytes: tib}, "35000/7000, 300/100; 50, 2.1", ""},
		{"2 TiB", FileSystem{ThroughputMode: Bursting, MeteredBytes: 2 * tib}, "35000/7000, 600/200; 100, 4.2", ""},
		{"as fast as any", FileSystem{ThroughputMode: Bursting, MeteredBytes: 20 * tib}, "35000/7000, 3072/1024; 1000, 42.0", ""},
		{"provisioned", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(200))}, "55000/25000, 600/200", "200 MiB/s provisioned"},
		{"provisioned most", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(3414))}, "55000/25000, 3072/1024", ""},
		{"provisioned as much as stored gives", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(100)), MeteredBytes: 2 * tib}, "55000/25000, 300/100", ""},
		{"provisioned less than stored gives", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(99)), MeteredBytes: 2 * tib}, "55000/25000, 600/200; 100, 4.2", "stores 2048 GiB"},
		{"elastic", FileSystem{ThroughputMode: Elastic}, "250000/50000, 20480/1024", "default quotas"},
		{"elastic where there is more", FileSystem{ThroughputMode: Elastic, Region: "eu-west-1"}, "250000/50000, 61440/5120", "default quotas of eu-west-1"},
		{"elastic where only that of reads is known", FileSystem{ThroughputMode: Elastic, Region: "eu-west-2"}, "250000/50000, 61440/0", ""},
		{"elastic elsewhere", FileSystem{ThroughputMode: Elastic, Region: "eu-north-1"}, "250000/50000, 20480/1024", "default quotas of eu-north-1"},
		{"elastic in one zone", FileSystem{ThroughputMode: Elastic, OneZone: true, Region: "eu-west-1"}, "35000/7000, 3072/1024", "EFS One Zone file system"},
		{"provisioned where there is more", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(3414)), Region: "us-east-2"}, "55000/25000, 10240/3414", ""},
		{"provisioned elsewhere", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(3414)), Region: "ap-southeast-2"}, "55000/25000, 3072/1024", ""},
		{"bursting where there is more", FileSystem{ThroughputMode: Bursting, MeteredBytes: 40 * tib, Region: "ap-southeast-2"}, "35000/7000, 5120/3072; 2000, 84.0", ""},
		{"bursting in one zone", FileSystem{ThroughputMode: Bursting, MeteredBytes: 40 * tib, OneZone: true, Region: "ap-southeast-2"}, "35000/7000, 5120/3072; 2000, 84.0", "EFS One Zone file system that stores"},
		{"bursting in one zone elsewhere", FileSystem{ThroughputMode: Bursting, MeteredBytes: 40 * tib, OneZone: true, Region: "eu-north-1"}, "35000/7000, 3072/1024; 2000, 84.0", ""},
		{"provisioned in one zone", FileSystem{ThroughputMode: Provisioned, ProvisionedMiBps: new(int64(200)), OneZone: true}, "35000/7000, 600/200", "EFS One Zone file system with 200 MiB/s"},
		{"unknown", FileSystem{}, "0/0, 0/0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			limits := test.fileSystem.Limits()
			got := fmt.Sprintf("%d/%d, %s/%s", limits.ReadIOPS, limits.WriteIOPS, mibs(limits.ReadBytesPerSecond), mibs(limits.WriteBytesPerSecond))
			if limits.Burst != nil {
				got += fmt.Sprintf("; %s, %.1f", mibs(limits.Burst.BaselineBytesPerSecond), limits.Burst.Credits.Max/tib)
			}
			if got != test.want {
				t.Errorf("got limits %s, want %s", got, test.want)
			}
			if known := test.fileSystem.ThroughputMode != ""; limits.Shared != known {
				t.Errorf("reads and writes share: %t, want %t", limits.Shared, known)
			}
			if !strings.Contains(limits.Source, test.source) || len(limits.Source) > 256 {
				t.Errorf("got source %q, want %q in it and at most 256 characters", limits.Source, test.source)
			}
		})
	}
}

func TestClientLimits(t *testing.T) {
	for mode, want := range map[ThroughputMode]int64{Bursting: 500 * mib, Provisioned: 500 * mib, Elastic: 1500 * mib, "": 0} {
		limits := FileSystem{ThroughputMode: mode}.ClientLimits()
		if limits.BytesPerSecond != want {
			t.Errorf("%s: got %d B/s, want %d", mode, limits.BytesPerSecond, want)
		}
	}
	// AWS disagrees with itself about one of them.
	for mode, atLeast := range map[ThroughputMode]bool{Bursting: false, Provisioned: false, Elastic: true} {
		if limits := (FileSystem{ThroughputMode: mode, OneZone: true}).ClientLimits(); limits.BytesPerSecond != 500*mib || limits.AtLeast != atLeast {
			t.Errorf("%s in one zone: got %d B/s, at least: %t", mode, limits.BytesPerSecond, limits.AtLeast)
		}
	}
}

// A write costs as many reads as it has fewer I/Os per second.
func TestOperations(t *testing.T) {
	limits := FileSystem{ThroughputMode: Bursting}.Limits()
	if got := Operations(10_000, 5000, float64(limits.ReadIOPS), float64(limits.WriteIOPS)); got != 35_000 {
		t.Errorf("10,000 reads and 5,000 writes are %v operations, want all 35,000", got)
	}
}

func TestMeteredBytes(t *testing.T) {
	tests := []struct {
		name                                 string
		reads, readBytes, writes, writeBytes int64
		want                                 float64
	}{
		{"reads count a third", 30, 30 * mib, 30, 30 * mib, 40 * mib},
		{"E4: writes of a byte count 4 KiB", 0, 0, 2000, 2000, 2000 * 4 * kib},
		{"reads of 4 KiB are not discounted", 1000, 1000 * 4 * kib, 0, 0, 1000 * 4 * kib},
		{"reads of 48 KiB", 1000, 1000 * 48 * kib, 0, 0, 1000 * 16 * kib},
		{"nothing", 0, 0, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := MeteredBytes(test.reads, test.readBytes, test.writes, test.writeBytes); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
