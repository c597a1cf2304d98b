package schedule

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// quietErrors is how long a start may fail before users are told. Most errors are over by then.
const quietErrors = time.Minute

// noteFailure notes that a start cannot be made for an error that is no refusal, such as that of a webhook that cannot
// be reached. Users are told when that has gone on for quietErrors, or at once if the next try comes as late.
func noteFailure(p *pass, err error) {
	if err == nil {
		return
	}
	since := p.memory.failed.since
	if since.IsZero() || since.After(p.now) {
		since = p.now
	}
	p.memory.failed = failedStart{err: err, since: since, due: p.due, generation: p.schedule.Generation}
	if p.now.Sub(since) >= quietErrors || restAfter(p.startTook) >= quietErrors {
		failStart(p, err.Error()+"; it is tried again")
	}
}

// forgetFailure forgets that starts have failed, when the status has what became of them.
func forgetFailure(p *pass) { p.memory.failed = failedStart{} }

// hasFailedForGood reports whether a start of this spec failed until its deadline had passed.
func hasFailedForGood(p *pass) bool {
	failed, deadline := &p.memory.failed, time.Duration(ptr.Deref(p.schedule.Spec.StartingDeadlineSeconds, 0))*time.Second
	hasFailed := failed.err != nil && failed.generation == p.schedule.Generation
	return hasFailed && deadline > 0 && !failed.due.IsZero() && p.now.Sub(failed.due) > deadline
}

// failStart says why a start could not be made.
func failStart(p *pass, why string) {
	p.setCondition(v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartFailed, why)
	meta.RemoveStatusCondition(&p.schedule.Status.Conditions, v1alpha1.ConditionStalled)
}
