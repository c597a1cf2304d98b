package hostile

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/extent"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// unanswered is for how long the operator may not answer its kubelet, which ends it after three probes at intervals of 20 s.
const unanswered = 40 * time.Second

const (
	// objectsVariable has so many objects of each kind made.
	objectsVariable = "STORAGEBENCH_HOSTILE_OBJECTS"
	// kindsVariable has only those kinds made whose names match a regular expression.
	kindsVariable = "STORAGEBENCH_HOSTILE_KINDS"
)

// objects returns how many hostile objects there are of each kind.
func objects() int {
	if n, err := strconv.Atoi(os.Getenv(objectsVariable)); err == nil && n > 0 {
		return n
	}
	if extent.IsAll() {
		return 200
	}
	return 2
}

// chosenKinds returns the kinds that are made.
func chosenKinds(t *testing.T) []kind {
	t.Helper()
	chosen, err := regexp.Compile(os.Getenv(kindsVariable))
	if err != nil {
		t.Fatalf("%s: %v", kindsVariable, err)
	}
	return slices.DeleteFunc(kinds(), func(k kind) bool { return !chosen.MatchString(k.name) })
}

// disturbance is the time between two disturbances of all objects of a kind: what is measured is the operator, not the API server.
func disturbance() time.Duration {
	return max(time.Second, time.Duration(objects())*50*time.Millisecond)
}

// An operator as the chart installs it lives on beside all hostile objects at once, within its memory, and serves an honest
// benchmark in another namespace.
func TestHostileObjects(t *testing.T) {
	limit := memoryLimit(t)
	honest := newTenant(t)
	serveLogs(t, honest.Client)
	program := buildOperator(t)
	p := startOperator(t, program, limit)
	serve(honest, p, "alone")
	most := p.mostMemory(t)
	t.Logf("%-40s %4d MiB", "alone", most>>20)
	var later []func()
	for _, k := range chosenKinds(t) {
		p.forgetMost(t)
		began := time.Now()
		switch disturb := meet(t, p, k); {
		case disturb == nil:
		case objects() > fewObjects:
			later = append(later, disturb)
		default:
			disturb()
		}
		peak := p.mostMemory(t)
		most = max(most, peak)
		t.Logf("%-40s %4d MiB, met after %.1f s", k.name, peak>>20, time.Since(began).Seconds())
	}
	for _, disturb := range later {
		disturb()
	}
	p.forgetMost(t)
	if len(later) > 0 { // the honest benchmark takes seconds, in which few are disturbed
		p.serves(honest, func() error { return atLeast(disturbed.Load(), enoughDisturbed) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	var worst time.Duration
	var watching sync.WaitGroup
	watching.Go(func() { worst = p.watchHealth(ctx) })
	took := serve(honest, p, "beside")
	cancel()
	watching.Wait()
	peak := p.mostMemory(t)
	most = max(most, peak)
	t.Logf("%-40s %4d MiB", "all, and an honest benchmark", peak>>20)
	p.end()
	p = startOperator(t, program, limit)
	serve(honest, p, "anew")
	peak = p.mostMemory(t)
	most = max(most, peak)
	t.Logf("%-40s %4d MiB", "started anew, and an honest benchmark", peak>>20)
	t.Logf("%d objects of each kind: at most %d of %d MiB; the honest benchmark took %.1f s; no answer to probes for %s at most",
		objects(), most>>20, limit>>20, took.Seconds(), worst.Round(time.Millisecond))
	if most > limit {
		t.Errorf("the operator takes %d MiB, more than its limit, %d MiB", most>>20, limit>>20)
	}
	if worst > unanswered {
		t.Errorf("the operator does not answer for %s: its kubelet ends it", worst)
	}
}

// fewObjects is up to how many objects of a kind are disturbed as soon as the operator has met them. More are disturbed when it has met all kinds: the API server
// and the rest of the cluster, which is played, would need hours for those that come after.
const fewObjects = 20

// enoughDisturbed is how many of many objects are disturbed before the honest benchmark is served beside them.
const enoughDisturbed = 50

// atLeast returns an error as long as there are fewer than wanted.
func atLeast(n, wanted int64) error {
	if n < wanted {
		return fmt.Errorf("%d of %d objects are disturbed", n, wanted)
	}
	return nil
}

// meet makes the objects of a kind and waits until the operator has met them all. It returns what has them disturbed from then on, nil if nothing does.
func meet(t *testing.T, p *process, k kind) (disturb func()) {
	t.Helper()
	n := newTenant(t)
	n.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	if k.pods != nil {
		n.Cluster.OnPod(k.pods)
	}
	for i := range objects() {
		k.make(n, i)
	}
	p.meets(n, k.met)
	if k.disturb == nil {
		return nil
	}
	return func() { inBackground(t, func(ctx context.Context) { k.disturb(ctx, n) }, disturbance()) }
}

// serve has the operator serve an honest benchmark, and returns how long that took.
func serve(n *harness.World, p *process, name string) time.Duration {
	n.Helper()
	began := time.Now()
	sb := create(n, builder.OneRun(n.Namespace, name).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())
	p.serves(n, func() error {
		if err := n.Client.Get(n.Context(), client.ObjectKeyFromObject(sb), sb); err != nil {
			return err
		}
		if err := isAt(v1alpha1.ReasonCompleted)(sb); err != nil {
			return fmt.Errorf("%s: %w, with conditions %v", name, err, sb.Status.Conditions)
		}
		return nil
	})
	return time.Since(began)
}
