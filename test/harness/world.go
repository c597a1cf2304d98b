// Package harness is what tests of the operator are built on, wherever that runs: a namespace of a real API server, with a cluster that
// plays along, a clock, and waits for what becomes of benchmarks.
package harness

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// lookAnyway is how often a test looks for what it waits for where the cluster tells of no change, as of an event.
const lookAnyway = 100 * time.Millisecond

// World is a namespace with a cluster that plays along. Operators are the test's own.
type World struct {
	*testing.T
	Client    client.WithWatch
	Cluster   *fakecluster.Cluster
	Namespace string
	// Clock is the cluster's, and the operator's if that runs in the test. It stands still until it is told otherwise.
	Clock *fakecluster.Clock
	// Wait is how the test waits.
	Wait await.Wait
}

// New makes a namespace and has a cluster play there until the test ends.
func New(t *testing.T) *World {
	t.Helper()
	w := &World{T: t, Client: envtest.Client(t), Clock: fakecluster.NewClock()}
	w.Namespace = envtest.Namespace(t, w.Client)
	w.Cluster = fakecluster.Start(t, w.Namespace, w.Clock)
	w.Wait = await.Wait{Interval: lookAnyway, Changed: w.Cluster.Changed}
	return w
}

// Image is the runner's, which no kubelet pulls.
func Image() job.Image { return job.Image{Name: "runner:test", PullPolicy: corev1.PullIfNotPresent} }

// Run runs an operator's manager, unless setting it up has failed, until the test ends or what it returns is called.
func (w *World) Run(mgr manager.Manager, err error) (stop func()) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context())) // it ends in Cleanup, and not before
	var working sync.WaitGroup
	working.Go(func() {
		if err := mgr.Start(ctx); err != nil {
			w.Errorf("operator: %v", err)
		}
	})
	stop = func() {
		cancel()
		working.Wait()
	}
	w.Cleanup(stop)
	return stop
}

// NewInformer makes an informer for a cache.
type NewInformer = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

// Manager makes the manager of an operator that reaches the API server by the config, and sees the namespace. The function
// makes the informers of its cache.
func (w *World) Manager(way *rest.Config, informer NewInformer) (manager.Manager, error) {
	return ctrl.NewManager(way, ctrl.Options{
		Scheme: envtest.Scheme(),
		// Each manager would ask for all kinds that there are.
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return envtest.Mapper(w), nil },
		Cache:          cache.Options{DefaultNamespaces: map[string]cache.Config{w.Namespace: {}}, NewInformer: informer},
		Metrics:        metricsserver.Options{BindAddress: "0"},
		Controller:     config.Controller{SkipNameValidation: new(true)},
	})
}

// Create creates an object and returns it as the API server has it.
func Create[T client.Object](w *World, object T) T {
	w.Helper()
	if err := w.Client.Create(w.Context(), object); err != nil {
		w.Fatalf("%.2000v", err) // of an object that is large the error is so, too
	}
	return object
}

// Eventually waits until the check has nothing to say against what it sees.
func (w *World) Eventually(check func() error) {
	w.Helper()
	w.Wait.Holds(w.T, check)
}

// Get returns the benchmark as the API server has it.
func (w *World) Get(sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	w.Helper()
	current := &v1alpha1.StorageBenchmark{}
	if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(sb), current); err != nil {
		w.Fatal(err)
	}
	return current
}

// Until waits until a benchmark is as the check wants it, and returns it. The API server is asked when what the cluster has heard of the
// benchmark is so.
func (w *World) Until(sb *v1alpha1.StorageBenchmark, check func(*v1alpha1.StorageBenchmark) error) *v1alpha1.StorageBenchmark {
	w.Helper()
	var current *v1alpha1.StorageBenchmark
	w.Eventually(func() error {
		for _, reader := range []client.Reader{w.Cluster.Heard(), w.Client} {
			current = &v1alpha1.StorageBenchmark{}
			if err := reader.Get(w.Context(), client.ObjectKeyFromObject(sb), current); err != nil {
				return err
			}
			if err := check(current); err != nil {
				return fmt.Errorf("%w, with conditions %s and runs %+v", err, Conditions(current), current.Status.Runs)
			}
		}
		return nil
	})
	return current
}

// UntilEnded waits until a benchmark has ended, however that is, and returns it.
func (w *World) UntilEnded(sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	w.Helper()
	return w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if !sb.Status.HasEnded() {
			return fmt.Errorf("%s has not ended", sb.Name)
		}
		return nil
	})
}

// Conditions returns a benchmark's conditions as one line of text.
func Conditions(sb *v1alpha1.StorageBenchmark) string {
	var texts []string
	for _, c := range sb.Status.Conditions {
		texts = append(texts, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(texts, " | ")
}
