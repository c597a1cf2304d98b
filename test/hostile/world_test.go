package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// patience is how long a test waits for what has to happen, on a machine that may have much else to do.
const patience = 5 * time.Minute

// tenant is a namespace with a cluster that plays along.
type tenant struct {
	*testing.T
	client    client.WithWatch
	cluster   *fakecluster.Cluster
	namespace string
}

// newTenant makes a namespace, and has its cluster play by the machine's time, which is the operator's.
func newTenant(t *testing.T) *tenant {
	t.Helper()
	c := envtest.Client(t)
	clock := fakecluster.NewClock()
	inBackground(t, func(context.Context) { clock.Pass(0) }, 200*time.Millisecond)
	namespace := envtest.Namespace(t, c)
	return &tenant{T: t, client: c, namespace: namespace, cluster: fakecluster.Start(t, namespace, clock)}
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

func create[T client.Object](n *tenant, object T) T {
	n.Helper()
	if err := n.client.Create(n.Context(), object); err != nil {
		n.Fatalf("%.300v", err)
	}
	return object
}

// mergePatch patches an object as a tenant does who does not mind who else does.
func mergePatch(ctx context.Context, c client.Client, object client.Object, patch map[string]any) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, text))
}

// eventually waits until the check has nothing to say against what it sees, as long as the operator lives.
func (n *tenant) eventually(p *process, check func() error) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; {
		p.check(n.T)
		changed := n.cluster.Changed()
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			n.Fatalf("after %s: %v", patience, err)
		}
		select {
		case <-changed:
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// each returns an error for the first benchmark of the namespace that is not as the check wants it.
func (n *tenant) each(check func(*v1alpha1.StorageBenchmark) error) error {
	n.Helper()
	var list v1alpha1.StorageBenchmarkList
	if err := n.client.List(n.Context(), &list, client.InNamespace(n.namespace)); err != nil {
		n.Fatal(err)
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

// hasRun says why no run has ended.
func hasRun(sb *v1alpha1.StorageBenchmark) error {
	if sb.Status.FinishedRuns == 0 {
		return fmt.Errorf("no run has ended")
	}
	return nil
}
