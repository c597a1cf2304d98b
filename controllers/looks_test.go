package controllers

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// Few benchmarks look at the same time, and no more than half of them are of one namespace. Others wait in the order in which they came, and are called when there is room.
func TestLooks(t *testing.T) {
	var all looks
	name := func(namespace string, n int) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(n)}
	}
	for n := range looksAtOnce {
		if may := all.take(name("full", n), looksOfANamespace); may != (n < looksOfANamespace) {
			t.Errorf("benchmark %d of a namespace may look: %t", n, may)
		}
	}
	if !all.take(name("full", 0), looksOfANamespace) {
		t.Error("who looks may not any more")
	}
	for n := range looksAtOnce - looksOfANamespace {
		if !all.take(name("other", n), looksOfANamespace) {
			t.Errorf("benchmark %d of another namespace may not look", n)
		}
	}
	late := name("third", 0)
	for range 2 {
		if all.take(late, looksOfANamespace) {
			t.Error("a look too many")
		}
	}
	want := func(what string, got []types.NamespacedName, want ...types.NamespacedName) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: called are %v, want %v", what, got, want)
		}
	}
	want("of one that did not look", all.giveBack(late, looksOfANamespace))
	want("another namespace's first", all.giveBack(name("other", 0), looksOfANamespace), late)
	want("their own first", all.giveBack(name("full", 0), looksOfANamespace), name("full", looksOfANamespace))
	if !all.take(late, looksOfANamespace) {
		t.Error("who was called may not look")
	}
	want("one that waits is forgotten", all.forget(name("full", looksOfANamespace+1), looksOfANamespace))
	want("with an empty line", all.forget(late, looksOfANamespace))
	for n := range looksAtOnce {
		all.giveBack(name("full", n), looksOfANamespace)
		all.giveBack(name("other", n), looksOfANamespace)
	}
	if len(all.may)+len(all.line) > 0 {
		t.Errorf("kept are %v and %v", all.may, all.line)
	}
}

// An operator that is confined to one namespace leaves no room for others.
func TestLookLimit(t *testing.T) {
	for limit, namespaces := range map[int][]string{looksAtOnce: {"one"}, looksOfANamespace: {"one", "two"}} {
		if got := (&Reconciler{Namespaces: namespaces}).lookLimit(); got != limit {
			t.Errorf("in %v %d may look, want %d", namespaces, got, limit)
		}
	}
	if got := (&Reconciler{}).lookLimit(); got != looksOfANamespace {
		t.Errorf("in all namespaces %d may look", got)
	}
}
