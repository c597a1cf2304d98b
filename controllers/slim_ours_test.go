package controllers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// TestSlimOurs checks that of 100,000 labels and annotations none is decoded, and all else is.
func TestSlimOurs(t *testing.T) {
	sent := builder.OneRun("ns", "sb").Build()
	sent.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"}
	sent.UID, sent.Finalizers = "uid", []string{"a/b"}
	sent.Annotations = map[string]string{v1alpha1.AnnotationHistoryKept: "uid"}
	want := sent.DeepCopy()
	sent.Labels = map[string]string{}
	for i := range 100_000 {
		sent.Labels[fmt.Sprint("a", i)] = ""
	}
	for i := range 20_000 {
		sent.Annotations[fmt.Sprint("a", i)] = ""
	}
	sent.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	cut := world.SlimOurs(text)
	var got v1alpha1.StorageBenchmark
	if err := json.Unmarshal(cut, &got); err != nil || len(cut) > 8<<10 {
		t.Errorf("%d bytes are left of %d: %v", len(cut), len(text), err)
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, other := range []string{"{}", strings.Repeat("x", world.SlimFrom), `{"metadata":7,"a":"` + strings.Repeat("x", world.SlimFrom) + `"}`} {
		if got := world.SlimOurs([]byte(other)); string(got) != other {
			t.Errorf("%.20s becomes %.20s", other, got)
		}
	}
}

// TestSlimOursOfAnAPIServer checks that what a real API server answers has no labels left, however it is asked.
func TestSlimOursOfAnAPIServer(t *testing.T) {
	w := newWorldWithoutOperator(t)
	config := rest.CopyConfig(envtest.Config(t))
	world.LeaveOutUndecodable(config)
	world.SlimAnswers(config)
	c, err := client.NewWithWatch(config, client.Options{Scheme: envtest.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	events, err := c.Watch(t.Context(), &v1alpha1.StorageBenchmarkList{}, client.InNamespace(w.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	sb := builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Labels = map[string]string{"example.com/a": "b"}
		sb.Annotations = map[string]string{"example.com/padding": strings.Repeat("x", world.SlimFrom)}
	}).Build()
	create(w, sb)
	watched, ok := (<-events.ResultChan()).Object.(*v1alpha1.StorageBenchmark)
	var list v1alpha1.StorageBenchmarkList
	if err := c.List(t.Context(), &list, client.InNamespace(w.Namespace)); err != nil || !ok || len(list.Items) != 1 {
		t.Fatalf("the list has %d, the watch %t: %v", len(list.Items), ok, err)
	}
	var got v1alpha1.StorageBenchmark
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(sb), &got); err != nil {
		t.Fatal(err)
	}
	patched := got.DeepCopy()
	if err := c.Patch(t.Context(), patched, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"suspend":true}}`))); err != nil {
		t.Fatal(err)
	}
	for what, answer := range map[string]*v1alpha1.StorageBenchmark{"get": &got, "list": &list.Items[0], "watch": watched, "patch": patched} {
		if answer.UID != sb.UID || len(answer.Spec.Targets) != 1 || len(answer.Labels)+len(answer.Annotations)+len(answer.ManagedFields) > 0 {
			t.Errorf("%s: the answer is %.500v", what, answer)
		}
	}
}
