package disk

import (
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// Exceeded is for how long more was asked of a volume than its budget allows.
type Exceeded struct {
	IOPS       time.Duration `json:"iops"`
	Throughput time.Duration `json:"throughput"`
}

// meter measures for how long I/Os wait for the budget.
type meter struct {
	Exceeded

	// until is until when the I/Os that came wait for the one and for the other limit.
	iopsUntil, throughputUntil time.Time
}

// note takes down until when an I/O that comes now waits for each limit.
func (m *meter) note(now, byIOs, byBytes time.Time) {
	m.IOPS += extend(&m.iopsUntil, now, byIOs)
	m.Throughput += extend(&m.throughputUntil, now, byBytes)
}

// extend returns how much longer a wait becomes.
func extend(until *time.Time, now, later time.Time) time.Duration {
	from := pace.Latest(*until, now)
	*until = pace.Latest(*until, later)
	return max(0, until.Sub(from))
}
