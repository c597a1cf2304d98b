package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestSaid: what EBS itself says of its limits outweighs what follows from figures.
func TestSaid(t *testing.T) {
	const latency = "16 of 16 I/Os were in flight all the time"
	figures := func(reason, message string) v1alpha1.LimitedBy {
		return v1alpha1.LimitedBy{Reason: reason, Message: message, Evidence: v1alpha1.EvidenceDocumentation}
	}
	for _, test := range []struct {
		name  string
		bound v1alpha1.LimitedBy
		said  *Exceeded
		want  string
	}{
		{"nothing", figures(v1alpha1.BoundLatency, latency), nil, "Latency Documentation " + latency},
		{"of no time", figures(v1alpha1.BoundLatency, latency), &Exceeded{VolumeIOPSMilliseconds: 5}, "Latency Documentation " + latency},
		{"the same", figures(v1alpha1.BoundVolumeIOPS, "3000 of the volume's 3000 IOPS (100 %)"), &Exceeded{VolumeIOPSMilliseconds: 58_000, RunMilliseconds: 60_000},
			"VolumeIOPS Volume 3000 of the volume's 3000 IOPS (100 %); the volume itself says so: the IOPS limit was exceeded for 97 % of the time"},
		{"the same, and another one for longer", figures(v1alpha1.BoundVolumeIOPS, "3000 of the volume's 3000 IOPS (100 %)"),
			&Exceeded{VolumeIOPSMilliseconds: 57_000, VolumeThroughputMilliseconds: 58_000, RunMilliseconds: 60_000},
			"VolumeIOPS Volume 3000 of the volume's 3000 IOPS (100 %); the volume itself says so: the IOPS limit was exceeded for 95 % of the time, and the throughput limit was exceeded for 97 % of the time"},
		{"not the same, and another one for some time", figures(v1alpha1.BoundVolumeIOPS, "2900 of the volume's 3000 IOPS (97 %)"),
			&Exceeded{VolumeThroughputMilliseconds: 12_000, RunMilliseconds: 60_000},
			"VolumeIOPS Documentation 2900 of the volume's 3000 IOPS (97 %); but the volume itself says that the IOPS limit was not exceeded, and the throughput limit was exceeded for 20 % of the time"},
		{"the same for some time", figures(v1alpha1.BoundVolumeIOPS, "2900 of the volume's 3000 IOPS (97 %)"), &Exceeded{VolumeIOPSMilliseconds: 12_000, RunMilliseconds: 60_000},
			"VolumeIOPS Documentation 2900 of the volume's 3000 IOPS (97 %); the volume itself says that the IOPS limit was exceeded for 20 % of the time"},
		{"not what a probe says", v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, Evidence: v1alpha1.EvidenceProbe, Message: "x"}, &Exceeded{VolumeIOPSMilliseconds: 45_000, RunMilliseconds: 60_000},
			"VolumeIOPS Volume the volume itself says that the IOPS limit was exceeded for 75 % of the time; by the probe alone it would be Latency: x"},
		{"another limit", figures(v1alpha1.BoundLatency, latency), &Exceeded{VolumeIOPSMilliseconds: 1000, InstanceThroughputMilliseconds: 45_500, RunMilliseconds: 60_000},
			"InstanceThroughput Volume the volume itself says that the instance's throughput limit was exceeded for 76 % of the time; by figures alone it would be Latency: " + latency},
		{"more than all the time", figures(v1alpha1.BoundUnknown, "x"), &Exceeded{VolumeThroughputMilliseconds: 61_000, RunMilliseconds: 60_000},
			"VolumeThroughput Volume the volume itself says that the throughput limit was exceeded for 100 % of the time; figures alone do not tell: x"},
		{"for some time", figures(v1alpha1.BoundLatency, latency), &Exceeded{InstanceIOPSMilliseconds: 12_000, RunMilliseconds: 60_000},
			"Latency Documentation " + latency + "; the volume itself says that the instance's IOPS limit was exceeded for 20 % of the time"},
		{"not at all", figures(v1alpha1.BoundLatency, latency), &Exceeded{VolumeIOPSMilliseconds: 100, RunMilliseconds: 60_000},
			"Latency Documentation " + latency + "; the volume itself says that no limit of a volume or of its instance was exceeded"},
		{"the contrary", figures(v1alpha1.BoundVolumeThroughput, "124 of the volume's 125 MiB/s (99 %)"), &Exceeded{RunMilliseconds: 60_000},
			"VolumeThroughput Documentation 124 of the volume's 125 MiB/s (99 %); but the volume itself says that no limit of a volume or of its instance was exceeded"},
		{"a rate that is kept", figures(v1alpha1.BoundWorkloadRate, "2999 of the workload's 3000 IOPS (100 %)"), &Exceeded{VolumeIOPSMilliseconds: 50_000, RunMilliseconds: 60_000},
			"WorkloadRate Documentation 2999 of the workload's 3000 IOPS (100 %); the volume itself says that the IOPS limit was exceeded for 83 % of the time"},
		{"two volumes", figures(v1alpha1.BoundVolumeIOPS, "6000 of the 2 volumes' 6000 IOPS (100 %)"), &Exceeded{VolumeIOPSMilliseconds: 110_000, RunMilliseconds: 120_000, Volumes: 2},
			"VolumeIOPS Volume 6000 of the 2 volumes' 6000 IOPS (100 %); the 2 volumes themselves say so: the IOPS limit was exceeded for 92 % of the time"},
		{"beside many words", figures(v1alpha1.BoundUnknown, strings.Repeat("m", 600)), &Exceeded{RunMilliseconds: 60_000},
			"Unknown Documentation " + strings.Repeat("m", 357) + "...; the volume itself says that no limit of a volume or of its instance was exceeded"},
	} {
		got := said(test.bound, test.said)
		if text := got.Reason + " " + string(got.Evidence) + " " + got.Message; text != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, text, test.want)
		}
	}
	got := Judge(ofAMinute(blocks(3000, 4096, 5_333_333), nil), Known{Storage: gp3, Exceeded: &Exceeded{VolumeIOPSMilliseconds: 59_000, RunMilliseconds: 60_000}}, Load{InFlight: 16, Jobs: 16}, Client{}, 0)
	if got.Reason != v1alpha1.BoundVolumeIOPS || got.Evidence != v1alpha1.EvidenceVolume || *got.LimitIOPS != 3000 {
		t.Errorf("the verdict is %+v", got)
	}
}

// At what remains without burst credits EBS' word decides what the bookkeeping of credits leaves open.
func TestSaidOfABaseline(t *testing.T) {
	full := &Credits{Before: 1, After: 1, BurstShare: 1}
	judge := func(said *Exceeded) v1alpha1.LimitedBy {
		return Judge(ofAMinute(blocks(300, 16<<10, 53_333_333), nil), Known{Storage: gp2Of100GiB, Credits: full, Exceeded: said}, Load{InFlight: 16, Jobs: 16}, Client{}, 0)
	}
	if got := judge(nil); got.Reason != v1alpha1.BoundUnknown {
		t.Errorf("without EBS' word the verdict is %+v", got)
	}
	const want = "300 of the volume's 300 IOPS that remain without burst credits (100 %); the volume itself says so: the IOPS limit was exceeded for 98 % of the time"
	got := judge(&Exceeded{VolumeIOPSMilliseconds: 59_000, RunMilliseconds: 60_000})
	if got.Reason != v1alpha1.BoundVolumeIOPS || got.Evidence != v1alpha1.EvidenceVolume || got.LimitIOPS == nil || *got.LimitIOPS != 300 || got.Message != want {
		t.Errorf("the verdict is %+v", got)
	}
	for name, said := range map[string]*Exceeded{
		"for little of the time": {VolumeIOPSMilliseconds: 20_000, RunMilliseconds: 60_000}, "of no time": {VolumeIOPSMilliseconds: 5}, "not at all": {RunMilliseconds: 60_000},
	} {
		if got := judge(said); got.Reason != v1alpha1.BoundUnknown {
			t.Errorf("%s: the verdict is %+v", name, got)
		}
	}
}
