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
