package controllers

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// silence is between an operator and the API server. From when it falls, watches of a resource stay open and deliver
// nothing.
type silence struct {
	base     http.RoundTripper
	resource string
	fall     sync.Once
	fallen   chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (s *silence) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.base.RoundTrip(request)
	if err == nil && request.URL.Query().Get("watch") != "" && strings.HasSuffix(request.URL.Path, "/"+s.resource) {
		response.Body = &quiet{ReadCloser: response.Body, fallen: s.fallen, done: request.Context().Done()}
	}
	return response, err
}

// quiet is the answer to a watch.
type quiet struct {
	io.ReadCloser
	fallen, done <-chan struct{}
}

// Read implements io.Reader.
func (q *quiet) Read(p []byte) (int, error) {
	n, err := q.ReadCloser.Read(p)
	select {
	case <-q.fallen:
		<-q.done
		return 0, io.ErrUnexpectedEOF
	default:
		return n, err
	}
}

// newSilentWorld makes a world with an operator whose watch of pods becomes silent when the test says so.
func newSilentWorld(t *testing.T) (w *testWorld, fall func()) {
	t.Helper()
	w = newWorldWithoutOperator(t)
	s := &silence{resource: "pods", fallen: make(chan struct{})}
	way := envtest.OperatorConfig(w)
	way.Wrap(func(base http.RoundTripper) http.RoundTripper {
		s.base = base
		return s
	})
	w.startOperatorAs(way, interceptor.Funcs{})
	return w, func() { s.fall.Do(func() { close(s.fallen) }) }
}

// A run whose pod ends while the watch of pods is silent keeps its result. The Job tells of the end, but not while a
// sidecar runs on: then the pod is read anew before the run is given up, because its log is silent as well.
func TestSilentWatchOfPods(t *testing.T) {
	t.Parallel()
	done := fakecluster.Succeed(builder.Report())
	for name, test := range map[string]struct {
		outcome fakecluster.Outcome
		step    time.Duration
	}{
		"the Job ends":            {done, time.Second},
		"a sidecar keeps the Job": {done.BesideSidecar(), time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w, fall := newSilentWorld(t)
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
			w.untilStep(sb, v1alpha1.ReasonMeasuring)
			fall()
			for _, pod := range w.runPods() {
				w.silent.Store(pod.Name, true)
			}
			w.Cluster.AllPods(test.outcome)

			w.passUntil(test.step, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			}, sb)
			if err := wantRun(w.Get(sb), v1alpha1.RunSucceeded, 1, 0); err != nil {
				t.Error(err)
			}
		})
	}
}
