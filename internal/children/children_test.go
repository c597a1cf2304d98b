package children

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
)

// Pods are kept by what they are for, and only those that are the benchmark's. One that may measure counts also when its Job is gone.
func TestSortPods(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID = "sb-uid" }).Build()
	name, anchor := childmeta.RunName(sb, "a", 1, 0), childmeta.AnchorName(sb, 0, 1)
	ofJob := func(uid types.UID) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: uid, Controller: new(true)}
	}
	pod := func(name, role string, phase corev1.PodPhase, owners ...metav1.OwnerReference) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: name, OwnerReferences: owners, Annotations: map[string]string{v1alpha1.AnnotationRun: "a"},
				Labels: childmeta.Labels(sb, v1alpha1.LabelRole, role, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0"),
			},
			Spec:   corev1.PodSpec{NodeName: "n"},
			Status: corev1.PodStatus{Phase: phase},
		}
	}
	unlaid := func(pod corev1.Pod) corev1.Pod {
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{
			Name: job.LayoutContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
		}}
		return pod
	}
	const run, running, ended = v1alpha1.RoleRun, corev1.PodRunning, corev1.PodSucceeded
	for _, test := range []struct {
		what      string
		pod       corev1.Pod
		run       bool // it is a pod of the run
		anchor    bool
		measuring bool
	}{
		{"a run's", pod(name+"-x", run, running, ofJob("job-uid")), true, false, true},
		{"a run's that has ended", pod(name+"-x", run, ended, ofJob("job-uid")), true, false, false},
		{"a run's whose files could not be laid out", unlaid(pod(name+"-x", run, corev1.PodPending, ofJob("job-uid"))), true, false, false},
		{"a Job's of before", pod(name+"-x", run, running, ofJob("before")), false, false, true},
		{"a deleted Job's", pod(name+"-x", run, running), false, false, true},
		{"a deleted Job's that has ended", pod(name+"-x", run, ended), false, false, false},
		{"an anchor", pod(anchor, v1alpha1.RoleAnchor, running, builder.OwnedBy(sb)), false, true, false},
		{"one that says it is an anchor", pod("mine", v1alpha1.RoleAnchor, running, builder.OwnedBy(sb)), false, false, false},
		{"an anchor without an owner", pod(anchor, v1alpha1.RoleAnchor, running), false, false, false},
		{"one that says it is a run's", pod("mine", run, running), false, false, false},
	} {
		t.Run(test.what, func(t *testing.T) {
			s := Of(sb, noneUnmade)
			s.MayMeasure = true // of the pass before
			s.Jobs = map[string]*batchv1.Job{name: {ObjectMeta: metav1.ObjectMeta{Name: name, UID: "job-uid"}}}
			s.sortPods([]corev1.Pod{test.pod})
			if s.MayMeasure != test.measuring || (len(s.Pods[name]) == 1) != test.run || (s.Anchors[anchor] != nil) != test.anchor || len(s.Pods)+len(s.Anchors) > 1 {
				t.Errorf("measures: %t, pods of runs %v, anchors %v", s.MayMeasure, slices.Collect(maps.Keys(s.Pods)), slices.Collect(maps.Keys(s.Anchors)))
			}
		})
	}
}

// A claim is the benchmark's by its name and its owner. Which target it is of is known of all that it makes.
func TestOwnClaims(t *testing.T) {
	sb := builder.OneRun("default", "sb").Target(builder.NewClaimTarget("theirs", "mine")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID, sb.Spec.Clients = "sb-uid", new(int32(2))
	}).Build()
	first, second := childmeta.Name(sb, "fast"), childmeta.Name(sb, "fast", childmeta.Client(1))
	claim := func(name string, owners ...metav1.OwnerReference) corev1.PersistentVolumeClaim {
		return corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: owners}}
	}
	s := Of(sb, noneUnmade)
	there := []corev1.PersistentVolumeClaim{claim("mine"), claim(second, builder.OwnedBy(sb)), claim(first), claim("other", builder.OwnedBy(sb))}
	if early := s.OwnClaims(there); len(early) > 0 {
		t.Errorf("before it has started, %q is its own", early[0].Name)
	}
	sb.Status.StartTime = at(0)
	var own []string
	for _, claim := range s.OwnClaims(there) {
		own = append(own, claim.Name)
	}
	if !slices.Equal(own, []string{second}) || !maps.Equal(s.ClaimTargets, map[string]string{first: "fast", second: "fast"}) {
		t.Errorf("own claims are %q, of targets %v", own, s.ClaimTargets)
	}
}

// The Jobs of an attempt that are not there are those of its own clients and of no other attempt.
func TestMissingJobs(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	c := Of(sb, noneUnmade)
	run := &v1alpha1.Run{Name: "a", Attempts: 2, Clients: 3}
	for _, name := range []string{childmeta.RunName(sb, "a", 2, 1), childmeta.RunName(sb, "a", 1, 0), childmeta.RunName(sb, "b", 2, 2)} {
		c.Jobs = map[string]*batchv1.Job{}
		c.Jobs[name] = &batchv1.Job{}
		want := []int32{0, 1, 2}
		if name == childmeta.RunName(sb, "a", 2, 1) {
			want = []int32{0, 2}
		}
		if got := c.MissingJobs(run); !slices.Equal(got, want) {
			t.Errorf("beside %s, clients %v lack their Jobs, want %v", name, got, want)
		}
	}
	c.Jobs = map[string]*batchv1.Job{childmeta.RunName(sb, "a", 2, 0): {}}
	if got := c.MissingJobs(&v1alpha1.Run{Name: "a", Attempts: 2}); len(got) > 0 {
		t.Errorf("of a run by one client, clients %v lack their Jobs", got)
	}
}

// The youngest pod of a Job counts, if there is one.
func TestNewest(t *testing.T) {
	pod := func(age time.Duration) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon.Add(-age))}}
	}
	young := pod(time.Second)
	if got := Newest([]*corev1.Pod{pod(time.Hour), young, pod(time.Minute)}); got != young {
		t.Errorf("newest is %v", got)
	}
	if got := Newest(nil); got != nil {
		t.Errorf("newest of none is %v", got)
	}
}

// What is known of anchors is what the decision about them takes.
func TestSeeAnchors(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	c := Of(sb, noneUnmade)
	sb.Status.Anchors = []v1alpha1.Anchor{{Attempts: 1}, {Attempts: 2, Pod: "before", Node: "a"}, {Attempts: 1}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: childmeta.AnchorName(sb, 2, 1)}}
	c.Anchors = map[string]*corev1.Pod{pod.Name: pod}
	if diff := cmp.Diff([]attempt.Anchor{{Bound: true}, {Seen: true, Node: "a", Bound: true}, {Pod: pod, Bound: true}}, c.SeeAnchors()); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
	if got := sb.Status.Anchors; got[0].Pod != "" || got[1].Pod != "before" || got[2].Pod != "" {
		t.Errorf("before all are there, noted are %+v", got)
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at returns a time after noon.
func at(after time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(after))) }

// noneUnmade is of an operator that knows of no claim which it has not made.
func noneUnmade(string) bool { return false }
