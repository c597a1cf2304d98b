package controllers

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// minRetry and maxRetry are how soon a pass that met an error is repeated: each time half as soon, so that an API
	// server that is busy is left alone, but soon enough that deadlines are kept.
	minRetry = 100 * time.Millisecond
	maxRetry = 15 * time.Second
	// quietErrors is how long errors may go on before users are told. Most are over by then.
	quietErrors = 10 * time.Second
)

// resultPatience is how long errors may keep the result of a run from being taken, of calls that it does not depend on.
const resultPatience = time.Minute

// retryAfterErrors says when a pass that met an error is repeated.
func retryAfterErrors() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetry, maxRetry)
}

// guarded makes a pass, of which a fault in the operator itself is an error like others: it has a deadline, users are told,
// and what the pass had begun to write into the status is dropped.
func (s *scope) guarded(ctx context.Context) (result ctrl.Result, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.sb.Status = *s.before.Status.DeepCopy()
			err = fmt.Errorf("fault in the operator, please report it with its log: %v", fault)
			ctrl.LoggerFrom(ctx).Error(err, "A pass ended in a fault", "stack", string(debug.Stack()))
		}
	}()
	return s.pass(ctx)
}

// noteError tells users of errors that go on from pass to pass, and ends measuring when that has lasted for as long as patience
// says: what the benchmark wants is not going to happen. Clean-up has a deadline of its own.
func (s *scope) noteError(err error) {
	if err == nil {
		s.memory.failingSince = time.Time{}
		meta.RemoveStatusCondition(&s.sb.Status.Conditions, v1alpha1.ConditionRetrying)
		return
	}
	since := s.firstError()
	s.memory.failingSince = since
	if s.Clock.Since(since) < quietErrors {
		return
	}
	s.setCondition(v1alpha1.ConditionRetrying, metav1.ConditionTrue, v1alpha1.ReasonError, err.Error())
	meta.FindStatusCondition(s.sb.Status.Conditions, v1alpha1.ConditionRetrying).LastTransitionTime = metav1.NewTime(since)
	if from, limit, what := s.patience(since); !s.concluded() && s.deadline(from, limit) <= 0 {
		s.fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s for %d s; the last error: %v", what, ptr.Deref(limit, 0), err))
	}
}

// patience returns from when on, and for how long, errors may go on that began at a time. A wait has its own deadline, which
// the errors may keep from being looked at: they neither shorten it nor make it longer.
func (s *scope) patience(since time.Time) (from time.Time, limit *int32, what string) {
	d := s.sb.Spec.Deadlines
	if wait := s.nodeWait(); wait.Waits() {
		return wait.Since, d.NodeSeconds, "waited for a node"
	}
	if began := s.provisioningSince(); began != nil {
		return began.Time, d.ProvisioningSeconds, "waited for a volume"
	}
	return since, d.StartSeconds, "errors went on"
}

// provisioningSince returns since when the benchmark waits for volumes: to be admitted, or to be made for a pod. It is nil if it does not.
func (s *scope) provisioningSince() *metav1.Time {
	if refused := s.sb.Status.StorageRefusedSince; refused != nil {
		return refused
	}
	if run := s.runningRun(); run != nil {
		if s.lacksVolume(run.Target) {
			return run.StartTime
		}
		return nil
	}
	for i := range s.sb.Status.Anchors {
		if a := &s.sb.Status.Anchors[i]; a.StartTime != nil && a.Node == "" && slices.ContainsFunc(s.sb.Spec.Targets, s.anchorLacksVolume) {
			return a.StartTime
		}
	}
	return nil
}

// lacksVolume says whether a claim of a target is there, and has no volume yet.
func (s *scope) lacksVolume(target string) bool {
	for name, claim := range s.claims {
		if s.claimTargets[name] == target && claim.Status.Phase != corev1.ClaimBound {
			return true
		}
	}
	return false
}

// anchorLacksVolume says the same of a target whose volumes anchors mount.
func (s *scope) anchorLacksVolume(target v1alpha1.Target) bool {
	return !s.isLeftToRuns(&target) && s.lacksVolume(target.Name)
}

// isResultLate says whether errors have kept the result of a run from being taken for so long that it is taken without what
// the calls were to add to it: it must not be lost to them.
func (s *scope) isResultLate() bool { return s.Clock.Since(s.firstError()) >= resultPatience }

// firstError returns since when each pass has met an error, also if that was seen by an operator before this one.
func (s *scope) firstError() time.Time {
	if since := s.memory.failingSince; !since.IsZero() {
		return since
	}
	if told := s.condition(v1alpha1.ConditionRetrying); told.Status == metav1.ConditionTrue {
		return told.LastTransitionTime.Time
	}
	return s.Clock.Now()
}
