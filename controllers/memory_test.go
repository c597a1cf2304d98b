package controllers

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
)

func TestMemories(t *testing.T) {
	one, two := types.NamespacedName{Namespace: "a", Name: "one"}, types.NamespacedName{Namespace: "a", Name: "two"}
	var m pass.Memories
	m.Forget(one) // of which there is nothing yet
	m.Of(one).StaleVersion = "5"
	if got := m.Of(one).StaleVersion; got != "5" {
		t.Errorf("remembered is %q", got)
	}
	if got := m.Of(two).StaleVersion; got != "" {
		t.Errorf("of another one is remembered %q", got)
	}
	m.Forget(one)
	if got := m.Of(one).StaleVersion; got != "" {
		t.Errorf("what was forgotten is remembered as %q", got)
	}
}

// A claim has its volume since it was first seen to. What is known of one that is gone, or has its volume no more, is
// dropped.
func TestNoteBound(t *testing.T) {
	claims := func(phases ...corev1.PersistentVolumeClaimPhase) map[string]*corev1.PersistentVolumeClaim {
		all := map[string]*corev1.PersistentVolumeClaim{}
		for i, phase := range phases {
			name := string(rune('a' + i))
			all[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Status: corev1.PersistentVolumeClaimStatus{Phase: phase}}
		}
		return all
	}
	var m pass.Memory
	for i, pass := range []struct {
		claims map[string]*corev1.PersistentVolumeClaim
		want   map[types.UID]time.Time
	}{
		{claims("", corev1.ClaimPending), map[types.UID]time.Time{}},
		{claims(corev1.ClaimBound, corev1.ClaimPending), map[types.UID]time.Time{"a": noon.Add(time.Minute)}},
		{claims(corev1.ClaimBound, corev1.ClaimBound), map[types.UID]time.Time{"a": noon.Add(time.Minute), "b": noon.Add(2 * time.Minute)}},
		{claims(corev1.ClaimBound, corev1.ClaimLost), map[types.UID]time.Time{"a": noon.Add(time.Minute)}},
		{claims(), map[types.UID]time.Time{}},
	} {
		m.NoteBound(pass.claims, noon.Add(time.Duration(i)*time.Minute))
		if !maps.Equal(m.BoundSince, pass.want) {
			t.Errorf("in pass %d claims have their volumes since %v, want %v", i, m.BoundSince, pass.want)
		}
	}
}

// Provisioning is timed from when the driver is asked, whatever is waited for before, until the claim is bound.
func TestProvisioningIsTimed(t *testing.T) {
	claim := func(annotation string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{UID: "c"}, Status: corev1.PersistentVolumeClaimStatus{Phase: phase}}
		c.Annotations = map[string]string{annotation: "x"}
		return c
	}
	waits, chosen, asked := claim("other", corev1.ClaimPending), claim(owned.SelectedNode, corev1.ClaimPending), claim(owned.ProvisionerAnnotation, corev1.ClaimPending)
	bound := claim(owned.SelectedNode, corev1.ClaimBound)
	for name, test := range map[string]struct {
		made   bool // by this operator, a second before the first pass
		passes []*corev1.PersistentVolumeClaim
		want   *time.Duration
	}{
		"waits for its pod, then for the driver": {true, []*corev1.PersistentVolumeClaim{waits, waits, chosen, chosen, bound, bound}, new(3 * time.Second)},
		"bound at once":                          {true, []*corev1.PersistentVolumeClaim{bound, bound}, new(time.Second)},
		"asked at once":                          {true, []*corev1.PersistentVolumeClaim{asked, asked, bound}, new(3 * time.Second)},
		"made by another operator":               {false, []*corev1.PersistentVolumeClaim{asked, asked, bound}, new(2 * time.Second)},
		"bound before it was seen":               {false, []*corev1.PersistentVolumeClaim{bound, bound}, nil},
	} {
		var m pass.Memory
		if test.made {
			m.NoteClaimMade("claim", noon.Add(-time.Second))
		}
		end := noon
		for i, claim := range test.passes {
			end = noon.Add(time.Duration(i) * time.Second)
			all := map[string]*corev1.PersistentVolumeClaim{"claim": claim}
			m.NoteBound(all, end)
			m.NoteAsked(all, end)
		}
		if got := m.Provisioned("c", end); ptr.Deref(got, -1) != ptr.Deref(test.want, -1) {
			t.Errorf("%s: took %v, want %v", name, got, test.want)
		}
	}
}

// Pods have their time to end from the end of the pass that deleted them, and later passes do not make it longer.
func TestEndOfPodsIsAwaitedFromWhenTheyWereDeleted(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Build())
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
		s.Now = metav1.NewTime(noon.Add(pass.began))
		s.AwaitsEnd = false
		if pass.awaits {
			s.AwaitEnd("run a", nil)
		}
		s.Memory.Succeeded(s.AwaitsEnd, noon.Add(pass.ended))
		if !s.Memory.EndingSince.Equal(pass.want) {
			t.Errorf("after a pass at %s the end is awaited since %s, want %s", pass.began, s.Memory.EndingSince, pass.want)
		}
	}
}
