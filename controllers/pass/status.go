package pass

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Changed reports whether this pass has found out something that is not saved yet.
func (s *Pass) Changed() bool {
	return !equality.Semantic.DeepEqual(s.Before.Status, s.SB.Status)
}

// Remaining returns how much time is left of a limit that counts from a time.
func (s *Pass) Remaining(since time.Time, limit attempt.Limit) time.Duration {
	return since.Add(limit.Duration()).Sub(s.Now.Time)
}

// Waits tells what the benchmark waits for.
func (s *Pass) Waits() *children.Waits {
	return &children.Waits{Children: s.Children, Now: s.Now.Time, BoundSince: s.Memory.BoundSince}
}

// Anchored reports whether the benchmark has anchors. The pod of a single run by one client can hold its node itself,
// unless its claim has to be bound before.
func (s *Pass) Anchored() bool {
	return len(s.SB.Status.Runs) > 1 || s.SB.Spec.MostClients() > 1 || len(s.SB.Status.Anchors) > 0
}

// HasNewFiles reports whether this pass has found out something about test files that is not saved yet.
func (s *Pass) HasNewFiles() bool {
	haveSameFiles := func(a, b v1alpha1.TargetStatus) bool { return a.TestFiles == b.TestFiles }
	return !slices.EqualFunc(s.Before.Status.Targets, s.SB.Status.Targets, haveSameFiles)
}

// SetCondition sets a condition of the benchmark.
func (s *Pass) SetCondition(kind string, status metav1.ConditionStatus, reason, message string) {
	if kind == v1alpha1.ConditionSucceeded {
		s.SB.Status.StepStartTime = s.stepStart(status, reason)
	}
	meta.SetStatusCondition(&s.SB.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: humanize.Fit(message, world.MaxConditionMessage),
		ObservedGeneration: s.SB.Generation,
		LastTransitionTime: s.Now, // kept as it is where the status is the same
	})
}

// stepStart returns when a step began: before this pass, if the benchmark was at it, or else now. It is nil at the end.
func (s *Pass) stepStart(status metav1.ConditionStatus, step string) *metav1.Time {
	if status != metav1.ConditionUnknown {
		return nil
	}
	began := cmp.Or(s.SB.Status.StepSince(step), s.Before.Status.StepSince(step), &s.Now)
	return began.DeepCopy()
}

// Step tells users which step the benchmark is at.
func (s *Pass) Step(reason, message string) {
	s.SetCondition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

// Fail ends measuring. Runs that have not ended stay as they are; results are kept.
func (s *Pass) Fail(reason, message string) {
	s.Children.NoteUnseen(s.SB.Status.RunningRun(), &s.Memory.OwnAttempt)
	s.SetCondition(v1alpha1.ConditionMeasured, metav1.ConditionFalse, reason, message)
}
