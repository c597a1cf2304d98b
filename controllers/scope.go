package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/namespaced"
	"github.com/storagebench/storagebench/internal/plan"
)

// scope is what a pass over a benchmark knows: what was read, and the status as the phases change it. Its methods only look at that. A writer changes it.
type scope struct {
	// now is when the pass began, and so the time of what it read. Who needs to know how long a call took, or sets a time ahead, asks the
	// clock.
	now metav1.Time
	// memory is what earlier passes over the benchmark have left for this one.
	memory *memory
	// plans has the plans of benchmarks that are under way.
	plans *planCache
	// namespaces are those that the operator is confined to, none if it works in the whole cluster.
	namespaces namespaced.Namespaces

	sb     *v1alpha1.StorageBenchmark
	before *v1alpha1.StorageBenchmark

	runs []plan.Run
	// Children are as the cache has them, but for claims that were read since. Their Benchmark is sb.
	children.Children
	// kept are volumes that were not made for the benchmark, to which claims of it were bound.
	kept cleanup.Kept
	// searchEnded says whether this pass has found the answer of a search.
	searchEnded bool
	// awaitsEnd says whether this pass waits for pods to end.
	awaitsEnd bool
	// nodes are the labels of nodes that this pass has read, by their names.
	nodes map[string]map[string]string
}

// changed says whether this pass has found out something that is not saved yet.
func (s *scope) changed() bool {
	return !equality.Semantic.DeepEqual(s.before.Status, s.sb.Status)
}

// remaining returns how much time is left of a limit that counts from a time.
func (s *scope) remaining(since time.Time, limit attempt.Limit) time.Duration {
	return since.Add(limit.Duration()).Sub(s.now.Time)
}

// waits tells what the benchmark waits for.
func (s *scope) waits() *children.Waits {
	return &children.Waits{Children: s.Children, Now: s.now.Time, BoundSince: s.memory.boundSince}
}

// unlessGone wraps an error, and drops one that says that the object is gone: then somebody else was faster.
func unlessGone(err error, doing string) error {
	if err = client.IgnoreNotFound(err); err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// The most bytes of a message that an anchor, and that a condition keeps, and of an error that goes on.
const (
	maxAnchorMessage    = 256
	maxConditionMessage = 4096
	maxErrorMessage     = 1024
)
