package controllers

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
)

// A newer status is another operator's only if this operator cannot have written it itself.
func TestIsForeign(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{}, "sb", errors.New("the object has been modified"))
	lost := errors.New("connection reset by peer")
	version := func(number, step string) *v1alpha1.StorageBenchmark {
		sb := builder.OneRun("ns", "sb").Build()
		sb.ResourceVersion = number
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: step}}
		return sb
	}
	for name, test := range map[string]struct {
		writes  []error
		skips   bool
		current *v1alpha1.StorageBenchmark
		want    bool
	}{
		"another status":                        {[]error{conflict}, false, version("2", "other"), true},
		"another write that was refused before": {[]error{conflict, conflict}, false, version("2", "other"), true},
		"the same status, as of other metadata": {[]error{conflict}, false, version("2", ""), false},
		"the same version, as of an old cache":  {[]error{conflict}, false, version("1", ""), false},
		"the write succeeded":                   {[]error{conflict, nil}, false, version("2", "other"), false},
		"an answer was lost":                    {[]error{lost, conflict}, false, version("2", "other"), false},
		"an answer was lost, and one came":      {[]error{lost, nil, conflict}, false, version("2", "other"), true},
		"the cache has not heard of a write":    {[]error{conflict}, true, version("2", "other"), false},
		"no write":                              {nil, false, version("2", "other"), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := passOver(&Reconciler{}, version("1", ""))
			p.SkipsCache = test.skips
			for _, err := range test.writes {
				p.Memory.Writes.NoteWrite(p.Before, !p.SkipsCache && !world.IsTrimmed(p.Before), err)
			}
			if got := p.Memory.Writes.IsForeign(test.current); got != test.want {
				t.Errorf("it is another operator's: %t, want %t", got, test.want)
			}
			if p.Memory.Writes.IsForeign(test.current) {
				t.Error("it is reported twice")
			}
		})
	}
}
