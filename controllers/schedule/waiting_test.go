package schedule

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Results are waited for since the last one, or since the schedule was created, and not while it is suspended. Starts
// that are refused change nothing about that.
func TestNoteWaiting(t *testing.T) {
	const day = 24 * time.Hour
	created := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	type step struct {
		at     time.Duration
		do     string
		waited time.Duration
	}
	for name, steps := range map[string][]step{
		"no result":                   {{0, "", 0}, {day, "", day}, {9 * day, "", 9 * day}},
		"a result":                    {{day, "", day}, {2 * day, "result", 0}, {3 * day, "", day}},
		"a result of the day before":  {{2 * day, "late result", day}, {3 * day, "", 2 * day}},
		"refused for a minute a day":  {{day, "refuse", day}, {day + time.Minute, "make", day + time.Minute}, {2 * day, "refuse", 2 * day}, {2*day + time.Minute, "make", 2*day + time.Minute}},
		"suspended for an hour a day": {{day, "suspend", day}, {day + time.Hour, "resume", day}, {2 * day, "suspend", 2*day - time.Hour}, {2*day + time.Hour, "resume", 2*day - time.Hour}},
		"suspended for long":          {{0, "suspend", 0}, {90 * day, "resume", 0}, {91 * day, "", day}},
		"a result while suspended":    {{day, "suspend", day}, {2 * day, "result", 0}, {9 * day, "resume", 0}, {10 * day, "", day}},
		"the clock was ahead":         {{365 * day, "result", 0}, {day, "", 0}, {2 * day, "", day}},
		"suspended by such a clock":   {{365 * day, "suspend", 365 * day}, {day, "resume", day}, {3 * day, "", 3 * day}},
		"suspended by one behind":     {{-365 * day, "suspend", 0}, {day, "resume", 0}, {2 * day, "", day}},
	} {
		p := newWaiting(created)
		for n, step := range steps {
			p.now = created.Add(step.at)
			switch step.do {
			case "result":
				noteResult(p, p.now)
			case "late result":
				noteResult(p, p.now.Add(-day))
			case "refuse":
				refuseStart(p, "a quota")
			case "make":
				p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive, "")
			case "suspend", "resume":
				p.schedule.Spec.Suspend = new(step.do == "suspend")
			}
			noteWaiting(p)
			if waited := p.now.Sub(p.schedule.Status.WaitingSince.Time); waited != step.waited {
				t.Errorf("%s, step %d: it was waited for %s, want %s", name, n, waited, step.waited)
			}
		}
	}
}

// The status of a version before says nothing of when a result came but for the last success.
func TestNoteWaitingAfterAnUpgrade(t *testing.T) {
	created := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct{ success, want time.Time }{
		"a success":                         {created.Add(time.Hour), created.Add(time.Hour)},
		"one of a clock that was ahead":     {created.AddDate(1, 0, 0), created},
		"one that is older than the object": {created.Add(-time.Hour), created},
	} {
		p := newWaiting(created)
		p.now = created.Add(2 * time.Hour)
		p.schedule.Status.LastSuccessfulTime = new(metav1.NewTime(row.success))
		if noteWaiting(p); !p.schedule.Status.WaitingSince.Time.Equal(row.want) {
			t.Errorf("%s: since %s, want %s", name, p.schedule.Status.WaitingSince, row.want)
		}
	}
}

// What was suspended before an upgrade was not waited for, either.
func TestSuspendedBeforeAnUpgrade(t *testing.T) {
	const day = 24 * time.Hour
	created := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	p := newWaiting(created)
	p.schedule.Spec.Suspend = new(true)
	p.before.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionScheduled, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonSuspended, LastTransitionTime: metav1.NewTime(created.Add(day))}}
	p.now = created.Add(90 * day)
	noteWaiting(p)
	p.schedule.Spec.Suspend = new(false)
	noteWaiting(p)
	if waited := p.now.Sub(p.schedule.Status.WaitingSince.Time); waited != day {
		t.Errorf("it was waited for %s, want a day", waited)
	}
}

// newWaiting returns a pass over a schedule that was created then.
func newWaiting(created time.Time) *pass {
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)}}
	return &pass{schedule: s, before: s.DeepCopy()}
}

// So it is where it was resumed before the new version had a look.
func TestResumedBeforeAnUpgrade(t *testing.T) {
	const day = 24 * time.Hour
	created := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	p := newWaiting(created)
	p.before.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionScheduled, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonSuspended, LastTransitionTime: metav1.NewTime(created.Add(day))}}
	p.now = created.Add(90 * day)
	noteWaiting(p)
	if waited := p.now.Sub(p.schedule.Status.WaitingSince.Time); waited != day {
		t.Errorf("it was waited for %s, want a day", waited)
	}
}
