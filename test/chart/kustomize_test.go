package chart

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ofHelm are the only fields that objects of the chart have beside those of config/default.
var ofHelm = []string{
	"metadata.labels.app.kubernetes.io/managed-by",
	"metadata.labels.app.kubernetes.io/version",
	"metadata.labels.helm.sh/chart",
	"metadata.annotations.helm.sh/resource-policy",
}

// TestKustomize: config/default installs what the chart installs by default. Beside it, config/default has a Namespace,
// which Helm makes itself, and the chart has labels and an annotation of Helm.
func TestKustomize(t *testing.T) {
	want, got := kustomized(t), render(t)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("objects (-config/default +chart):\n%s", diff)
	}
	for key, object := range got {
		if want[key] != nil && !same(want[key], object) {
			t.Errorf("%s (-config/default +chart):\n%s", key, cmp.Diff(want[key].Object, withoutHelm(object).Object))
		}
	}
}

// TestKustomizeSeesEveryField: whatever field of the chart's objects changes, TestKustomize fails, but for those of Helm.
func TestKustomizeSeesEveryField(t *testing.T) {
	want := kustomized(t)
	seen := 0
	for key, object := range render(t) {
		if want[key] == nil || !same(want[key], object) {
			continue // TestKustomize says so
		}
		// Equal to what config/default has, and with the same maps as the changed copies but on the way to the change: there the comparison stops.
		equal := withoutHelm(object)
		eachLeaf(object.Object, "", func(path string, changed any) {
			seen++
			noticed := !same(equal, &unstructured.Unstructured{Object: changed.(map[string]any)})
			if helms := slices.Contains(ofHelm, path); noticed == helms {
				t.Errorf("%s: a change of %s is noticed: %t, want %t", key, path, noticed, !helms)
			}
		})
	}
	if seen < 1000 { // of the definition alone
		t.Errorf("only %d fields were changed", seen)
	}
}

func kustomized(t *testing.T) objects {
	t.Helper()
	out, err := run(t, kubectl, "kustomize", filepath.Join(config, "default"))
	if err != nil {
		t.Fatal(err)
	}
	all := parse(t, out)
	if all["Namespace "+namespace] == nil {
		t.Errorf("config/default has no Namespace %s", namespace)
	}
	delete(all, "Namespace "+namespace)
	return all
}

func same(kustomized, rendered *unstructured.Unstructured) bool {
	return reflect.DeepEqual(kustomized.Object, withoutHelm(rendered).Object)
}

// withoutHelm returns a copy of an object of the chart without what only Helm gives it.
func withoutHelm(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	metadata, _ := object.Object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, field := range []string{"labels", "annotations"} {
		values, _ := metadata[field].(map[string]any)
		if values == nil {
			continue
		}
		values = maps.Clone(values)
		for _, path := range ofHelm {
			if name, ok := strings.CutPrefix(path, "metadata."+field+"."); ok {
				delete(values, name)
			}
		}
		metadata[field] = values
	}
	out.Object["metadata"] = metadata
	return out
}

// eachLeaf calls visit for each value that holds no others, with its path and a copy of the node in which it is changed. The copy shares all that is not
// on the way to the value.
func eachLeaf(node any, path string, visit func(path string, changed any)) {
	each := func(key string, value any, with func(any) any) {
		if path := join(path, key); holdsOthers(value) {
			eachLeaf(value, path, func(path string, changed any) { visit(path, with(changed)) })
		} else {
			visit(path, with(fmt.Sprint("not ", value)))
		}
	}
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			each(key, value, func(changed any) any {
				other := maps.Clone(node)
				other[key] = changed
				return other
			})
		}
	case []any:
		for i, value := range node {
			each(fmt.Sprint(i), value, func(changed any) any {
				other := slices.Clone(node)
				other[i] = changed
				return other
			})
		}
	}
}

func holdsOthers(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) > 0
	case []any:
		return len(value) > 0
	default:
		return false
	}
}

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }
