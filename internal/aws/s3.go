package aws

import (
	"fmt"
	"strconv"
	"strings"
)

// Requests per second: of a bucket for general purposes at least so many for each prefix, which S3 raises by itself where more go on
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html, read 2026-11-23); of a directory bucket, which S3 Express One Zone
// has, up to so many (https://docs.amazonaws.cn/en_us/AmazonS3/latest/userguide/s3-express-optimizing-performance-design-patterns.html, read 2026-11-23).
const (
	s3PrefixGets    = 5500
	s3PrefixPuts    = 3500
	s3DirectoryGets = 2_000_000
	s3DirectoryPuts = 200_000
	// s3DirectorySuffix ends the names of directory buckets.
	s3DirectorySuffix = "--x-s3"
)

// BucketLimits are the requests per second that S3 gives to one prefix of a bucket. A random read of Mountpoint takes at least one; sequential ones it
// makes into few large ones.
//
// One connection has 5 Gbit/s (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-network-bandwidth.html, "Single-flow traffic", read
// 2026-11-23), but that is no limit of a job: one reader of experiment E5 has 992 MiB/s through Mountpoint, which keeps several
// (https://github.com/awslabs/mountpoint-s3/releases/tag/mountpoint-s3-1.5.0).
func BucketLimits(bucket string) Limits {
	limits := Limits{
		ReadIOPS: s3PrefixGets, WriteIOPS: s3PrefixPuts, RandomIOPS: true, AtLeast: true, Typical: s3Latency,
		Source: "AWS: S3 gives a prefix at least 5500 GET and 3500 PUT requests a second, and more after a time",
	}
	if strings.HasSuffix(bucket, s3DirectorySuffix) {
		limits.ReadIOPS, limits.WriteIOPS, limits.AtLeast = s3DirectoryGets, s3DirectoryPuts, false
		limits.Typical = s3ExpressLatency
		limits.Source = "AWS: S3 Express One Zone gives a directory bucket up to 2000000 GET and 200000 PUT requests a second"
	}
	return limits
}

// maximumThroughput is the option of Mountpoint that says how many Gbit/s it may use. Without it Mountpoint takes what it
// finds out of the instance, which is what the network has, or 10 where it finds out nothing
// (https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md and mount-s3 --help, read 2026-11-28).
const maximumThroughput = "maximum-throughput-gbps"

// MountpointLimits are what options of Mountpoint leave to one client; none if they leave all.
func MountpointLimits(options []string) Limits {
	for _, option := range options {
		name, value, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(option, "--"), "=", " "), " ")
		gbps, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if name != maximumThroughput || err != nil || !(gbps > 0 && gbps < 1e6) {
			continue
		}
		most := int64(gbps * 1000 * bytesPerMbit)
		return Limits{
			ReadBytesPerSecond: most, WriteBytesPerSecond: most,
			Source: fmt.Sprintf("Mountpoint: %s is %s", maximumThroughput, strconv.FormatFloat(gbps, 'f', -1, 64)),
		}
	}
	return Limits{}
}
