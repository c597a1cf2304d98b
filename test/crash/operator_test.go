package crash

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/storagebench/storagebench/controllers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// operate has one operator after the other work until the test ends.
func (w *testWorld) operate() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for travel := ""; ctx.Err() == nil; {
			if err := w.live(ctx, travel); err != nil {
				w.Errorf("operator: %v", err)
				return
			}
			if ctx.Err() == nil {
				w.Clock.Step(w.disturbance.downtime)
				travel = w.past()
			}
		}
	}()
	w.Cleanup(func() {
		cancel()
		<-ended
	})
}

// live is the life of one operator, which knows nothing of those before. It ends with the context, or when it is killed.
func (w *testWorld) live(ctx context.Context, travel string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	operatorConfig := envtest.OperatorConfig(w)
	operatorConfig.Wrap(func(base http.RoundTripper) http.RoundTripper {
		return &life{wire: w.wire, base: base, end: cancel, travel: travel}
	})
	world.SlimAnswers(operatorConfig)
	mgr, err := w.Manager(operatorConfig, world.NewCaches(32<<20).NewInformer)
	if err != nil {
		return err
	}
	if err := w.setUp(ctx, mgr); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// setUpBenchmarks has a manager do what StorageBenchmarks say.
func (w *testWorld) setUpBenchmarks(_ context.Context, mgr manager.Manager) error {
	reconciler := &controllers.Reconciler{
		Client:  mgr.GetClient(),
		Live:    mgr.GetAPIReader(),
		Logs:    readLog,
		Events:  mgr.GetEventRecorder("storagebench"),
		Metrics: controllers.NewMetrics(prometheus.NewRegistry()),
		Clock:   w.Clock,
		Image:   harness.Image(),
	}
	return reconciler.SetupWithManager(mgr)
}

// readLog stands for the kubelet, which has the logs.
func readLog(_ context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("log of " + options.Container + " of " + pod.Name)), nil
}

// past returns the version of the world that the next operator's caches begin with: one of before the last writes, where the
// API server that they ask is to lag behind, which Kubernetes allows it to; else "", the newest one.
func (w *testWorld) past() string {
	if !w.disturbance.travels {
		return ""
	}
	w.wire.hold(slices.Concat(cached, scheduled), lag)
	return w.wire.past()
}
