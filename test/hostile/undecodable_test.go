package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/harness"
)

// A benchmark that an earlier version of the CRD let pass, and that Go cannot decode, stops no other one, whether it is there when the operator
// starts or comes later. The log and an event name it, and when it is corrected it goes on.
func TestUndecodableBenchmark(t *testing.T) {
	n := newTenant(t)
	before := harness.Create(n, builder.OneRun(n.Namespace, "there-before").Suspended().Build())
	after := harness.Create(n, builder.OneRun(n.Namespace, "comes-later").Suspended().Build())
	strict := relaxStatus(n)
	setPlannedRuns(n, before.Name, 3_000_000_000)

	p := startOperator(t, buildOperator(t), memoryLimit(t))
	p.serves(n, func() error {
		if err := n.Client.Get(n.Context(), client.ObjectKeyFromObject(after), after); err != nil {
			return err
		}
		return isAt(v1alpha1.ReasonSuspended)(after)
	})
	setPlannedRuns(n, after.Name, 3_000_000_000)
	restoreCRD(n, strict)
	honest := newTenant(t)
	serve(honest, p, "beside")

	for _, name := range []string{before.Name, after.Name} {
		if log := p.output.tail(1 << 20); !bytes.Contains(log, []byte("cannot be read")) || !bytes.Contains(log, []byte(name)) {
			t.Errorf("the log does not name %s", name)
		}
		n.Eventually(func() error { return isToldOf(n, name) })
		setPlannedRuns(n, name, nil)
	}
	if log := p.output.tail(4 << 20); bytes.Contains(log, []byte("forbidden")) {
		t.Errorf("the operator may not do all that it does:\n%s", p.output.tail(4096))
	}
	p.meets(n, isAt(v1alpha1.ReasonSuspended))
}

// isToldOf says that no event tells that a benchmark cannot be read.
func isToldOf(n *harness.World, name string) error {
	n.Helper()
	var list eventsv1.EventList
	if err := n.Client.List(n.Context(), &list, client.InNamespace(n.Namespace)); err != nil {
		return err
	}
	if !slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool { return e.Regarding.Name == name && e.Reason == "Unreadable" }) {
		return fmt.Errorf("no event tells that %s cannot be read", name)
	}
	return nil
}

// relaxStatus has the API server take any number of planned runs, and returns the CRD that does not.
func relaxStatus(n *harness.World) *unstructured.Unstructured {
	n.Helper()
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	if err := n.Client.Get(n.Context(), types.NamespacedName{Name: "storagebenchmarks.storagebench.dev"}, crd); err != nil {
		n.Fatal(err)
	}
	strict := crd.DeepCopy()
	n.Cleanup(func() { restoreCRD(n, strict) })
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err == nil {
		anyInteger := map[string]any{"type": "integer"}
		err = unstructured.SetNestedMap(versions[0].(map[string]any), anyInteger, "schema", "openAPIV3Schema", "properties", "status", "properties", "plannedRuns")
	}
	err = errors.Join(err, unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"), n.Client.Update(n.Context(), crd))
	if err != nil {
		n.Fatal(err)
	}
	return strict
}

func restoreCRD(n *harness.World, strict *unstructured.Unstructured) {
	n.Helper()
	strict.SetResourceVersion("")
	// At the end of the test its context has ended.
	if err := mergePatch(context.WithoutCancel(n.Context()), n.Client, strict.DeepCopy(), map[string]any{"spec": strict.Object["spec"]}); err != nil {
		n.Error(err)
	}
}

// setPlannedRuns writes a number into the status of a benchmark, or removes it, as soon as the API server takes it.
func setPlannedRuns(n *harness.World, name string, runs any) {
	n.Helper()
	n.Eventually(func() error {
		sb := &unstructured.Unstructured{}
		sb.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
		sb.SetNamespace(n.Namespace)
		sb.SetName(name)
		text, err := json.Marshal(map[string]any{"status": map[string]any{"plannedRuns": runs}})
		if err != nil {
			return err
		}
		return n.Client.Status().Patch(n.Context(), sb, client.RawPatch(types.MergePatchType, text))
	})
}
