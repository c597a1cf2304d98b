package permissions_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
)

// schedule returns a schedule whose benchmarks are on storage that exists, with changes.
func (p *policed) schedule(changes ...change) *v1alpha1.StorageBenchmarkSchedule {
	return &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, GenerateName: "sbs-"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "0 3 * * *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: p.benchmark(changes...).Spec},
		},
	}
}

// The operator makes the benchmarks of a schedule with its own rights. So a tenant must have, for whatever makes a schedule do something else, or do it at
// another time, the rights to all that it does.
func TestUpdatesOfSchedules(t *testing.T) {
	p := newPoliced(t)
	const refused = "spec.template.spec.targets[1].ebs: has a StorageClass made, which user \"tenant\" may not create"
	type change = func(*v1alpha1.StorageBenchmarkSchedule)
	suspended := func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(true) }
	for _, test := range []struct {
		name           string
		before, change change
		refused        string
	}{
		{name: "a label", change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Labels = map[string]string{"team": "storage"} }},
		{name: "an acknowledgement", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Annotations = map[string]string{v1alpha1.AnnotationAcknowledged: "2026-11-24T00:00:00Z"}
		}},
		{name: "suspended", change: suspended},
		{name: "how much is kept", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.HistoryLimit, s.Spec.SuccessfulBenchmarksHistoryLimit, s.Spec.FailedBenchmarksHistoryLimit = new(int32(10)), new(int32(0)), new(int32(0))
		}},
		{name: "labels of benchmarks", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Metadata.Labels = map[string]string{"team": "storage"}
		}},
		{name: "another time while it is suspended", before: suspended, change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Schedule = "* * * * *" }},

		{name: "suspended no longer", before: suspended, change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(false) }, refused: refused},
		{name: "not said to be suspended any longer", before: suspended, change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = nil }, refused: refused},
		{name: "more often", change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Schedule = "* * * * *" }, refused: refused},
		{name: "another time zone", change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.TimeZone = new("Asia/Tokyo") }, refused: refused},
		{name: "however late", before: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.StartingDeadlineSeconds = new(int64(60)) },
			change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.StartingDeadlineSeconds = nil }, refused: refused},
		{name: "several at a time", before: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid },
			change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyAllow }, refused: refused},
		{name: "another workload", change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Template.Spec.Workloads[0].Name = "other" }, refused: refused},
		{name: "longer", change: func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Template.Spec.Repetitions = new(int32(64)) }, refused: refused},
		{name: "more inline storage", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Spec.Targets = append(s.Spec.Template.Spec.Targets, v1alpha1.Target{Name: "more", EBS: &v1alpha1.EBSVolume{Type: "gp3"}})
		}, refused: "spec.template.spec.targets[1].ebs, spec.template.spec.targets[2].ebs: has a StorageClass made"},
		{name: "a service account", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Spec.Pod = &v1alpha1.PodSettings{ServiceAccountName: new("admin")}
		}, refused: refused},
		{name: "no inline storage", change: func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Spec.Targets = s.Spec.Template.Spec.Targets[:1]
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := p.schedule(ebs())
			if test.before != nil {
				test.before(s)
			}
			p.create(t, s)
			before := s.DeepCopy()
			test.change(s)
			err := p.as(t, "tenant").Patch(t.Context(), s, client.MergeFrom(before))
			switch {
			case test.refused == "" && err != nil:
				t.Error(err)
			case test.refused != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("error %v, want one that says %q", err, test.refused)
			}
		})
	}
}

// Who may make schedules, and no benchmarks, may not have benchmarks made.
func TestSchedulesOfWhoMayMakeNoBenchmarks(t *testing.T) {
	p := newPoliced(t)
	const user = "scheduler"
	rules := []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"storagebenchmarkschedules"}, Verbs: []string{"create", "patch"}}}
	p.create(t, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: user}, Rules: rules})
	p.create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: user}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})
	await.Wait{For: "the refusal"}.Holds(t, func() error {
		err := p.as(t, user).Create(t.Context(), p.schedule(), client.DryRunAll)
		if want := "spec.template: has StorageBenchmarks made, which user \"scheduler\" may not create in namespace "; err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("want %q: %w", want, cmp.Or(err, errAdmitted))
		}
		return nil
	})
}

// Of the rights of pods, as of those of storage, the template's are looked at.
func TestPodsOfSchedules(t *testing.T) {
	p := newPoliced(t)
	s := p.schedule(pod(v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(0))}}), on(builder.NewClaimTarget("", "data")))
	if err := p.as(t, "pods").Create(t.Context(), s.DeepCopy(), client.DryRunAll); err != nil {
		t.Error(err)
	}
	if err := p.as(t, "tenant").Create(t.Context(), s, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "spec.template.spec.pod.securityContext: is for users who may create pods") {
		t.Errorf("error is %v", err)
	}
}
