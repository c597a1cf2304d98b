package aws

import "time"

// Latency is about how long one I/O of up to LatencyBytes takes that waits for no other one. 0 is not known. Where the
// documentation gives an order of magnitude, the figure is a fifth of where that ends: "single-digit milliseconds" are 2 ms.
type Latency struct{ Read, Write time.Duration }

// LatencyBytes is the size up to which an I/O is one for EBS on SSDs. A larger one may take as long as its parts.
const LatencyBytes = ssdIOBytes

var (
	// gp2, gp3 and io1: EBS is "designed to deliver single digit millisecond latency"
	// (https://aws.amazon.com/blogs/storage/addressing-i-o-latency-when-restoring-amazon-ebs-volumes-from-ebs-snapshots/,
	// read 2026-11-28). Experiment E2 published medians of 0.4 to 1.0 ms.
	ssdLatency = Latency{Read: 2 * time.Millisecond, Write: 2 * time.Millisecond}
	// io2: "an average latency of under 500 microseconds for 16KiB I/O operations"
	// (https://docs.aws.amazon.com/ebs/latest/userguide/ebs-optimization.html, read 2026-11-28).
	io2Latency = Latency{Read: 500 * time.Microsecond, Write: 500 * time.Microsecond}
	// EFS with performance mode General Purpose: about 1 ms and 2.7 ms, One Zone about 1 ms and 1.6 ms
	// (https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Performance summary", read 2026-11-28).
	efsLatency        = Latency{Read: time.Millisecond, Write: 2700 * time.Microsecond}
	efsOneZoneLatency = Latency{Read: time.Millisecond, Write: 1600 * time.Microsecond}
	// S3: the median of requests below 512 KB is "often in the tens of milliseconds"
	// (https://docs.aws.amazon.com/whitepapers/latest/s3-optimizing-performance-best-practices/timeouts-and-retries-for-latency-sensitive-applications.html),
	// and the first byte takes 100 to 200 ms (https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html,
	// both read 2026-11-28).
	s3Latency = Latency{Read: 40 * time.Millisecond, Write: 40 * time.Millisecond}
	// S3 Express One Zone: "single-digit millisecond"
	// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-performance.html, read 2026-11-28).
	s3ExpressLatency = Latency{Read: 2 * time.Millisecond, Write: 2 * time.Millisecond}
)
