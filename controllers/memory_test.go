package controllers

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestMemories(t *testing.T) {
	one, two := types.NamespacedName{Namespace: "a", Name: "one"}, types.NamespacedName{Namespace: "a", Name: "two"}
	var m memories
	m.forget(one) // of which there is nothing yet
	m.of(one).replaced = "5"
	if got := m.of(one).replaced; got != "5" {
		t.Errorf("remembered is %q", got)
	}
	if got := m.of(two).replaced; got != "" {
		t.Errorf("of another one is remembered %q", got)
	}
	m.forget(one)
	if got := m.of(one).replaced; got != "" {
		t.Errorf("what was forgotten is remembered as %q", got)
	}
}
