package controllers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/envtest"
)

// asStored is a StorageBenchmark as an API server has it.
func asStored(name, attempts string) string {
	return fmt.Sprintf(`{"apiVersion":"storagebench.dev/v1alpha1","kind":"StorageBenchmark","metadata":{"name":%q,"namespace":"default","uid":"u","resourceVersion":"7"},
		"status":{"runs":[{"name":"a","target":"t","workload":"w","state":"Running","attempts":%s}]}}`, name, attempts)
}

// serveBenchmarks is an API server with two StorageBenchmarks that can be read and one that cannot.
func serveBenchmarks(t *testing.T) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"apiVersion":"storagebench.dev/v1alpha1","kind":"StorageBenchmarkList","metadata":{"resourceVersion":"9","continue":"next"},"items":[%s,%s,%s]}`,
				asStored("first", "1"), asStored("bad", "3000000000"), asStored("last", "2"))
			return
		}
		for _, event := range []string{
			`{"type":"ADDED","object":` + asStored("first", "1") + `}`, `{"type":"ADDED","object":` + asStored("bad", "1") + `}`,
			`{"type":"MODIFIED","object":` + asStored("bad", "3000000000") + `}`, `{"type":"DELETED","object":` + asStored("bad", "3000000000") + `}`,
			`{"type":"BOOKMARK","object":{"apiVersion":"storagebench.dev/v1alpha1","kind":"StorageBenchmark","metadata":{"resourceVersion":"8"}}}`,
			`{"type":"MODIFIED","object":` + asStored("last", "2") + `}`,
		} {
			fmt.Fprintln(w, event)
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

func benchmarkClient(t *testing.T, config *rest.Config) client.WithWatch {
	t.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1alpha1.GroupVersion.WithKind("StorageBenchmark"), meta.RESTScopeNamespace)
	c, err := client.NewWithWatch(config, client.Options{Scheme: envtest.Scheme(), Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// One StorageBenchmark that cannot be decoded takes all others with it, unless it is left out.
func TestUndecodableBenchmarkIsLeftOut(t *testing.T) {
	var list v1alpha1.StorageBenchmarkList
	if err := benchmarkClient(t, serveBenchmarks(t)).List(t.Context(), &list); err == nil {
		t.Fatal("a list with it can be decoded: this test shows nothing")
	}
	config := serveBenchmarks(t)
	world.LeaveOutUndecodable(config)
	c := benchmarkClient(t, config)
	if err := c.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	if !slices.Equal(names, []string{"first", "last"}) || list.ResourceVersion != "9" || list.Continue != "next" {
		t.Errorf("the list is %v, %+v", names, list.ListMeta)
	}

	events, err := c.Watch(t.Context(), &v1alpha1.StorageBenchmarkList{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	var seen []string
	for event := range events.ResultChan() {
		object, ok := event.Object.(*v1alpha1.StorageBenchmark)
		if !ok {
			t.Fatalf("event %s is about %+v", event.Type, event.Object)
		}
		seen = append(seen, fmt.Sprintf("%s %s %s", event.Type, object.Name, object.ResourceVersion))
	}
	want := []string{"ADDED first 7", "ADDED bad 7", "DELETED bad 7", "DELETED bad 7", "BOOKMARK  8", "MODIFIED last 7"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Whatever else is asked for comes as it is.
func TestOnlyBenchmarksAreLookedThrough(t *testing.T) {
	for address, test := range map[string]struct {
		method, accept string
		want           bool
	}{
		"/apis/storagebench.dev/v1alpha1/storagebenchmarks":                       {http.MethodGet, "application/json", true},
		"/apis/storagebench.dev/v1alpha1/namespaces/a/storagebenchmarks":          {http.MethodGet, "application/json", true},
		"/prefix/apis/storagebench.dev/v1alpha1/namespaces/a/storagebenchmarks":   {http.MethodGet, "application/json", true},
		"/apis/storagebench.dev/v1alpha1/namespaces/b/storagebenchmarks":          {http.MethodGet, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", false},
		"/apis/storagebench.dev/v1alpha1/namespaces/c/storagebenchmarks":          {http.MethodPost, "application/json", false},
		"/apis/storagebench.dev/v1alpha1/namespaces/a/storagebenchmarks/b":        {http.MethodGet, "application/json", false},
		"/apis/storagebench.dev/v1alpha1/namespaces/a/storagebenchmarks/b/status": {http.MethodPatch, "application/json", false},
		"/apis/storagebench.dev/v1alpha1/storagebenchmarkschedules":               {http.MethodGet, "application/json", true},
		"/apis/batch/v1/jobs": {http.MethodGet, "application/json", false},
	} {
		request := httptest.NewRequest(test.method, address, http.NoBody)
		request.Header.Set("Accept", test.accept)
		if got := world.ReadsOurs(request) != nil; got != test.want {
			t.Errorf("%s %s: %t", test.method, address, got)
		}
	}
}

// Who has an undecodable StorageBenchmark is told of each version of it once, however often it is listed.
func TestUndecodableBenchmarkIsToldOnce(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	u := &world.Undecodable{Events: recorder, Told: lru.New(world.MaxTold)}
	for range 3 {
		u.LeftOut([]byte(asStored("bad", "3000000000")), world.Decodables["storagebenchmarks"])
		u.LeftOut([]byte(asStored("good", "1")), world.Decodables["storagebenchmarks"])
	}
	u.LeftOut([]byte(strings.Replace(asStored("bad", "3000000000"), `"resourceVersion":"7"`, `"resourceVersion":"8"`, 1)), world.Decodables["storagebenchmarks"])
	close(recorder.Events)
	var told []string
	for event := range recorder.Events {
		told = append(told, event)
	}
	if len(told) != 2 || !strings.Contains(told[0], "correct the field") || !strings.Contains(told[0], "attempts") {
		t.Errorf("told is %q", told)
	}
}

// A connection can be found through who changes its answers: client-go closes those that are broken.
func TestAnswersLeaveTheConnectionToBeFound(t *testing.T) {
	config := &rest.Config{}
	world.LeaveOutUndecodable(config)
	world.SlimAnswers(config)
	way := &http.Transport{}
	wrapped := config.WrapTransport(way)
	for range 2 {
		if wrapper, is := wrapped.(utilnet.RoundTripperWrapper); is {
			wrapped = wrapper.WrappedRoundTripper()
		}
	}
	if wrapped != way {
		t.Errorf("%T is found", wrapped)
	}
}
