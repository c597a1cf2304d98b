package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/controllers/world"
)

// Of kinds that anybody can fill, and of lists of them, a part is kept. Of others all is.
func TestKeptOf(t *testing.T) {
	for kind, kept := range world.SlimKinds {
		if got := world.KeptOf(kind); len(got) != len(kept) {
			t.Errorf("of a %s %d fields are kept, want %d", kind, len(got), len(kept))
		}
		list := world.KeptOf(kind + "List")
		if _, hasMeta := list[1]; len(list) != 2 || !hasMeta || len(list[2].Of) != len(kept) {
			t.Errorf("of a list of %ss %v is kept", kind, list)
		}
	}
	for _, kind := range []string{"StorageBenchmark", "StorageBenchmarkList", "Node", "NodeList", "List", ""} {
		if got := world.KeptOf(kind); got != nil {
			t.Errorf("of %q only %v is kept", kind, got)
		}
	}
}

// Of the owners of an object only the one that controls it is kept.
func TestIsController(t *testing.T) {
	for name, test := range map[string]struct {
		controls *bool
		want     bool
	}{
		"it controls":     {new(true), true},
		"it does not":     {new(false), false},
		"it does not say": {nil, false},
	} {
		owner := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "j", UID: "u", Controller: test.controls, BlockOwnerDeletion: new(true)}
		text, err := owner.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if got := world.IsController(text); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
