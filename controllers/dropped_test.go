package controllers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/extent"
)

// olderDefinition stands between an operator and the API server for a CustomResourceDefinition without one field of the
// status. It answers a strict write of that field as the API server does, and drops the field from any other write.
type olderDefinition struct {
	base http.RoundTripper
	// lacks is the path of the field, such as status.runs.job; "": the definition has all fields.
	lacks string
	// refused is how many writes were refused.
	refused atomic.Int64

	mu sync.Mutex
	// written are the paths of all fields that were sent.
	written sets.Set[string]
}

// RoundTrip implements http.RoundTripper.
func (o *olderDefinition) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPatch || !strings.HasSuffix(request.URL.Path, "/status") {
		return o.base.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	found := o.drop("status", sent["status"])
	if found && request.URL.Query().Get("fieldValidation") == metav1.FieldValidationStrict {
		o.refused.Add(1)
		return refuse(request, o.lacks)
	}
	if found {
		if body, err = json.Marshal(sent); err != nil {
			return nil, err
		}
	}
	again := request.Clone(request.Context())
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return o.base.RoundTrip(again)
}

// drop removes the field that is lacking and reports whether it was there. It notes all fields that have a value.
func (o *olderDefinition) drop(path string, value any) (found bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			at := path + "." + name
			if field != nil {
				o.mu.Lock()
				o.written.Insert(at)
				o.mu.Unlock()
			}
			if at == o.lacks {
				delete(value, name)
				found = field != nil || found
			} else if o.drop(at, field) {
				found = true
			}
		}
	case []any:
		for _, item := range value {
			found = o.drop(path, item) || found
		}
	}
	return found
}

// refuse answers as the API server does, as test/oldcrd holds it to.
func refuse(request *http.Request, path string) (*http.Response, error) {
	status := apierrors.NewBadRequest(fmt.Sprintf(
		`StorageBenchmark in version "v1alpha1" cannot be handled as a StorageBenchmark: strict decoding error: unknown field %q`, path)).Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	text, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

// newOldWorld makes a world whose operator works with a definition that lacks a field.
func newOldWorld(t *testing.T, lacks string) (*testWorld, *olderDefinition) {
	t.Helper()
	w := newWorldWithoutOperator(t)
	definition := &olderDefinition{lacks: lacks, written: sets.New[string]()}
	way := envtest.OperatorConfig(w)
	way.Wrap(func(base http.RoundTripper) http.RoundTripper {
		definition.base = base
		return definition
	})
	w.startOperatorAs(way, interceptor.Funcs{})
	return w, definition
}

// twoClients is a benchmark that has runs, anchors, an agreed start and comparisons.
func twoClients(w *testWorld) *v1alpha1.StorageBenchmark {
	return builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Target(builder.NewTarget("slow")).
		Workload(builder.NewWorkload("reads")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Clients = new(int32(2))
		limit := new(int32(60))
		sb.Spec.Deadlines = v1alpha1.Deadlines{PodStartSeconds: limit, CleanUpSeconds: limit, ProvisioningSeconds: limit, WaitingForNodeSeconds: limit, RunCompletionSeconds: limit}
	}).Build()
}

// alwaysTried are fields of the status that are the operator's memory: it cannot go on without them.
var alwaysTried = []string{
	"status.runs", "status.anchors", "status.anchors.node", "status.anchors.startTime", "status.runs.state", "status.runs.job",
	"status.runs.agreedStart", "status.completionTime",
}

// A field that the API server does not know is an error with a deadline: the benchmark never counts as saved or
// completed, and ends.
func TestFieldThatTheDefinitionLacks(t *testing.T) {
	whole, definition := newOldWorld(t, "")
	whole.untilEnd(create(whole, twoClients(whole)), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	paths := slices.Sorted(maps.Keys(definition.written))
	for i, path := range paths {
		if strings.HasPrefix(path, "status.conditions") { // nothing could be told
			continue
		}
		if !slices.Contains(alwaysTried, path) && (extent.Hash(path)+extent.Seed()+uint64(i))%10 != 0 && !extent.IsAll() {
			continue
		}
		t.Run(path, func(t *testing.T) {
			w, definition := newOldWorld(t, path)
			sb := create(w, twoClients(w))
			w.Eventually(func() error {
				if definition.refused.Load() == 0 {
					return errors.New("nothing was refused")
				}
				return nil
			})
			w.passUntil(15*time.Second, func() error {
				if current := w.Get(sb); !current.Status.HasEnded() {
					return fmt.Errorf("it has not ended: %+v", current.Status.Conditions)
				}
				return nil
			}, sb)
			ended := w.Get(sb)
			if c := ended.Status.Condition(v1alpha1.ConditionSucceeded); !strings.Contains(c.Message, fmt.Sprintf("unknown field %q", path)) ||
				!strings.Contains(c.Message, "is older than this operator") {
				t.Errorf("it ended with %s %s: %s", c.Status, c.Reason, c.Message)
			}
			w.delete(ended)
			w.untilGone(ended)
		})
	}
	for _, path := range alwaysTried {
		if !slices.Contains(paths, path) {
			t.Errorf("%s was never written", path)
		}
	}
}
