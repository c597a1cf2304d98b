package schedule

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// silentWebhook takes requests and does not answer until it is released. Then it fails.
type silentWebhook struct {
	*httptest.Server
	released chan struct{}

	mu sync.Mutex
	// calls are how many calls wait for an answer, by resource.
	calls map[string]int
}

// probed is what the operator does not write, so that a test can find out whether the webhook is asked.
const probed = "storagebenchmarkschedules"

// newSilentWebhook has a webhook asked about what the operator writes in a namespace.
func newSilentWebhook(w *harness.World, namespace string) *silentWebhook {
	w.Helper()
	s := &silentWebhook{released: make(chan struct{}), calls: map[string]int{}}
	s.Server = httptest.NewTLSServer(s)
	w.Cleanup(s.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	rule := func(operation registrationv1.OperationType, resource string) registrationv1.RuleWithOperations {
		of := registrationv1.Rule{
			APIGroups: []string{v1alpha1.GroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{resource},
		}
		return registrationv1.RuleWithOperations{Operations: []registrationv1.OperationType{operation}, Rule: of}
	}
	settings := harness.Create(w, &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name:         "silent.example.com",
			ClientConfig: registrationv1.WebhookClientConfig{URL: &s.URL, CABundle: authority},
			Rules: []registrationv1.RuleWithOperations{
				rule(registrationv1.Create, "storagebenchmarks"), rule(registrationv1.Update, "storagebenchmarks/status"),
				rule(registrationv1.Update, probed),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			SideEffects:       new(registrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			TimeoutSeconds: new(int32(30)),
		}},
	})
	w.Cleanup(func() { _ = w.Client.Delete(context.WithoutCancel(w.Context()), settings) })
	return s
}

// ServeHTTP does not answer.
func (s *silentWebhook) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	asked := strings.TrimSuffix(review.Request.Resource.Resource+"/"+review.Request.SubResource, "/")
	s.count(asked, 1)
	defer s.count(asked, -1)
	select {
	case <-s.released:
	case <-request.Context().Done():
	}
	http.Error(answer, "it is away", http.StatusServiceUnavailable)
}

func (s *silentWebhook) count(asked string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[asked] += n
}

// wasAsked returns an error unless there were calls about a resource.
func (s *silentWebhook) wasAsked(about string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, asked := s.calls[about]; !asked {
		return fmt.Errorf("the webhook was not asked about %s", about)
	}
	return nil
}

// hangs returns an error unless calls about all resources wait for an answer.
func (s *silentWebhook) hangs(about ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range about {
		if s.calls[resource] == 0 {
			return fmt.Errorf("no call about %s waits for an answer, calls are %v", resource, maps.Clone(s.calls))
		}
	}
	return nil
}

// startBoth starts an operator of benchmarks and schedules in the namespaces.
func startBoth(w *harness.World, objects *failing.Objects, namespaces ...string) {
	w.Helper()
	way := envtest.OperatorConfig(w)
	world.SlimAnswers(way)
	seen := map[string]cache.Config{}
	for _, namespace := range namespaces {
		seen[namespace] = cache.Config{}
	}
	mgr, err := ctrl.NewManager(way, ctrl.Options{
		Scheme:     envtest.Scheme(),
		Cache:      cache.Options{DefaultNamespaces: seen, NewInformer: world.NewCaches(32 << 20).NewInformer},
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		w.Fatal(err)
	}
	results := &resultmetrics.Store{Limit: resultmetrics.DefaultLimit}
	benchmarks := &controllers.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("storagebench"),
		Logs: func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("")), nil
		},
		Metrics: controllers.NewMetrics(prometheus.NewRegistry()), Failing: objects, Results: results,
		Clock: w.Clock, Image: harness.Image(),
	}
	schedules := &Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("storagebench"),
		Failing: objects, Results: results, Clock: w.Clock, Version: "test",
	}
	w.Run(mgr, errors.Join(Index(w.Context(), mgr), benchmarks.SetupWithManager(mgr), schedules.SetupWithManager(mgr)))
}

// everyMinute returns a schedule of a namespace.
func everyMinute(namespace, name string) *v1alpha1.StorageBenchmarkSchedule {
	return &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "* * * * *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: builder.OneRun("", "").Build().Spec},
		},
	}
}

// failingIn returns the kinds of objects of which a metric says that they fail, by namespace.
func failingIn(t *testing.T, objects *failing.Objects) map[string][]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(objects)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string][]string{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{"": family.GetName()}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			kinds[labels["namespace"]] = append(kinds[labels["namespace"]], labels["kind"])
		}
	}
	return kinds
}

// While a webhook of one namespace does not answer, schedules and benchmarks of another namespace start, measure and
// end. The metric of failing objects names the namespace of the webhook, and no other.
func TestWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := harness.New(t)
	silent := envtest.Namespace(t, w.Client)
	for i := range 2 * concurrentSchedules { // more than there are workers, of each kind
		harness.Create(w, everyMinute(silent, fmt.Sprintf("s-%d", i)))
		harness.Create(w, builder.OneRun(silent, fmt.Sprintf("sb-%d", i)).Build())
	}
	webhook := newSilentWebhook(w, silent)
	w.Eventually(func() error {
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":false}}`))
		_ = w.Client.Patch(ctx, everyMinute(silent, "s-0"), patch, client.DryRunAll)
		return webhook.wasAsked(probed)
	})
	var objects failing.Objects
	w.Clock.Pass(time.Minute)
	startBoth(w, &objects, w.Namespace, silent)
	hang := func() error { return webhook.hangs("storagebenchmarks", "storagebenchmarks/status") }
	w.Eventually(hang)

	// Calls of the webhook end after 30 s, and others follow. What waits for one of them is later than this.
	w.Wait.Patience = 20 * time.Second
	w.Clock.Pass(2 * time.Minute) // a schedule that comes now is due
	harness.Create(w, everyMinute(w.Namespace, "honest"))
	w.Eventually(func() error {
		var list v1alpha1.StorageBenchmarkList
		if err := w.Client.List(w.Context(), &list, client.InNamespace(w.Namespace)); err != nil || len(list.Items) > 0 {
			return err
		}
		return errors.New("the schedule has made no benchmark")
	})
	w.UntilEnded(harness.Create(w, builder.OneRun(w.Namespace, "sb").Build()))
	w.Wait.Patience = 0

	if err := hang(); err != nil {
		t.Errorf("the webhook has not been silent for all of that time: %v", err)
	}
	close(webhook.released)
	w.Eventually(func() error {
		if got := failingIn(t, &objects); len(got) != 1 || len(got[silent]) != 2 {
			return fmt.Errorf("failing are %v, want both kinds of %s", got, silent)
		}
		return nil
	})
}
