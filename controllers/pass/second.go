package pass

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A second operator that works on the same benchmarks holds a lease in a namespace of its own, which this operator may
// not read. Its writes of statuses give it away: only operators write statuses, and one operator makes one pass over a
// benchmark at a time. So if a write fails because the benchmark has a newer version, and the status in that version
// differs from the one that this pass has read, another operator has written it.

// SecondOperator is the reason of the event that reports another operator.
const SecondOperator = "SecondOperator"

const secondOperator = "Another operator of storagebench has written the status of this benchmark " +
	"while this one works on it: " +
	"kubectl get leases -A lists the lease storagebench.storagebench.dev once for each installation; " +
	"remove one, or give them different namespaces"

// statusWrites is what is remembered of the writes of a benchmark's status to notice another writer.
type statusWrites struct {
	// outdated is the version that a pass has read whose write of the status came too late, nil if the last write did not.
	outdated *v1alpha1.StorageBenchmark
	// isUnsure reports whether a write that failed may have been stored, as when its answer was lost.
	isUnsure bool
	// IsShared reports whether another operator has written the status.
	IsShared bool
}

// NoteWrite notes what became of a write of the status by a pass that had read a version of the benchmark. isRead is
// false if the pass may have read an older version than there was, or a part of the benchmark.
func (s *statusWrites) NoteWrite(before *v1alpha1.StorageBenchmark, isRead bool, err error) {
	switch {
	case err == nil:
		s.outdated, s.isUnsure = nil, false
	case !apierrors.IsConflict(err):
		s.isUnsure = true
	case !s.isUnsure && isRead: // the newer status can be no other pass's of this operator
		s.outdated = before
	}
}

// IsForeign reports whether another operator has written the status since the pass whose write came too late.
func (s *statusWrites) IsForeign(current *v1alpha1.StorageBenchmark) bool {
	before := s.outdated
	if before == nil || before.UID != current.UID || before.ResourceVersion == current.ResourceVersion {
		return false
	}
	s.outdated = nil
	return !equality.Semantic.DeepEqual(before.Status, current.Status)
}

// NoticeSecond reports whether another operator works on a benchmark, and tells of it by an event and in the log, once
// for each benchmark.
func (s *statusWrites) NoticeSecond(
	ctx context.Context, recorder events.EventRecorder, sb *v1alpha1.StorageBenchmark,
) bool {
	if !s.IsForeign(sb) {
		return false
	}
	if !s.IsShared {
		s.IsShared = true
		ctrl.LoggerFrom(ctx).Info(secondOperator)
		recorder.Eventf(sb, nil, corev1.EventTypeWarning, SecondOperator, "Reconcile", "%s", secondOperator)
	}
	return true
}
