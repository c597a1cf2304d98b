package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// percentiles are those of fio, in milliseconds.
func percentiles(p50, p99 int64) *v1alpha1.LatencyDistribution {
	return &v1alpha1.LatencyDistribution{P50Nanoseconds: p50 * 1_000_000, P99Nanoseconds: p99 * 1_000_000}
}

// What EBS counted shows whether latency is the volume's, and whether I/Os were merged or split.
func TestOperationsOfVolume(t *testing.T) {
	counted := func(name string, count, p50, p99 int64) *v1alpha1.VolumeStatistics {
		return &v1alpha1.VolumeStatistics{Operations: []v1alpha1.VolumeOperations{{Name: name, Count: count, P50Microseconds: p50, P99Microseconds: p99}}}
	}
	const ios = 60 * 500
	slow := waiting(500)
	slow.Of(v1alpha1.OperationWrite).CompletionLatency = percentiles(2, 10)
	synced := waiting(500)
	synced.Of(v1alpha1.OperationWrite).Latency.MeanNanoseconds = 10_000
	synced.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: ios, Latency: &v1alpha1.Latency{MeanNanoseconds: 2_000_000}, CompletionLatency: percentiles(2, 10)})
	atLimit := waiting(3000)
	atLimit.Of(v1alpha1.OperationWrite).CompletionLatency = percentiles(2, 10)
	direct, buffered := Load{InFlight: 1, Jobs: 1}, Load{InFlight: 1, Jobs: 1, Buffered: true}
	for _, test := range []struct {
		name   string
		volume *v1alpha1.VolumeStatistics
		result *v1alpha1.Result
		load   Load
		reason string
		want   string // "": nothing is said
		not    string
	}{
		{"nothing is known", nil, slow, direct, v1alpha1.BoundLatency, "", "EBS"},
		{"the path", counted("write", ios, 512, 1024), slow, direct, v1alpha1.BoundLatency,
			"by EBS's own count half of the writes took at most 512us and 99 % 1.02ms, by fio 2ms and 10ms: most of the time is spent on the way to the volume", "for each I/O"},
		{"the volume", counted("write", ios, 2048, 8192), slow, direct, v1alpha1.BoundLatency,
			"by EBS's own count half of the writes took at most 2.05ms and 99 % 8.19ms, by fio 2ms and 10ms", "on the way"},
		{"syncs", counted("write", ios, 512, 1024), synced, direct, v1alpha1.BoundLatency, "by fio 2ms and 10ms (syncs): most of the time is spent on the way", "for each I/O"},
		{"through memory", counted("write", ios, 512, 1024), slow, buffered, v1alpha1.BoundLatency, "", "EBS"},
		{"no percentiles", counted("write", ios, 0, 0), slow, direct, v1alpha1.BoundLatency, "", "EBS"},
		{"of reads", counted("read", ios, 512, 1024), slow, direct, v1alpha1.BoundLatency, "", "EBS"},
		{"merged", counted("write", ios/4, 0, 0), slow, direct, v1alpha1.BoundLatency, "EBS counted 0.25 operations for each I/O of fio: they were merged, or memory answered some", "by fio"},
		{"split", counted("write", 4*ios, 0, 0), slow, direct, v1alpha1.BoundLatency, "EBS counted 4 operations for each I/O of fio: they were split, or the file system adds its own", "by fio"},
		{"nearly as many", counted("write", ios*119/100, 0, 0), slow, direct, v1alpha1.BoundLatency, "", "EBS"},
		{"at a limit", counted("write", 60*3000*4, 512, 1024), atLimit, direct, v1alpha1.BoundVolumeIOPS, "EBS counted 4 operations", "by fio"},
	} {
		got := Judge(test.result, Known{Storage: gp3, Volume: test.volume}, test.load, Client{}, 0)
		if got.Reason != test.reason || !strings.Contains(got.Message, test.want) || strings.Contains(got.Message, test.not) || len(got.Message) > 512 {
			t.Errorf("%s: limited by %s: %s", test.name, got.Reason, got.Message)
		}
	}
}
