package builder

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
)

// Report returns what a runner reports that has read 4 KiB blocks, as a group of each of the names.
func Report(groups ...string) digest.Report {
	if len(groups) == 0 {
		groups = []string{"randread"}
	}
	report := digest.Report{FioVersion: "fio-3.39"}
	for _, name := range groups {
		report.Groups = append(report.Groups, digest.Group{
			Name: name, ElapsedMilliseconds: 60005, UserPercent: 3, SystemPercent: 9, Read: direction(),
		})
	}
	return report
}

// Result returns what the status says of a group of Report.
func Result() *v1alpha1.Result {
	return &v1alpha1.Result{
		FioVersion: "fio-3.39", ElapsedMilliseconds: 60005,
		Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 1000, Bytes: 4096000, MilliIOPS: 3_048_499, BytesPerSecond: 12484608, Latency: &v1alpha1.Latency{MeanNanoseconds: 5400000, StddevNanoseconds: 1200000}, CompletionLatency: &v1alpha1.LatencyDistribution{
			MinNanoseconds: 4900000, P50Nanoseconds: 5013504, P90Nanoseconds: 5013504, P95Nanoseconds: 8978432,
			P99Nanoseconds: 8978432, P999Nanoseconds: 8978432, P9999Nanoseconds: 8978432, MaxNanoseconds: 9100000,
		}}},
		CPU: &v1alpha1.CPUResult{UserPercent: 3, SystemPercent: 9},
	}
}

func direction() *digest.Direction {
	buckets := &histogram.Histogram{}
	buckets.Add(5_000_000, 900)
	buckets.Add(9_000_000, 100)
	completion := &digest.Completion{Min: 4_900_000, Max: 9_100_000, Histogram: buckets}
	for i, p := range digest.Percentiles {
		completion.Buckets[i] = int64(histogram.Index(buckets.Percentile(p)))
	}
	return &digest.Direction{
		IOs: 1000, Bytes: 4096 * 1000, MilliIOPS: 3_048_499, BytesPerSecond: 12_484_608,
		Latency:    &digest.Latency{Count: 1000, Mean: 5_400_000, Stddev: 1_200_000},
		Completion: completion,
	}
}
