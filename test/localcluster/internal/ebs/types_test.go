package ebs

import (
	"testing"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

func TestPerformance(t *testing.T) {
	const credits = 5_400_000
	perIO := func(initial float64) disk.Bucket {
		return disk.Bucket{Capacity: credits, Initial: initial, IO: 1, Byte: 1.0 / (256 << 10)}
	}
	perMiB := func(capacity float64) disk.Bucket {
		return disk.Bucket{Capacity: capacity, Initial: capacity, Byte: 1.0 / (1 << 20)}
	}
	tagged := func(credits string) map[string]string { return map[string]string{creditsTag: credits} }
	tests := map[string]struct {
		request     request
		base, burst disk.Rate
		bucket      disk.Bucket
	}{
		"gp3":         {request{Type: "gp3", SizeGiB: 30}, disk.Rate{IOs: 3000, Bytes: 125 * mib}, disk.Rate{IOs: 3000, Bytes: 125 * mib}, disk.Bucket{}},
		"gp3 bought":  {request{Type: "gp3", SizeGiB: 30, IOPS: 6000, Throughput: 500}, disk.Rate{IOs: 6000, Bytes: 500 * mib}, disk.Rate{IOs: 6000, Bytes: 500 * mib}, disk.Bucket{}},
		"gp2 small":   {request{Type: "gp2", SizeGiB: 8}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 3000, Bytes: 128 * mib}, perIO(credits)},
		"gp2 200 GiB": {request{Type: "gp2", SizeGiB: 200}, disk.Rate{IOs: 600, Bytes: 150 * mib}, disk.Rate{IOs: 3000, Bytes: 250 * mib}, perIO(credits)},
		"gp2 few":     {request{Type: "gp2", SizeGiB: 8, Tags: tagged("9000")}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 3000, Bytes: 128 * mib}, perIO(9000)},
		"gp2 most":    {request{Type: "gp2", SizeGiB: 8, Tags: tagged("1e9")}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 3000, Bytes: 128 * mib}, perIO(credits)},
		"gp2 1 TiB":   {request{Type: "gp2", SizeGiB: 1024}, disk.Rate{IOs: 3072, Bytes: 250 * mib}, disk.Rate{IOs: 3072, Bytes: 250 * mib}, disk.Bucket{}},
		"io1":         {request{Type: "io1", SizeGiB: 100, IOPS: 1000}, disk.Rate{IOs: 1000, Bytes: 250 * mib}, disk.Rate{IOs: 1000, Bytes: 250 * mib}, disk.Bucket{}},
		"io2":         {request{Type: "io2", SizeGiB: 100, IOPS: 100_000}, disk.Rate{IOs: 100_000, Bytes: 4000 * mib}, disk.Rate{IOs: 100_000, Bytes: 4000 * mib}, disk.Bucket{}},
		"st1":         {request{Type: "st1", SizeGiB: 512}, disk.Rate{IOs: 500, Bytes: 20 * mib}, disk.Rate{IOs: 500, Bytes: 125 * mib}, perMiB(512 * 1024)},
		"sc1":         {request{Type: "sc1", SizeGiB: 16_384}, disk.Rate{IOs: 250, Bytes: 192 * mib}, disk.Rate{IOs: 250, Bytes: 250 * mib}, perMiB(16_384 * 1024)},
		"standard":    {request{Type: "standard", SizeGiB: 10}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Rate{IOs: 100, Bytes: 25 * mib}, disk.Bucket{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := test.request.performance()
			if err != nil || got.Base != test.base || got.Burst != test.burst || got.Bucket != test.bucket {
				t.Errorf("got %+v, %v, want %+v, %+v and %+v", got, err, test.base, test.burst, test.bucket)
			}
			if got.Latency != volumeTypes[test.request.Type].latency {
				t.Errorf("its latency is %+v", got.Latency)
			}
		})
	}
}
