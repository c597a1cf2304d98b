package disk

import "time"

const (
	// exceededOver is the time over which work is averaged before it is compared with the budget: the kernel lets it through in slices of 100 ms.
	exceededOver = 500 * time.Millisecond
	// exceededPart is the part of the budget from which on it counts as used up: such an average of work that the kernel holds back goes up and
	// down by a tenth.
	exceededPart = 0.85
)

// Exceeded is for how long a volume did all that its budget allows, so that more was asked for.
type Exceeded struct{ IOPS, Throughput time.Duration }

// meter measures for how long a budget is used up.
type meter struct {
	average  Rate
	exceeded Exceeded
}

// note takes down what was done in a time, and what the budget was.
func (m *meter) note(done Work, budget Rate, passed time.Duration) {
	m.average = blend(m.average, Rate{IOs: done.IOs / passed.Seconds(), Bytes: done.Bytes / passed.Seconds()}, passed, exceededOver)
	if m.average.IOs >= exceededPart*budget.IOs {
		m.exceeded.IOPS += passed
	}
	if m.average.Bytes >= exceededPart*budget.Bytes {
		m.exceeded.Throughput += passed
	}
}

// Exceeded returns for how long each volume that is in use has used up its budget since it has been, by the IDs of the volumes.
func (v *Volumes) Exceeded() map[string]Exceeded {
	v.throttle.mu.Lock()
	defer v.throttle.mu.Unlock()
	all := map[string]Exceeded{}
	for id, volume := range v.throttle.shared {
		all[id] = volume.meter.exceeded
	}
	return all
}
