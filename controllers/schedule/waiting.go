package schedule

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
)

// noteWaiting notes since when a result is waited for. Nobody waits for one while the schedule is suspended: what was
// waited before counts on when it is resumed, so that nobody puts an alert off for ever who suspends it for an hour
// each night.
func noteWaiting(p *pass) {
	status, since := &p.schedule.Status, waitingSince(p)
	suspended := ptr.Deref(p.schedule.Spec.Suspend, false)
	if status.SuspendedSince == nil {
		status.SuspendedSince = suspendedSince(p, suspended)
	}
	if !suspended && status.SuspendedSince != nil {
		since = since.Add(max(p.now.Sub(schedule.Later(since, status.SuspendedSince.Time)), 0))
		status.SuspendedSince = nil
	}
	setWaitingSince(p, since)
}

// suspendedSince returns since when a schedule is suspended, nil if it is not: from now on, or, where an operator of a
// version before has noted no more than that, since that was noted.
func suspendedSince(p *pass, suspended bool) *metav1.Time {
	c := p.before.Status.Condition(v1alpha1.ConditionScheduled)
	switch {
	case p.before.Status.WaitingSince == nil && c.Reason == v1alpha1.ReasonSuspended &&
		!schedule.IsAhead(c.LastTransitionTime.Time, p.now):
		return c.LastTransitionTime.DeepCopy()
	case suspended:
		return new(metav1.NewTime(p.now))
	}
	return nil
}

// noteResult notes that the history has the result of a benchmark that has ended.
func noteResult(p *pass, ended time.Time) {
	setWaitingSince(p, schedule.Later(waitingSince(p), ended))
}

// waitingSince returns the noted time. The status of an earlier version has only the last success. A time that was
// noted while the clock was ahead is not used, because alerts would wait until it comes.
func waitingSince(p *pass) time.Time {
	status, since := &p.schedule.Status, p.schedule.CreationTimestamp.Time
	if noted := status.WaitingSince; noted != nil {
		since = noted.Time
	} else if success := status.LastSuccessfulTime; success != nil && !schedule.IsAhead(success.Time, p.now) {
		since = schedule.Later(since, success.Time)
	}
	if schedule.IsAhead(since, p.now) {
		return p.now
	}
	return since
}

func setWaitingSince(p *pass, since time.Time) {
	p.schedule.Status.WaitingSince = new(metav1.NewTime(since.Truncate(time.Second)))
}
