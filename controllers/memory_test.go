package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/test/builder"
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

// Pods have their time to end from the end of the pass that deleted them, and later passes do not make it longer.
func TestEndOfPodsIsAwaitedFromWhenTheyWereDeleted(t *testing.T) {
	var m memory
	s := &scope{memory: &m, sb: builder.OneRun("default", "sb").Build(), now: metav1.NewTime(noon)}
	for _, pass := range []struct {
		began, ended time.Duration
		awaits       bool
		want         time.Time
	}{
		{0, time.Minute, true, noon.Add(time.Minute)},
		{2 * time.Minute, 3 * time.Minute, true, noon.Add(time.Minute)},
		{time.Minute, 4 * time.Minute, true, noon.Add(time.Minute)}, // it began when the first one ended
		{4 * time.Minute, 5 * time.Minute, false, time.Time{}},
		{6 * time.Minute, 7 * time.Minute, true, noon.Add(7 * time.Minute)},
	} {
		s.now = metav1.NewTime(noon.Add(pass.began))
		if pass.awaits {
			s.isEndLate()
		}
		m.succeeded(pass.awaits, noon.Add(pass.ended))
		if !m.endingSince.Equal(pass.want) {
			t.Errorf("after a pass at %s the end is awaited since %s, want %s", pass.began, m.endingSince, pass.want)
		}
	}
}
