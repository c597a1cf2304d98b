package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// What the API server says of a target's storage ends the benchmark, is waited for, or is tried again.
func TestApplied(t *testing.T) {
	claims := schema.GroupResource{Resource: "persistentvolumeclaims"}
	forbidden := apierrors.NewForbidden(claims, "c", errors.New("exceeded quota"))
	for _, test := range []struct {
		name    string
		err     error
		refused *metav1.Time
		want    pass.Outcome
		failed  string // what the error says to users, or what the pass ends with
		since   *metav1.Time
		ends    bool
	}{
		{name: "all is there", refused: at(-time.Second), want: pass.GoOn(), since: at(-time.Second)},
		{name: "a quota", err: fmt.Errorf("apply claim: %w", forbidden), want: pass.AwaitFor(workers.PollWaiting).Resting(time.Minute), failed: "target fast: apply claim: " + forbidden.Error(), since: at(0)},
		{name: "the quota goes on", err: forbidden, refused: at(-59 * time.Second), want: pass.AwaitFor(time.Second), failed: "target fast: " + forbidden.Error(), since: at(-59 * time.Second)},
		{name: "the quota went on", err: forbidden, refused: at(-time.Minute), want: pass.SaveFirst(), failed: "target fast waited 60 s for its storage to be made (spec.deadlines.provisioningSeconds): " + forbidden.Error(), since: at(-time.Minute), ends: true},
		{name: "a webhook without a code", err: apierrors.NewBadRequest("no"), want: pass.AwaitFor(workers.PollWaiting).Resting(time.Minute), failed: "target fast: no", since: at(0)},
		{
			name: "a size that no claim can have", err: apierrors.NewInvalid(schema.GroupKind{Kind: "PersistentVolumeClaim"}, "c", nil), want: pass.SaveFirst(),
			failed: `target fast: PersistentVolumeClaim "c" is invalid`, ends: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build())
			if test.refused != nil {
				atStepSince(s.SB, v1alpha1.ReasonProvisioning, test.refused)
			}
			out, err := prepare.Provisioned(s, &s.SB.Spec.Targets[0], pvc.StorageMade{Err: test.err})
			if err != nil || out != test.want || s.SB.Status.HasMeasured() != test.ends || !s.SB.Status.StepStartTime.Equal(test.since) {
				t.Errorf("it goes on with %+v, want %+v, ended %t, provisions since %s: %v", out, test.want, s.SB.Status.HasMeasured(), s.SB.Status.StepStartTime, err)
			}
			kind, reason := v1alpha1.ConditionSucceeded, v1alpha1.ReasonProvisioning
			if test.ends {
				kind, reason = v1alpha1.ConditionMeasured, v1alpha1.ReasonProvisioningFailed
			}
			if got := s.SB.Status.Condition(kind); test.failed != "" && (got.Reason != reason || got.Message != test.failed) {
				t.Errorf("condition is %+v, want %s %q", got, reason, test.failed)
			}
		})
	}
	s := writerOf(builder.OneRun("default", "sb").Build())
	busy := errors.New("etcd is busy")
	if _, err := prepare.Provisioned(s, &s.SB.Spec.Targets[0], pvc.StorageMade{Err: busy}); !errors.Is(err, busy) || err.Error() != "target fast: etcd is busy" || s.Changed() {
		t.Errorf("an error that may pass is %v, status %+v", err, s.SB.Status)
	}
}

// What keeps a target's storage from being made ends the benchmark, or is waited for. It tells as well what becomes of
// test files that cannot be reached without.
func TestStorageMade(t *testing.T) {
	const present, left = v1alpha1.TestFilesPresent, v1alpha1.TestFilesLeftBehind
	busy := errors.New("etcd is busy")
	terminating := apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumeclaims"}, "c", errors.New("no"))
	held := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "x", Finalizers: []string{"a", "b"}}}
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for _, test := range []struct {
		name  string
		made  pvc.StorageMade
		want  pass.Outcome
		says  string
		ends  bool
		files v1alpha1.TestFilesState
		err   error
	}{
		{"all of it", pvc.StorageMade{}, pass.GoOn(), "", false, present, nil},
		{"nothing by an old version", pvc.StorageMade{Step: owned.ReadAgain}, pass.AwaitFor(pass.RetrySoon), "", false, present, nil},
		{"somebody's is in its place", pvc.StorageMade{Facts: owned.ProvisionFacts{Taken: "PersistentVolume x"}, Step: owned.RefuseTaken}, pass.SaveFirst(),
			"target fast: PersistentVolume x exists, and was not made for this benchmark; delete or rename it, and create the benchmark anew", true, left, nil},
		{"one before it has to go", pvc.StorageMade{Facts: owned.ProvisionFacts{InTheWay: held}, Step: owned.FreeVolume}, pass.AwaitFor(pass.PollChildren).Resting(time.Minute),
			"target fast: PersistentVolume x is being deleted, to be made anew; it is kept by finalizer a, b", false, present, nil},
		{"its namespace is being deleted", pvc.StorageMade{Err: fmt.Errorf("apply claim: %w", terminating)}, pass.AwaitFor(workers.PollWaiting).Resting(time.Minute),
			"target fast: apply claim: " + terminating.Error(), false, left, nil},
		{"an error", pvc.StorageMade{Err: busy}, pass.Outcome{}, "", false, present, busy},
		{"claims that are gone are to be heard of", pvc.StorageMade{Step: owned.ForgetClaims}, pass.AwaitFor(pass.RetrySoon), "", false, present, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build())
			target := &s.SB.Spec.Targets[0]
			out, err := prepare.Provisioned(s, target, test.made)
			if out != test.want || !errors.Is(err, test.err) || s.SB.Status.HasMeasured() != test.ends {
				t.Errorf("it goes on with %+v, %v, want %+v, %v; ended %t", out, err, test.want, test.err, s.SB.Status.HasMeasured())
			}
			kind := v1alpha1.ConditionSucceeded
			if test.ends {
				kind = v1alpha1.ConditionMeasured
			}
			if got := s.SB.Status.Condition(kind).Message; got != test.says {
				t.Errorf("it says %q, want %q", got, test.says)
			}
			files, err := clean.FilesAfterRemount(test.made, target)
			if files != test.files || !errors.Is(err, test.err) || (err != nil && err.Error() != "reach test files of target fast: etcd is busy") {
				t.Errorf("test files are %s, %v, want %s", files, err, test.files)
			}
		})
	}
}

// Claims that are gone are forgotten in the status, which is saved before others are made.
func TestForgottenClaimsAreSavedFirst(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Build())
	s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}}
	if out, err := prepare.Provisioned(s, &s.SB.Spec.Targets[0], pvc.StorageMade{Step: owned.ForgetClaims}); err != nil || out != pass.SaveFirst() {
		t.Errorf("it goes on with %+v, %v", out, err)
	}
}

func TestWithoutAttributes(t *testing.T) {
	target := ebsTarget()
	sb := builder.NewBenchmark("ns", "sb").Target(target).Build()
	name := storage.ClaimNames(sb, &target)[0]
	claim := func(class *string) map[string]*corev1.PersistentVolumeClaim {
		return map[string]*corev1.PersistentVolumeClaim{name: {Spec: corev1.PersistentVolumeClaimSpec{VolumeAttributesClassName: class}}}
	}
	for what, test := range map[string]struct {
		asked  *string
		claims map[string]*corev1.PersistentVolumeClaim
		lost   bool
	}{
		"not asked for": {claims: claim(nil)},
		"not made yet":  {asked: new("gold")},
		"kept":          {asked: new("gold"), claims: claim(new("gold"))},
		"lost":          {asked: new("gold"), claims: claim(nil), lost: true},
	} {
		t.Run(what, func(t *testing.T) {
			target := ebsTarget()
			target.VolumeAttributesClassName = test.asked
			s := writerOf(sb)
			s.Children.Claims = test.claims
			got := prepare.WithoutAttributes(&s.Children, &target)
			if test.lost != strings.Contains(got, "claim "+name+" has lost its volumeAttributesClassName: "+prepare.NoAttributesClasses) || (!test.lost && got != "") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Of the claims of many clients those are applied that are missing.
func TestOnlyMissingClaimsAreApplied(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(4)) }).Build()
	target := &sb.Spec.Targets[0]
	names := storage.ClaimNames(sb, target)
	for name, there := range map[string][]string{"all are missing": nil, "one is missing": names[:3], "two are missing": names[1:3]} {
		t.Run(name, func(t *testing.T) {
			var applied []string
			var mu sync.Mutex
			writes := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
				Apply: func(_ context.Context, _ client.WithWatch, object runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
					if claim, ok := object.(*corev1ac.PersistentVolumeClaimApplyConfiguration); ok {
						mu.Lock()
						defer mu.Unlock()
						applied = append(applied, *claim.Name)
					}
					return nil
				},
			})
			r := &Reconciler{Client: writes, Clock: clocktesting.NewFakeClock(noon)}
			p := r.newPass(sb, &pass.Memory{})
			p.Children.Claims = map[string]*corev1.PersistentVolumeClaim{}
			for _, claim := range there {
				p.Children.Claims[claim] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim}}
			}
			if err := pvc.ApplyObjects(t.Context(), p, storage.For(sb, target, job.UserOf(sb))); err != nil {
				t.Fatal(err)
			}
			slices.Sort(applied)
			want := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool { return slices.Contains(there, name) })
			if len(names) != 4 || !slices.Equal(applied, want) {
				t.Errorf("applied are %v, want %v of %v", applied, want, names)
			}
		})
	}
}
