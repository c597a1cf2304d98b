package controllers

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// What is left of a benchmark is told once of each version, however often it is let go.
func TestLeftBehindIsToldOnce(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return errors.New("the API server is overloaded")
		},
	})
	r, remembered := &Reconciler{Client: c, Events: recorder, Clock: fakecluster.NewClock()}, &memory{}
	sb := builder.OneRun("default", "sb").Build()
	sb.Finalizers = []string{v1alpha1.Finalizer}
	for _, pass := range []struct {
		version string
		told    int
	}{{"1", 1}, {"1", 1}, {"2", 2}, {"2", 2}} {
		sb.ResourceVersion = pass.version
		p := r.newPass(sb.DeepCopy(), remembered)
		p.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "volume pv")
		if _, err := release(t.Context(), p); err == nil {
			t.Fatal("it is let go")
		}
		if told := len(recorder.Events); told != pass.told {
			t.Errorf("at version %s it was told %d times, want %d", pass.version, told, pass.told)
		}
	}
}
