package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// TestLimitsAcross: a line across is the nearest limit for the size of the blocks, with credits and without. EFS meters reads
// at a third, so that without credits three times as much can be read.
func TestLimitsAcross(t *testing.T) {
	const kib, mib = 1 << 10, 1 << 20
	efsOf2TiB := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
		ReadBytesPerSecond: new(int64(600 * mib)), WriteBytesPerSecond: new(int64(200 * mib)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(100 * mib)), ByteCredits: new(int64(4 << 40))},
	}}
	gp2 := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(128 * mib)),
		Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(300)), IOCredits: new(int64(5_400_000))},
	}}
	gp3 := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 * mib))}}
	instance := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeInstance, BytesPerSecond: new(int64(81 * mib))}}
	reads, writes := direction{name: v1alpha1.OperationRead}, direction{name: v1alpha1.OperationWrite}
	for _, test := range []struct {
		name            string
		storage         v1alpha1.KnownLimits
		client          []v1alpha1.KnownLimits
		of              direction
		block           float64
		clients         int32
		iops, bandwidth []string
	}{
		{
			"gp3 in small blocks", gp3, nil, reads, 16 * kib, 1,
			[]string{"3000 IOPS: limit of a"}, []string{"46.9 MiB/s: limit of a (3000 IOPS)"},
		},
		{
			"gp3 in large blocks", gp3, nil, reads, 64 * kib, 1,
			[]string{"2000 IOPS: limit of a (125 MiB/s)"}, []string{"125 MiB/s: limit of a"},
		},
		{
			"a volume for each of two clients", gp3, nil, reads, 64 * kib, 2,
			[]string{"4000 IOPS: limit of a (250 MiB/s)"}, []string{"250 MiB/s: limit of a"},
		},
		{
			"a small instance", gp3, []v1alpha1.KnownLimits{instance}, reads, 64 * kib, 1,
			[]string{"1296 IOPS: limit of a's instance (81.0 MiB/s)"}, []string{"81.0 MiB/s: limit of a's instance"},
		},
		{
			"reads of EFS", efsOf2TiB, nil, reads, 1 * mib, 1,
			[]string{"600 IOPS: limit of a (600 MiB/s)", "300 IOPS: a without credits (300 MiB/s)"},
			[]string{"600 MiB/s: limit of a", "300 MiB/s: a without credits"},
		},
		{
			"writes of EFS", efsOf2TiB, nil, writes, 4 * kib, 1,
			[]string{"7000 IOPS: limit of a"}, []string{"27.3 MiB/s: limit of a (7000 IOPS)"},
		},
		{
			"gp2", gp2, nil, reads, 4 * kib, 1,
			[]string{"3000 IOPS: limit of a", "300 IOPS: a without credits"},
			[]string{"11.7 MiB/s: limit of a (3000 IOPS)", "1.17 MiB/s: a without credits (300 IOPS)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := v1alpha1.TargetStatus{Name: "a", Limits: &test.storage, ClientLimits: test.client, Volumes: make([]v1alpha1.VolumeStatus, test.clients)}
			r := &results{sb: &v1alpha1.StorageBenchmark{Status: v1alpha1.StorageBenchmarkStatus{Targets: []v1alpha1.TargetStatus{status}}}}
			run := timed{
				target: target{Name: "a"}, run: &v1alpha1.Run{Clients: test.clients},
				Direction: &series.Direction{IOPS: series.Rate{Mean: []float64{10, 30}}, BytesPerSecond: series.Rate{Mean: []float64{10 * test.block, 30 * test.block}}},
			}
			labels := func(metric string, unit wording.Unit) (all []string) {
				p := plotted{unit: unit, Lines: []timeline{{Y: []rounded{1e9}}}}
				for _, rule := range r.rules(p, []timed{run}, metric, test.of) {
					all = append(all, rule.Text)
				}
				return all
			}
			if diff := cmp.Diff(test.iops, labels(metricIOPS, wording.Unit{Name: "IOPS", Size: 1})); diff != "" {
				t.Errorf("IOPS (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.bandwidth, labels(metricBandwidth, wording.BandwidthUnit(mib))); diff != "" {
				t.Errorf("bandwidth (-want +got):\n%s", diff)
			}
		})
	}
}
