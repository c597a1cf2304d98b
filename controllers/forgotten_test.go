package controllers

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/extent"
)

// olderOperator stands for an operator of an older version beside the one that is tested. It follows the first write of
// a field of the status with a write of its own: it writes lists as a whole, and so drops a field that it does not
// know.
type olderOperator struct {
	base    http.RoundTripper
	world   *testWorld
	unknown []string // the path of the field
	// hasDone reports whether it has tried that. The API server refuses a status without certain fields.
	hasDone atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (o *olderOperator) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := o.base.RoundTrip(request)
	isWrite := request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, "/status")
	if err != nil || !isWrite || response.StatusCode != http.StatusOK || o.hasDone.Load() {
		return response, err
	}
	return response, retry.RetryOnConflict(retry.DefaultRetry, func() error { return o.write(request.Context()) })
}

func (o *olderOperator) write(ctx context.Context) error {
	sb := &unstructured.Unstructured{}
	sb.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	if err := o.world.Client.Get(ctx, client.ObjectKey{Namespace: o.world.Namespace, Name: "sb"}, sb); err != nil {
		return err
	}
	if !removeField(sb.Object, o.unknown) {
		return nil
	}
	err := o.world.Client.Status().Update(ctx, sb)
	if apierrors.IsConflict(err) {
		return err
	}
	o.hasDone.Store(true)
	return client.IgnoreNotFound(ignoreInvalid(err))
}

func ignoreInvalid(err error) error {
	if apierrors.IsInvalid(err) {
		return nil
	}
	return err
}

// removeField removes a field, in all elements of lists, and reports whether it was there.
func removeField(value any, path []string) (found bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			found = removeField(item, path) || found
		}
	case map[string]any:
		if len(path) > 1 {
			return removeField(value[path[0]], path[1:])
		}
		_, found = value[path[0]]
		delete(value, path[0])
	}
	return found
}

// alwaysForgotten are the fields that are tried for each commit, of those that say how far a run and its nodes are.
var alwaysForgotten = []string{
	"status.anchors", "status.anchors.node", "status.runs.job", "status.runs.agreedStart", "status.targets.claims",
}

// What an operator of an older version drops from the status, once, is found out anew: all runs get their results. A
// result that was dropped is missed, and the benchmark says so.
func TestFieldThatAnOlderOperatorDrops(t *testing.T) {
	whole, definition := newOldWorld(t, "")
	whole.untilEnd(create(whole, twoClients(whole)), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	for i, path := range slices.Sorted(maps.Keys(definition.written)) {
		// Results and comparisons decide nothing.
		if strings.HasPrefix(path, "status.conditions") || strings.Count(path, ".") > 2 {
			continue
		}
		if !slices.Contains(alwaysForgotten, path) && (extent.Hash(path)+extent.Seed()+uint64(i))%30 != 0 && !extent.IsAll() {
			continue
		}
		t.Run(path, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			older := &olderOperator{world: w, unknown: strings.Split(path, ".")}
			way := envtest.OperatorConfig(w)
			way.Wrap(func(base http.RoundTripper) http.RoundTripper {
				older.base = base
				return older
			})
			w.startOperatorAs(way, interceptor.Funcs{})
			sb := create(w, twoClients(w))
			w.passUntil(15*time.Second, func() error {
				if current := w.Get(sb); !current.Status.HasEnded() {
					return fmt.Errorf("it has not ended: %+v", current.Status.Conditions)
				}
				return nil
			}, sb)
			checkForgotten(w, older, path, w.Get(sb))
		})
	}
}

// checkForgotten checks how a benchmark has ended of whose status a field was dropped.
func checkForgotten(w *testWorld, older *olderOperator, path string, ended *v1alpha1.StorageBenchmark) {
	w.Helper()
	if !older.hasDone.Load() && slices.Contains(alwaysForgotten, path) {
		w.Error("the field was never dropped")
	}
	end := ended.Status.Condition(v1alpha1.ConditionSucceeded)
	if isLost := path == "status.runs" || path == "status.runs.result"; isLost {
		if end.Status != metav1.ConditionFalse || !strings.Contains(end.Message, "has no result of run") {
			w.Errorf("it ended with %s %s: %s", end.Status, end.Reason, end.Message)
		}
		return
	}
	if end.Reason != v1alpha1.ReasonCompleted {
		w.Errorf("it ended with %s %s: %s", end.Status, end.Reason, end.Message)
	}
	for i := range ended.Status.Runs {
		if run := &ended.Status.Runs[i]; run.State != v1alpha1.RunSucceeded || run.Result == nil {
			w.Errorf("run %+v", run)
		}
	}
	w.delete(ended)
	w.untilGone(ended)
}
