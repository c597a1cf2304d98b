package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/harness"
)

// newTenant makes a namespace, and has its cluster play by the machine's time, which is the operator's.
func newTenant(t *testing.T) *harness.World {
	t.Helper()
	n := harness.New(t)
	n.Wait.Interval = max(500*time.Millisecond, disturbance()/2)              // what is looked at is large
	n.Wait.Patience = await.Patience + time.Duration(objects())*5*time.Second // of the API server, more than of the operator
	inBackground(t, func(context.Context) { n.Clock.Pass(0) }, 200*time.Millisecond)
	return n
}

// inBackground does something again and again until the test ends, with an interval between.
func inBackground(t *testing.T, do func(context.Context), interval time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var doing sync.WaitGroup
	doing.Go(func() {
		for {
			do(ctx)
			select {
			case <-ctx.Done():
				return
			case <-time.After(interval):
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		doing.Wait()
	})
}

// mergePatch patches an object as a tenant does who does not mind who else does.
func mergePatch(ctx context.Context, c client.Client, object client.Object, patch map[string]any) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, text))
}

// serves waits until the check has nothing to say against what it sees, as long as the operator lives.
func (p *process) serves(n *harness.World, check func() error) {
	n.Helper()
	n.Eventually(func() error {
		p.check(n.T)
		return check()
	})
}

// each returns an error for the first benchmark of the namespace that is not as the check wants it.
func each(n *harness.World, check func(*v1alpha1.StorageBenchmark) error) error {
	n.Helper()
	var list v1alpha1.StorageBenchmarkList
	if err := n.Client.List(n.Context(), &list, client.InNamespace(n.Namespace)); err != nil {
		return err // of an API server that has too much to do
	}
	for i := range list.Items {
		if err := check(&list.Items[i]); err != nil {
			return fmt.Errorf("%s: %w, with conditions %.500v", list.Items[i].Name, err, list.Items[i].Status.Conditions)
		}
	}
	return nil
}

// isAt says why a benchmark is at none of the steps.
func isAt(reasons ...string) func(*v1alpha1.StorageBenchmark) error {
	return func(sb *v1alpha1.StorageBenchmark) error {
		c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded)
		for _, reason := range reasons {
			if c != nil && c.Reason == reason {
				return nil
			}
		}
		return fmt.Errorf("is at none of %v", reasons)
	}
}

// isGone says that a benchmark, which is there, is not gone.
func isGone(*v1alpha1.StorageBenchmark) error { return errors.New("is not gone") }

// hasRun says why no run has ended.
func hasRun(sb *v1alpha1.StorageBenchmark) error {
	if sb.Status.FinishedRuns == 0 {
		return fmt.Errorf("no run has ended")
	}
	return nil
}

// hasBegun says why the operator has not looked at a benchmark.
func hasBegun(sb *v1alpha1.StorageBenchmark) error {
	if len(sb.Status.Conditions) == 0 {
		return errors.New("has not begun")
	}
	return nil
}

// tellsOfEvents says why a benchmark tells nothing of hostile events.
func tellsOfEvents(sb *v1alpha1.StorageBenchmark) error {
	if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded); c == nil || !strings.Contains(c.Message, "Hostile: eee") {
		return errors.New("tells nothing of events")
	}
	return nil
}
