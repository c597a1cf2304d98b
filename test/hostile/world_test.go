package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	n.Wait.Interval = max(500*time.Millisecond, disturbance()/2)                                            // what is looked at is large
	n.Wait.Patience = await.Patience + time.Duration(objects())*5*time.Second                               // of the API server, more than of the operator
	inBackground(t, func(context.Context) { n.Clock.Pass(0) }, max(200*time.Millisecond, disturbance()/10)) // at each all pods are looked at
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

// create creates an object and returns it as the API server has it. An API server that has too much to do is asked again.
func create[T client.Object](n *harness.World, object T) T {
	n.Helper()
	n.Eventually(func() error {
		err := n.Client.Create(n.Context(), object)
		if apierrors.IsAlreadyExists(err) { // by a try that timed out
			err = n.Client.Get(n.Context(), client.ObjectKeyFromObject(object), object)
		}
		return unlessTransient(err)
	})
	return object
}

// unlessTransient ends a wait with an error that asking again does not mend. The error of a large object is large too.
func unlessTransient(err error) error {
	if err == nil {
		return nil
	}
	short := fmt.Errorf("%.2000s", err.Error())
	if await.IsTransient(err) {
		return short
	}
	return await.Final(short)
}

// disturbing lets one disturbance happen at a time. The API server takes a processor one to three seconds for an object of 1 MiB, and keeps all
// versions of the last 75 s in its memory. With disturbances of all kinds at once it would do nothing else.
var disturbing sync.Mutex

// disturbed is how many objects were disturbed.
var disturbed atomic.Int64

// disturb patches an object as soon as no other one is disturbed, and then leaves the API server alone for twice as long as that took. The patch may fail,
// and come too late.
func disturb(ctx context.Context, n *harness.World, object client.Object, patch map[string]any) {
	if ctx.Err() != nil { // at the end of the test, when many wait for their turn
		return
	}
	disturbing.Lock()
	defer disturbing.Unlock()
	began := time.Now()
	_ = mergePatch(ctx, n.Client, object, patch)
	disturbed.Add(1)
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Since(began)):
	}
}

// meets waits until each benchmark of the namespace is as the check wants it, or is gone. One that was so is not looked at again: it may be large.
func (p *process) meets(n *harness.World, check func(*v1alpha1.StorageBenchmark) error) {
	n.Helper()
	var left metav1.PartialObjectMetadataList
	left.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmarkList"))
	n.Eventually(func() error {
		return unlessTransient(n.Client.List(n.Context(), &left, client.InNamespace(n.Namespace)))
	})
	p.serves(n, func() error {
		for ; len(left.Items) > 0; left.Items = left.Items[1:] {
			if err := isMet(n, left.Items[0].Name, check); err != nil {
				return err
			}
		}
		return nil
	})
}

// isMet says why a benchmark is not as the check wants it.
func isMet(n *harness.World, name string, check func(*v1alpha1.StorageBenchmark) error) error {
	n.Helper()
	sb := &v1alpha1.StorageBenchmark{}
	if err := n.Client.Get(n.Context(), client.ObjectKey{Namespace: n.Namespace, Name: name}, sb); err != nil {
		return client.IgnoreNotFound(err)
	}
	if err := check(sb); err != nil {
		return fmt.Errorf("%s: %w, with conditions %.500v", name, err, sb.Status.Conditions)
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
