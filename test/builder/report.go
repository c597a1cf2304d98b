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
			Name: name, ElapsedMilliseconds: 60005, UserPercent: 3, SystemPercent: 9, Figures: []digest.Figures{Figures(v1alpha1.OperationRead)},
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

// Figures returns what a runner reports of an operation: that of Result, as far as such operations have it.
func Figures(operation string) digest.Figures {
	buckets := &histogram.Histogram{}
	buckets.Add(5_000_000, 900)
	buckets.Add(9_000_000, 100)
	f := digest.Figures{Figures: v1alpha1.Figures{Name: operation, Count: 1000}}
	if operation != v1alpha1.OperationSync {
		f.MilliIOPS = 3_048_499
	}
	if v1alpha1.IsData(operation) {
		f.Bytes, f.BytesPerSecond = 4096*1000, 12_484_608
	}
	f.SetLatency(1000, 5_400_000, 1_200_000)
	f.SetHistogram(4_900_000, 9_100_000, buckets)
	return f
}
