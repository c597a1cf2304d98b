package controllers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
)

// readBounds names, for each resource that the operator reads, the kind in slimKinds that cuts it before it is decoded,
// or what else bounds it.
var readBounds = map[string]struct{ slim, because string }{
	"pods":                      {slim: "Pod"},
	"jobs":                      {slim: "Job"},
	"persistentvolumeclaims":    {slim: "PersistentVolumeClaim"},
	"events":                    {slim: "Event"},
	"configmaps":                {slim: "ConfigMap"},
	"pods/log":                  {because: "maxLog limits the bytes that are read"},
	"storagebenchmarks":         {because: "the API server bounds each object, and trimBenchmark what the cache keeps"},
	"storagebenchmarkschedules": {because: "the API server bounds each object, and trimSchedule what the cache keeps"},
	"nodes":                     {because: "tenants cannot write it"},
	"persistentvolumes":         {because: "tenants cannot write it, and lists are read by pages"},
	"storageclasses":            {because: "tenants cannot write it"},
	"csidrivers":                {because: "tenants cannot write it"},
	"csinodes":                  {because: "tenants cannot write it"},
	"volumeattributesclasses":   {because: "tenants cannot write it"},
}

// TestEachKindThatIsReadHasABound fails for a kind that role.yaml lets the operator read and readBounds does not name.
func TestEachKindThatIsReadHasABound(t *testing.T) {
	read := readResources(t)
	for resource := range read {
		bound, found := readBounds[resource]
		if _, cut := world.SlimKinds[bound.slim]; !found || (bound.because == "" && !cut) {
			t.Errorf("the operator reads %s: bound them in slimKinds, or name in readBounds what bounds them", resource)
		}
	}
	for resource := range readBounds {
		if !read.Has(resource) {
			t.Errorf("the operator does not read %s: remove the entry of readBounds", resource)
		}
	}
}

// readResources returns the resources that role.yaml lets the operator get, list or watch.
func readResources(t *testing.T) sets.Set[string] {
	t.Helper()
	file, err := os.Open("../config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, documents := sets.New[string](), yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		var role rbacv1.ClusterRole
		if err := documents.Decode(&role); errors.Is(err, io.EOF) {
			return read
		} else if err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			if sets.New(rule.Verbs...).HasAny("get", "list", "watch") {
				read.Insert(rule.Resources...)
			}
		}
	}
}

// TestSlimConfigMap checks that slim keeps only the history chunk of a ConfigMap that has as many other
// keys as the API server admits.
func TestSlimConfigMap(t *testing.T) {
	sent := &corev1.ConfigMap{ObjectMeta: manyFields(), Data: map[string]string{"other": "x"}}
	sent.BinaryData = map[string][]byte{}
	for i := range 170_000 {
		sent.BinaryData[fmt.Sprintf("%05x", i)] = nil
	}
	sent.BinaryData[v1alpha1.HistoryKey] = []byte("chunk")
	kept := slimmed(t, sent).(*corev1.ConfigMap)
	if len(kept.BinaryData) != 1 || string(kept.BinaryData[v1alpha1.HistoryKey]) != "chunk" || kept.Data != nil {
		t.Errorf("kept %d keys of binaryData and data %v, want the chunk alone", len(kept.BinaryData), kept.Data)
	}
	if kept.Name != sent.Name || kept.UID != sent.UID || kept.ResourceVersion != sent.ResourceVersion ||
		len(kept.OwnerReferences) != 1 {
		t.Errorf("kept %+v, want its identity and its controller", kept.ObjectMeta)
	}
	if weight := world.WeightOf(kept); weight > 4<<10 {
		t.Errorf("it takes %d bytes, want at most 4 KiB", weight)
	}
}
