package analysis

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// rungOf is a case with so many I/Os in flight, the rates of its repetitions, and the verdict on each.
func rungOf(axis string, value, inFlight int64, bound v1alpha1.LimitedBy, rates ...int64) *Rung {
	r := &Rung{Axis: axis, Value: value, InFlight: inFlight}
	for _, iops := range rates {
		result := &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(iops, 4096, inFlight*1_000_000_000/iops).As(v1alpha1.OperationRead))}
		r.Results, r.Bounds = append(r.Results, result), append(r.Bounds, new(bound))
	}
	return r
}

func jobs(numjobs int64, reason string, rates ...int64) *Rung {
	return rungOf(AxisJobs, numjobs, numjobs, v1alpha1.LimitedBy{Reason: reason, Message: "before"}, rates...)
}

func nodes(clients int64, reason string, rates ...int64) *Rung {
	return rungOf(AxisClients, clients, 40*clients, v1alpha1.LimitedBy{Reason: reason, Message: "before"}, rates...)
}

// A case with twice the I/Os in flight is a probe of the one before.
func TestClimb(t *testing.T) {
	const latency, queue, unknown, storage = v1alpha1.BoundLatency, v1alpha1.BoundQueue, v1alpha1.BoundUnknown, v1alpha1.BoundStorage
	const volume = v1alpha1.BoundVolumeIOPS
	bySelf := jobs(8, volume, 2000)
	bySelf.Bounds[0].Evidence = v1alpha1.EvidenceVolume
	spent := jobs(16, volume, 2000)
	spent.Bounds[0].Message = "100 of the volume's 100 IOPS that remain without burst credits"
	idle := rungOf(AxisDepth, 32, 32, v1alpha1.LimitedBy{Reason: unknown}, 2000)
	idle.Results[0].Figures[0].Latency.MeanNanoseconds = 8_000_000 // 16 in flight
	busy := jobs(16, unknown, 2000)
	busy.Results[0].CPU = &v1alpha1.CPUResult{UserPercent: 50, SystemPercent: 49}
	for name, test := range map[string]struct {
		rungs []*Rung
		// want is the verdict of each case, with its evidence where that is of the matrix, and says a part of the first message.
		want, says string
	}{
		"twice as much":                        {[]*Rung{jobs(8, unknown, 1000), jobs(16, unknown, 2000)}, "Latency/Probe|Unknown", "numjobs=16 did 2000 IOPS with 16 I/Os in flight, each in 8ms, where this did 1000 IOPS with 8, each in 8ms: the time that each I/O takes held the result back, and more jobs get more"},
		"no more":                              {[]*Rung{jobs(8, latency, 1000), jobs(16, queue, 1050)}, "Storage/Probe|Storage/Probe", "the storage, or the path to it, can do no more"},
		"no more, and what was unknown before": {[]*Rung{jobs(8, unknown, 1000), jobs(16, unknown, 1000)}, "Storage/Probe|Storage/Probe", "it is uncertain which limit: before"},
		"a little more":                        {[]*Rung{jobs(8, latency, 1000), jobs(16, latency, 1200)}, "Latency|Latency", "latency holds it back in part, and a limit is near"},
		"less":                                 {[]*Rung{jobs(8, latency, 1000), jobs(16, latency, 800)}, "Latency|Latency", "before"},
		"at a known limit":                     {[]*Rung{jobs(8, volume, 3000), jobs(16, volume, 3010)}, "VolumeIOPS/Probe|VolumeIOPS", "and this confirms it"},
		"more than a known limit":              {[]*Rung{jobs(8, volume, 1000), jobs(16, volume, 1900)}, "Latency/Probe|VolumeIOPS", "more jobs get more"},
		"not twice the I/Os":                   {[]*Rung{jobs(8, latency, 1000), jobs(12, latency, 1000)}, "Latency|Latency", "before"},
		"the nearest that has twice":           {[]*Rung{jobs(8, latency, 1000), jobs(12, latency, 1400), jobs(16, latency, 1900), jobs(64, latency, 1950)}, "Latency/Probe|Latency/Probe|Storage/Probe|Storage/Probe", "numjobs=16"},
		"it grows, and then no more":           {[]*Rung{jobs(8, latency, 1000), jobs(16, latency, 1900), jobs(32, queue, 2000)}, "Latency/Probe|Storage/Probe|Storage/Probe", "numjobs=16"},
		"no more, and then more":               {[]*Rung{jobs(8, latency, 1000), jobs(16, latency, 1000), jobs(32, latency, 2000)}, "Storage/Probe|Latency/Probe|Latency", "numjobs=16"},
		"a queue that more jobs get more of":   {[]*Rung{jobs(8, queue, 1000), jobs(16, queue, 1500)}, "Queue|Queue", "before; numjobs=16 did 1500 IOPS"},
		"by its own rate":                      {[]*Rung{jobs(8, v1alpha1.BoundWorkloadRate, 1000), jobs(16, unknown, 1000)}, "WorkloadRate|Unknown", "before"},
		"for want of CPU":                      {[]*Rung{jobs(8, latency, 1000), jobs(16, v1alpha1.BoundClientCPU, 1000)}, "Latency|ClientCPU", "before"},
		"each job busy":                        {[]*Rung{jobs(8, latency, 2000), busy}, "Latency|Unknown", "before"},
		"not in flight":                        {[]*Rung{rungOf(AxisDepth, 16, 16, v1alpha1.LimitedBy{Reason: latency, Message: "before"}, 2000), idle}, "Latency|Unknown", "before"},
		"EBS itself says":                      {[]*Rung{bySelf, jobs(16, volume, 2000)}, "VolumeIOPS|VolumeIOPS", "before"},
		"credits ran out between":              {[]*Rung{jobs(8, latency, 2000), spent}, "Latency|VolumeIOPS", "before"},
		"an unusual repetition":                {[]*Rung{jobs(8, latency, 1000, 1010, 1500), jobs(16, latency, 1000, 1000, 1010)}, "Storage/Probe|Storage/Probe|Latency|Storage/Probe|Storage/Probe|Storage/Probe", "numjobs=16 did 1000 IOPS"},
		"two clients read no more (E4)":        {[]*Rung{nodes(1, queue, 3500), nodes(2, queue, 3500)}, "Storage/Probe|Storage/Probe", "clients=2 did 3500 IOPS"},
		"two clients do half as much again":    {[]*Rung{nodes(1, queue, 2000), nodes(2, queue, 3000)}, "Queue|Queue", "before; clients=2 did 3000 IOPS"},
		"two clients do twice as much":         {[]*Rung{nodes(1, latency, 2000), nodes(2, latency, 4000)}, "Latency|Latency", "before; clients=2 did 4000 IOPS"},
		"depth": {[]*Rung{rungOf(AxisDepth, 1, 4, v1alpha1.LimitedBy{Reason: unknown}, 1000), rungOf(AxisDepth, 32, 128, v1alpha1.LimitedBy{Reason: unknown}, 9000)},
			"Latency/Probe|Unknown", "a higher iodepth gets more"},
		"a load of unknown size": {[]*Rung{rungOf(AxisDepth, 1, 0, v1alpha1.LimitedBy{Reason: unknown, Message: "before"}, 1000), rungOf(AxisDepth, 32, 0, v1alpha1.LimitedBy{Reason: unknown}, 1000)},
			"Unknown|Unknown", "before"},
	} {
		Climb(test.rungs)
		var got []string
		for _, r := range test.rungs {
			for _, bound := range r.Bounds {
				text := bound.Reason
				if bound.Evidence == v1alpha1.EvidenceProbe {
					text += "/Probe"
				}
				got = append(got, text)
				if len(bound.Message) > maxMessage {
					t.Errorf("%s: the message has %d bytes", name, len(bound.Message))
				}
			}
		}
		if first := test.rungs[0].Bounds[0].Message; strings.Join(got, "|") != test.want || !strings.Contains(first, test.says) {
			t.Errorf("%s: %s: %s; want %s: ...%s", name, strings.Join(got, "|"), first, test.want, test.says)
		}
	}
}

// Each client of several that share a limit does less than one alone.
func TestSharedByClients(t *testing.T) {
	one, two := nodes(1, v1alpha1.BoundQueue, 2000), nodes(2, v1alpha1.BoundQueue, 3000)
	Climb([]*Rung{one, two})
	const want = "each of the clients does 75 % of what each of clients=1 did: what holds them back is shared"
	if got := two.Bounds[0].Message; !strings.Contains(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
	apart := nodes(2, v1alpha1.BoundQueue, 3900)
	Climb([]*Rung{nodes(1, v1alpha1.BoundQueue, 2000), apart})
	if got := apart.Bounds[0].Message; strings.Contains(got, "shared") {
		t.Errorf("clients of which each does 98 %%: %s", got)
	}
}
