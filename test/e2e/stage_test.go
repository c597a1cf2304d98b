//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/turns"
)

// Every test begins with one of these, which says what it shares with others and gives it a namespace of its own:
//
//	sideBySide(t)                              // on nodes that it shares with others
//	ownNode(t)                                 // on a node that no other test uses meanwhile
//	alone(t)                                   // while no other test runs, after all others
//	ownNode(t, shares(theFileSystem), load(3), budget(4*time.Minute))
//	sideBySide(t, ownOperator())               // with an operator that it can kill while others run
//
// Tests that measure figures which other work would change say so by their load. Those that stop what all of the cluster needs, or
// need an operator of the whole cluster to change or to stop it, are alone.

const (
	// machineLoad is how much load two processors bear. A load of 1 is a pod after the other with small I/O.
	machineLoad = 10
	// figures is the load of a test that looks at figures, which others would change if they left no processor idle: it takes
	// up to a third of two itself, and as much is left.
	figures = 4
	// sharedNodes is how many nodes the tests share that need none of their own: two, for benchmarks of two clients.
	sharedNodes = 2
	// leastNodes leaves two nodes for tests that need their own.
	leastNodes = sharedNodes + 2
	// usualBudget is how long a test may take that says nothing else.
	usualBudget = 3 * time.Minute
)

// nodeSelector is the annotation by which Kubernetes keeps the pods of a namespace on certain nodes.
const nodeSelector = "scheduler.alpha.kubernetes.io/node-selector"

// namespacePrefix is that of all namespaces of tests.
const namespacePrefix = "storagebench-e2e-"

// Nodes have a label of this domain for each test that has them to itself, and sharedLabel for all others.
const (
	labelDomain = "e2e.storagebench.dev/"
	sharedLabel = labelDomain + "shared"
)

// What there is one of.
const (
	// theFileSystem is taken by a test that stops it, and shared by all others that use it.
	theFileSystem = "file system"
	// itsLimits are taken by tests that need all that the file system can do.
	itsLimits = "what the file system can do"
	// healthyNodes is taken by tests that expect the scheduler to say why nodes do not fit, and shared by those whose nodes
	// are not ready meanwhile, which it would say as well.
	healthyNodes = "healthy nodes"
)

// claim is what a test takes.
type claim struct {
	turns.Claim
	// besides says that the test can use shared nodes beside its own.
	besides bool
	// confined says that the test has an operator of its own, which is confined to its namespace, and values are the chart's for that.
	confined bool
	values   []string
	// prepare is what the test does while it waits for its turn.
	prepare func()
}

func budget(d time.Duration) func(*claim) { return func(c *claim) { c.Budget = d } }
func load(n int) func(*claim)             { return func(c *claim) { c.Load = n } }
func takes(thing string) func(*claim)     { return func(c *claim) { c.Takes = append(c.Takes, thing) } }
func shares(thing string) func(*claim)    { return func(c *claim) { c.Shares = append(c.Shares, thing) } }

// quiet is for a test whose figures depend on idle processors, such as latencies. It runs after all that are not quiet, at most two at a time, which leave more than a third of
// two processors idle.
func quiet(c *claim) { c.Quiet, c.Load = true, machineLoad/2 }

// quietest is quiet, with a load that leaves no room for another test.
func quietest(c *claim) { c.Quiet, c.Load = true, machineLoad }

// twoNodes has a test have two nodes of its own.
func twoNodes(c *claim) { c.Nodes = 2 }

// waits is the load of a test that does next to nothing but wait for a deadline or an error.
func waits(c *claim) { c.Load = 0 }

// early has the test be one of those that tell soonest that something is wrong.
func early(c *claim) { c.First = true }

// besidesShared lets the pods of a test with a node of its own go to the shared ones too, as when its own is lost.
func besidesShared(c *claim) { c.besides = true }

// ownOperator gives a test an operator of its own, with such values of the chart, which is confined to the test's namespace. The
// operator of the whole cluster leaves that to it. So it can be killed, or have another image, while others run. What it does not
// do, because it sees nothing outside of its namespace, is in internal/owned.
func ownOperator(values ...string) func(*claim) {
	return func(c *claim) { c.confined, c.values = true, values }
}

// prepares has the test build something while it waits for its turn.
func prepares(what func()) func(*claim) { return func(c *claim) { c.prepare = what } }

func sideBySide(t *testing.T, options ...func(*claim)) {
	t.Helper()
	enter(t, &claim{}, options)
}

func ownNode(t *testing.T, options ...func(*claim)) {
	t.Helper()
	enter(t, &claim{Claim: turns.Claim{Nodes: 1}}, options)
}

func alone(t *testing.T, options ...func(*claim)) {
	t.Helper()
	enter(t, &claim{Claim: turns.Claim{Alone: true}}, options)
}

var (
	// queue has the tests take turns.
	queue *turns.Queue
	// stages are those of the tests that run, by the names of the tests.
	stages sync.Map
)

// stage is where a test takes place.
type stage struct {
	mu sync.Mutex
	// namespaces are the test's own, which go at its end. Most tests have one.
	namespaces []string
	// directories are the names of those of the test's benchmarks on storage.
	directories []string
	// nodes are those that the test's pods can go to, its own first.
	nodes []string
	// selector is of the label of these nodes, empty for all nodes. Kubernetes puts it into the pods of the namespaces, so that
	// it holds for those of users' commands too.
	selector string
	// confined says that the test's operator sees its namespace alone, and so no volume.
	confined bool
	// time ends when the test has used up its budget.
	time context.Context
}

// enter waits for the test's turn, and sets its stage.
func enter(t *testing.T, c *claim, options []func(*claim)) {
	t.Helper()
	c.Name, c.Load, c.Budget = t.Name(), 1, usualBudget
	for _, option := range options {
		option(c)
	}
	turn, err := queue.Register(c.Claim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(turn.End)
	name := newName()
	if c.confined {
		leftToOthers.add(name)
	}
	t.Parallel()
	began := time.Now()
	if err := leftToOthers.restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.prepare != nil {
		c.prepare()
	}
	own := turn.Await()
	t.Attr("waited", time.Since(began).Round(time.Millisecond).String()) // which is no part of what the test takes
	s := &stage{confined: c.confined}
	stages.Store(t.Name(), s)
	s.limit(t, c.Budget)
	s.choose(t, c, own)
	newNamespaceWithName(t, name)
	if c.confined {
		installOperator(t, c.values)
	}
}

// stageOf returns the stage of a test, which is also that of its subtests.
func stageOf(t *testing.T) *stage {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	s, ok := stages.Load(name)
	if !ok {
		t.Fatalf("%s does not begin with sideBySide, ownNode or alone", name)
	}
	return s.(*stage)
}

// namespaceOf returns the namespace of a test.
func namespaceOf(t *testing.T) string {
	t.Helper()
	return stageOf(t).all()[0]
}

// all returns the namespaces so far.
func (s *stage) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.namespaces)
}

// made notes that the test has made a benchmark.
func (s *stage) made(sb *v1alpha1.StorageBenchmark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.directories = append(s.directories, childmeta.Directory(sb))
}

// benchmarks returns the names of the directories of the benchmarks that the test has made.
func (s *stage) benchmarks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.directories)
}

// nodesOf returns the nodes that a test's pods can go to: its own first, if it has some.
func nodesOf(t *testing.T) []string {
	t.Helper()
	return stageOf(t).nodes
}

// choose says to which nodes the test's pods can go.
func (s *stage) choose(t *testing.T, c *claim, own []string) {
	t.Helper()
	shared := nodeNames[:sharedNodes]
	switch {
	case len(own) == 0 && c.Alone:
		s.nodes = nodeNames
	case len(own) == 0:
		s.nodes, s.selector = shared, sharedLabel
	default:
		s.nodes, s.selector = own, labelDomain+t.Name()
		if c.besides {
			s.nodes = slices.Concat(own, shared)
		}
		for _, node := range s.nodes {
			labelNode(t, node, s.selector)
		}
	}
}

// limit has the test fail when it has used up its budget: it shows how things are, and all that it waits for ends.
func (s *stage) limit(t *testing.T, budget time.Duration) {
	t.Helper()
	began := time.Now()
	over := fmt.Errorf("the test has used up its budget of %s", budget)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(t.Context()), budget, over)
	s.time = ctx
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(told)
		t.Error(over)
		s.dump(t)
	})
	t.Cleanup(func() {
		if !stop() {
			<-told
		}
		cancel()
		t.Logf("took %s of its budget of %s", time.Since(began).Round(time.Second), budget)
	})
}

// bounded returns the test's context, which ends with its budget.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := bind(t.Context(), t)
	t.Cleanup(cancel)
	return ctx
}

// bind has a context end with the test's budget, as soon as that has begun. In clean-up it does not, because that has to be
// done in any case.
func bind(ctx context.Context, t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	s, ok := stages.Load(name)
	if !ok || t.Context().Err() != nil {
		return context.WithCancel(ctx)
	}
	budget := s.(*stage).time
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(budget, func() { cancel(context.Cause(budget)) })
	return bound, func() {
		stop()
		cancel(nil)
	}
}

// dump logs how things are in the test's namespaces.
func (s *stage) dump(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, namespace := range s.all() {
		var benchmarks v1alpha1.StorageBenchmarkList
		var pods corev1.PodList
		if err := errors.Join(k8s.List(ctx, &benchmarks, client.InNamespace(namespace)), k8s.List(ctx, &pods, client.InNamespace(namespace))); err != nil {
			t.Logf("list what is in namespace %s: %v", namespace, err)
		}
		for i := range benchmarks.Items {
			dump(t, &benchmarks.Items[i])
		}
		for i := range pods.Items {
			pod := &pods.Items[i]
			t.Logf("pod %s on node %q: deleted %v, status %+v", pod.Name, pod.Spec.NodeName, pod.DeletionTimestamp, pod.Status)
		}
	}
}

// newNamespace makes a namespace that enforces the Pod Security Standard "restricted", for the test's nodes. It is removed when
// the test ends, and must be empty then of all that the operator makes.
func newNamespace(t *testing.T) *corev1.Namespace {
	t.Helper()
	return newNamespaceWithName(t, newName())
}

// newName returns a name for a namespace.
func newName() string { return namespacePrefix + rand.String(5) }

func newNamespaceWithName(t *testing.T, name string) *corev1.Namespace {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:        name,
		Labels:      map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
		Annotations: map[string]string{labelDomain + "test": t.Name()},
	}}
	s := stageOf(t)
	if s.selector != "" {
		ns.Annotations[nodeSelector] = s.selector + "=yes"
	}
	if err := k8s.Create(t.Context(), ns); err != nil {
		t.Fatalf("create a namespace: %v", err)
	}
	s.mu.Lock()
	s.namespaces = append(s.namespaces, ns.Name)
	s.mu.Unlock()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		checkEmpty(ctx, t, ns.Name)
		if err := client.IgnoreNotFound(k8s.Delete(ctx, ns)); err != nil {
			t.Errorf("delete namespace %s: %v", ns.Name, err)
		}
		leaving.Store(ns.Name, t.Name())
	})
	return ns
}

// leaving are the namespaces that were told to go, each with its test.
var leaving sync.Map

// awaitNamespaces waits until all namespaces of the tests are gone. Tests do not wait for it, because each takes Kubernetes
// some seconds.
func awaitNamespaces(ctx context.Context) error {
	return await.Wait{For: "namespaces to be gone", Patience: patience, Interval: pollInterval}.Until(ctx, func(ctx context.Context) error {
		var namespaces corev1.NamespaceList
		if err := k8s.List(ctx, &namespaces); err != nil {
			return await.Final(err)
		}
		left := map[string]string{}
		for i := range namespaces.Items {
			if test, ok := leaving.Load(namespaces.Items[i].Name); ok {
				left[namespaces.Items[i].Name] = test.(string)
			}
		}
		if len(left) > 0 {
			return fmt.Errorf("left are those of %v", left)
		}
		return nil
	})
}

// checkEmpty checks that nothing is left in or for a namespace of what the operator makes there.
func checkEmpty(ctx context.Context, t *testing.T, namespace string) {
	t.Helper()
	inside := []client.ListOption{client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelBenchmark}}
	outside := []client.ListOption{client.MatchingLabels{v1alpha1.LabelNamespace: namespace}}
	for _, kind := range []struct {
		list    client.ObjectList
		options []client.ListOption
	}{
		{&v1alpha1.StorageBenchmarkList{}, inside[:1]}, {&batchv1.JobList{}, inside}, {&corev1.PodList{}, inside},
		{&corev1.PersistentVolumeClaimList{}, inside}, {&corev1.ConfigMapList{}, inside},
		{&corev1.PersistentVolumeList{}, outside}, {&storagev1.StorageClassList{}, outside},
	} {
		if err := k8s.List(ctx, kind.list, kind.options...); err != nil {
			t.Errorf("list: %v", err)
		}
		if n := meta.LenList(kind.list); n > 0 {
			t.Errorf("the test leaves %d objects in %T", n, kind.list)
		}
	}
}
