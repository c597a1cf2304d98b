package wording

import (
	"cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// bounds are names of what held results back, in words for the middle of a sentence.
var bounds = map[string]string{
	v1alpha1.BoundVolumeIOPS:           "volume's IOPS",
	v1alpha1.BoundVolumeThroughput:     "volume's throughput",
	v1alpha1.BoundFileSystemIOPS:       "file system's IOPS",
	v1alpha1.BoundFileSystemThroughput: "file system's throughput",
	v1alpha1.BoundClientIOPS:           "client's IOPS",
	v1alpha1.BoundClientThroughput:     "client's throughput",
	v1alpha1.BoundInstanceIOPS:         "instance's IOPS",
	v1alpha1.BoundInstanceThroughput:   "instance's throughput",
	v1alpha1.BoundWorkloadRate:         "workload's own rate",
	v1alpha1.BoundClientCPU:            "client's CPU",
	v1alpha1.BoundStorage:              "storage",
	v1alpha1.BoundLatency:              "latency",
	v1alpha1.BoundUnknown:              "unknown",
}

// Bound returns words for what held a result back, for the middle of a sentence; its name if there are none.
func Bound(name string) string { return cmp.Or(bounds[name], name) }
