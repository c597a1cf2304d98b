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
		if want[key] == nil {
			continue // TestKustomize says so
		}
		eachLeaf(object.Object, "", func(path string) {
			seen++
			if noticed, helms := !same(want[key], object), slices.Contains(ofHelm, path); noticed == helms {
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
	out, err := run(t, kustomize, "build", filepath.Join(config, "default"))
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

// eachLeaf changes each value that holds no others, one at a time, calls visit with its path, and puts it back.
func eachLeaf(node any, path string, visit func(path string)) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if holdsOthers(value) {
				eachLeaf(value, join(path, key), visit)
				continue
			}
			node[key] = fmt.Sprint("not ", value)
			visit(join(path, key))
			node[key] = value
		}
	case []any:
		for i, value := range node {
			if holdsOthers(value) {
				eachLeaf(value, join(path, fmt.Sprint(i)), visit)
				continue
			}
			node[i] = fmt.Sprint("not ", value)
			visit(join(path, fmt.Sprint(i)))
			node[i] = value
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
