package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What a probe shows outweighs what is documented of the storage, and nothing else.
func TestProbed(t *testing.T) {
	gp3 := taking(4000, 4000, v1alpha1.KnownLimits{Source: "AWS", Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 << 20))}})
	settings := gp3.DeepCopy()
	settings.Source = "spec.targets[].limits"
	// A result with 32 in flight, and a probe with 64.
	type measured struct {
		*v1alpha1.Result
		probe *v1alpha1.ProbeResult
	}
	result := func(iops int64, probe v1alpha1.ProbeResult) measured {
		probe.InFlight = 64
		probe.BytesPerSecond = probe.IOPS() * 4096
		return measured{&v1alpha1.Result{
			Figures:             []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: iops * 60, Bytes: iops * 60 * 4096, MilliIOPS: 1000 * iops, BytesPerSecond: iops * 4096, Latency: &v1alpha1.Latency{MeanNanoseconds: 32_000_000_000 / iops}}},
			ElapsedMilliseconds: 60_000,
		}, &probe}
	}
	probeOf := func(iops, mean int64) v1alpha1.ProbeResult {
		return v1alpha1.ProbeResult{Figures: v1alpha1.Figures{MilliIOPS: 1000 * iops, Latency: &v1alpha1.Latency{MeanNanoseconds: mean}}}
	}
	full := func(iops int64) v1alpha1.ProbeResult {
		return probeOf(iops, 64_000_000_000/iops)
	}
	busy := full(2100)
	busy.CPUPercent = 99
	crowded := full(2100)
	crowded.CPUPercent = 6
	idle := probeOf(2000, 16_000_000)
	for name, test := range map[string]struct {
		result   measured
		limits   *v1alpha1.KnownLimits
		load     Load
		reason   string
		evidence v1alpha1.Evidence
		message  string
		usual    int64
	}{
		"no more, and no limit known":    {result(2000, full(2020)), nil, Load{}, v1alpha1.BoundStorage, v1alpha1.EvidenceProbe, "each in 31.7ms instead of 16ms: the storage, or the path to it, can do no more; it is uncertain which limit: no limits", 0},
		"no more, far from the limit":    {result(2000, full(2100)), gp3, Load{}, v1alpha1.BoundStorage, v1alpha1.EvidenceProbe, "can do no more", 0},
		"no more, at the limit":          {result(2980, full(3000)), gp3, Load{}, v1alpha1.BoundVolumeIOPS, v1alpha1.EvidenceProbe, "and this confirms it", 0},
		"twice as much":                  {result(2000, full(4000)), nil, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceProbe, "more jobs or a higher iodepth get more", 0},
		"more, at what is documented":    {result(2980, full(5000)), gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceProbe, "instead of 2980", 0},
		"a little more":                  {result(2000, full(2400)), gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceDocumentation, "a limit is near", 0},
		"no more, for want of CPU":       {result(2000, busy), nil, Load{}, v1alpha1.BoundUnknown, "", "each of its jobs used 99 % of a CPU", 0},
		"no more, for want of all CPUs":  {result(2000, crowded), gp3, Load{Jobs: 16, ProbeJobs: 32}, v1alpha1.BoundLatency, v1alpha1.EvidenceDocumentation, "it used 192 % of CPU, and its container may use 200 %", 0},
		"no more, with CPU to spare":     {result(2000, crowded), gp3, Load{Jobs: 16, ProbeJobs: 16}, v1alpha1.BoundStorage, v1alpha1.EvidenceProbe, "can do no more", 0},
		"no more, for want of I/Os":      {result(2000, idle), nil, Load{}, v1alpha1.BoundUnknown, "", "only 32 of its 64 I/Os were in flight", 0},
		"less":                           {result(2000, full(1700)), gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceDocumentation, "it did less than the run, 1700 IOPS instead of 2000", 0},
		"of an unusual run":              {result(1900, full(3000)), gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceDocumentation, "its run had 1900 IOPS, and the median of all repetitions is 2998", 2_998_000},
		"of a usual run":                 {result(1900, full(3000)), gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceProbe, "did 3000 IOPS instead of 1900", 2_000_000},
		"by the workload's own rate":     {result(2000, full(4000)), nil, Load{RateIOPS: 2000}, v1alpha1.BoundWorkloadRate, "", "2000 of the workload's 2000 IOPS", 0},
		"no probe, a documented limit":   {measured{result(2980, full(1)).Result, nil}, gp3, Load{}, v1alpha1.BoundVolumeIOPS, v1alpha1.EvidenceDocumentation, "of the volume's 3000 IOPS", 0},
		"no probe, a limit of the spec":  {measured{result(2980, full(1)).Result, nil}, settings, Load{}, v1alpha1.BoundVolumeIOPS, v1alpha1.EvidenceSettings, "of the volume's 3000 IOPS", 0},
		"no probe, below all the limits": {measured{result(2000, full(1)).Result, nil}, gp3, Load{}, v1alpha1.BoundLatency, v1alpha1.EvidenceDocumentation, "try more jobs", 0},
	} {
		test.load.InFlight = 32
		bound := Judge(test.result.Result, Known{Storage: test.limits, Probe: test.result.probe}, test.load, Client{CPUMillis: 2000}, test.usual)
		if bound.Reason != test.reason || bound.Evidence != test.evidence || !strings.Contains(bound.Message, test.message) {
			t.Errorf("%s: %s by %q: %s", name, bound.Reason, bound.Evidence, bound.Message)
		}
		if len(bound.Message) > 512 {
			t.Errorf("%s: the message has %d characters", name, len(bound.Message))
		}
	}
}
