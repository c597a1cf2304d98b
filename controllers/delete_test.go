package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/pass"
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
	r, remembered := &Reconciler{Client: c, Events: recorder, Clock: fakecluster.NewClock()}, &pass.Memory{}
	sb := builder.OneRun("default", "sb").Build()
	sb.Finalizers = []string{v1alpha1.Finalizer}
	for _, pass := range []struct {
		version string
		told    int
	}{{"1", 1}, {"1", 1}, {"2", 2}, {"2", 2}} {
		sb.ResourceVersion = pass.version
		p := r.newPass(sb.DeepCopy(), remembered)
		p.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "volume pv")
		if _, err := release(t.Context(), p); err == nil {
			t.Fatal("it is let go")
		}
		if told := len(recorder.Events); told != pass.told {
			t.Errorf("at version %s it was told %d times, want %d", pass.version, told, pass.told)
		}
	}
}

// What is left of a benchmark, or kept, is told by an event when it is let go, and by the log: where the namespace is
// being deleted, no event can be made.
func TestWhatIsLeftIsToldOnDeletion(t *testing.T) {
	for name, test := range map[string]struct {
		status          metav1.ConditionStatus
		reason, message string
		event           string
	}{
		"left":               {metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "not removed within 600 s: volume pv", "Warning LeftBehind not removed within 600 s: volume pv"},
		"kept":               {metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "kept: volume pv", "Normal NothingLeft kept: volume pv"},
		"nobody can see it":  {metav1.ConditionTrue, v1alpha1.ReasonClaimsGone, "the claims are gone", "Normal ClaimsGone the claims are gone"},
		"nothing left":       {metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "", ""},
		"it was never begun": {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{})
			recorder := events.NewFakeRecorder(10)
			s.Events = recorder
			var logged []string
			ctx := ctrl.LoggerInto(t.Context(), funcr.New(func(_, line string) { logged = append(logged, line) }, funcr.Options{}))
			var sb v1alpha1.StorageBenchmark
			if err := s.Client.Get(ctx, client.ObjectKeyFromObject(s.sb), &sb); err != nil {
				t.Fatal(err)
			}
			p := s.newPass(&sb, &pass.Memory{})
			if test.status != "" {
				p.SetCondition(v1alpha1.ConditionCleanedUp, test.status, test.reason, test.message)
			}
			if _, err := release(ctx, p); err != nil {
				t.Fatal(err)
			}
			close(recorder.Events)
			if event := <-recorder.Events; event != test.event {
				t.Errorf("event is %q, want %q", event, test.event)
			}
			told := len(logged) == 1 && strings.Contains(logged[0], test.message) && strings.Contains(logged[0], s.sb.Name)
			if told != (test.event != "") || len(logged) > 1 {
				t.Errorf("logged: %q", logged)
			}
		})
	}
}

// Before Kubernetes is kept from deleting claims, what this pass has found out of test files is saved. The write starts
// the next pass.
func TestAbandonKeepsClaims(t *testing.T) {
	for name, test := range map[string]struct {
		finalizer string
		files     v1alpha1.TestFilesState
		unsaved   bool
		want      pass.Outcome
		// kept says that the finalizer is there then.
		kept bool
	}{
		"deleted in the background":        {"", v1alpha1.TestFilesPresent, false, pass.GoOn(), false},
		"in the foreground, without files": {metav1.FinalizerDeleteDependents, "", false, pass.GoOn(), true},
		"in the foreground":                {metav1.FinalizerDeleteDependents, v1alpha1.TestFilesPresent, false, pass.AwaitFor(pass.RetrySoon), false},
		"in the foreground, with news":     {metav1.FinalizerDeleteDependents, v1alpha1.TestFilesPresent, true, pass.SaveFirst(), true},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Build()
			sb.Finalizers = []string{v1alpha1.Finalizer}
			if test.finalizer != "" {
				sb.Finalizers = append(sb.Finalizers, test.finalizer)
			}
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast", TestFiles: test.files}}
			cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(sb).Build()
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(sb), sb); err != nil {
				t.Fatal(err)
			}
			p := passOver(&Reconciler{Client: cluster}, sb)
			if test.unsaved {
				p.Step(v1alpha1.ReasonMeasuring, "something new")
			}

			out, err := clean.Abandon(t.Context(), p)

			if err != nil || out != test.want {
				t.Errorf("it goes on with %+v, want %+v: %v", out, test.want, err)
			}
			var now v1alpha1.StorageBenchmark
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(sb), &now); err != nil {
				t.Fatal(err)
			}
			if controllerutil.ContainsFinalizer(&now, metav1.FinalizerDeleteDependents) != test.kept {
				t.Errorf("finalizers are %q", now.Finalizers)
			}
		})
	}
}
