package aws

import "testing"

func TestBucketLimits(t *testing.T) {
	for bucket, want := range map[string]Limits{
		"my-bucket":                     {ReadIOPS: 5500, WriteIOPS: 3500, RandomIOPS: true, AtLeast: true, Typical: s3Latency},
		"my-bucket--apne1-az4--x-s3":    {ReadIOPS: 2_000_000, WriteIOPS: 200_000, RandomIOPS: true, Typical: s3ExpressLatency},
		"arn:aws:s3:::accesspoint/mine": {ReadIOPS: 5500, WriteIOPS: 3500, RandomIOPS: true, AtLeast: true, Typical: s3Latency},
	} {
		got := BucketLimits(bucket)
		if got.Source == "" || len(got.Source) > 192 {
			t.Errorf("%s: source is %q", bucket, got.Source)
		}
		got.Source = ""
		if got != want {
			t.Errorf("%s: %+v, want %+v", bucket, got, want)
		}
	}
}

func TestMountpointLimits(t *testing.T) {
	for _, test := range []struct {
		options []string
		want    int64
	}{
		{nil, 0}, {[]string{"max-threads 32"}, 0}, {[]string{"allow-delete", "maximum-throughput-gbps 8"}, 1_000_000_000},
		{[]string{"--maximum-throughput-gbps=2.5"}, 312_500_000}, {[]string{"maximum-throughput-gbps many"}, 0}, {[]string{"maximum-throughput-gbps NaN"}, 0},
	} {
		if got := MountpointLimits(test.options); got.ReadBytesPerSecond != test.want || got.WriteBytesPerSecond != test.want {
			t.Errorf("%q: %+v, want %d", test.options, got, test.want)
		}
	}
}
