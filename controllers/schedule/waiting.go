package schedule

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/internal/schedule"
)

// noteWaiting notes since when a result is waited for. Nobody waits for one while the schedule is suspended: what was waited before counts on when it is resumed, so that
// nobody puts an alert off for ever who suspends it for an hour each night.
func (p *pass) noteWaiting() {
	status, since := &p.schedule.Status, p.waitingSince()
	switch suspended := ptr.Deref(p.schedule.Spec.Suspend, false); {
	case suspended && status.SuspendedSince == nil:
		status.SuspendedSince = new(metav1.NewTime(p.now))
	case !suspended && status.SuspendedSince != nil:
		since = since.Add(max(p.now.Sub(later(since, status.SuspendedSince.Time)), 0))
		status.SuspendedSince = nil
	}
	p.setWaitingSince(since)
}

// noteResult notes that the history has the result of a benchmark that has ended.
func (p *pass) noteResult(ended time.Time) { p.setWaitingSince(later(p.waitingSince(), ended)) }

// waitingSince returns what is noted. A status of a version before has the last success alone. What a clock noted that was ahead would keep alerts waiting for as long.
func (p *pass) waitingSince() time.Time {
	status, since := &p.schedule.Status, p.schedule.CreationTimestamp.Time
	if noted := status.WaitingSince; noted != nil {
		since = noted.Time
	} else if success := status.LastSuccessfulTime; success != nil && !schedule.IsAhead(success.Time, p.now) {
		since = later(since, success.Time)
	}
	if schedule.IsAhead(since, p.now) {
		return p.now
	}
	return since
}

func (p *pass) setWaitingSince(since time.Time) {
	p.schedule.Status.WaitingSince = new(metav1.NewTime(since.Truncate(time.Second)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
