package world

import (
	"sync"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// World is all that a pass acts with: the API server, logs, events and the time. It knows the benchmark's namespace and
// nothing else of the benchmark.
type World struct {
	// Namespace is the benchmark's.
	Namespace string
	// Client reads benchmarks and their children from a cache, and writes.
	Client client.Client
	// Live reads from the API server what is not cached, or must not be stale.
	Live client.Reader
	// Caches are those that Client reads from. nil: they have no budget.
	Caches *Caches
	// Merging is held while the series of several clients are merged.
	Merging *sync.Mutex
	// Logs reads the logs of pods.
	Logs LogReader
	// Events tells users what happened.
	Events events.EventRecorder
	// Clock is the time.
	Clock clock.Clock
	// Image is the runner's.
	Image job.Image
	// EBSMetricsURL is where pods of benchmarks ask what EBS itself says of their volumes. "": they do not ask.
	EBSMetricsURL string
	// Namespaces are those that the operator is confined to, none if it works in the whole cluster.
	Namespaces owned.Namespaces
	// nodes are the labels of nodes that this pass has read, by their names.
	nodes map[string]map[string]string
}
