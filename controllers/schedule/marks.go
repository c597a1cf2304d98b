package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
)

// A StorageBenchmark that needs no point any more is marked, by an annotation. Otherwise an operator that has just
// begun would take one whose point was dropped for one that has just ended.

// markAll marks StorageBenchmarks in the order in which they ended, up to the first that cannot be marked for now.
func markAll(ctx context.Context, p *pass, all []schedule.Benchmark, then func(schedule.Benchmark)) error {
	for _, b := range all {
		if err := markKept(ctx, p, b); err != nil {
			return err
		}
		then(b)
	}
	return nil
}

// markKept marks a StorageBenchmark. Where a policy refuses that, the operator remembers it until it ends. The mark is
// the UID, so that a copy of a StorageBenchmark has none.
func markKept(ctx context.Context, p *pass, b schedule.Benchmark) error {
	if b.Marked {
		return nil
	}
	object := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: p.schedule.Namespace, Name: b.Name}}
	// The API server refuses the patch for a StorageBenchmark of the same name with another UID.
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"annotations":{%q:%[1]q}}}`, b.UID, v1alpha1.AnnotationHistoryKept)
	err := p.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !isRefusal(err) {
		return fmt.Errorf("nothing is deleted, because StorageBenchmark %s cannot be marked with annotation %s: %w",
			b.Name, v1alpha1.AnnotationHistoryKept, err)
	}
	return nil
}

// unmarkedSince returns when the oldest benchmark ended that is in a history which has dropped points, if no benchmark
// is marked: an earlier version of the operator marked none, and a policy or a webhook may prevent a mark. A benchmark
// that ended before has left a point that was dropped. It returns zero if that cannot be said.
func unmarkedSince(p *pass, h *history.History) time.Time {
	if len(h.Points) == 0 || h.Points[0].Sequence == 1 || h.Points[0].Time.After(p.now) || anyIsMarked(p) {
		return time.Time{}
	}
	return h.Points[0].Time
}

// anyIsMarked reports whether there is a StorageBenchmark whose mark says that its point is kept.
func anyIsMarked(p *pass) bool {
	return slices.ContainsFunc(p.facts(), func(b schedule.Benchmark) bool { return b.Marked })
}
