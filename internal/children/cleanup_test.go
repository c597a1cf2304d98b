package children

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// What a claim is that has a target's name is told by its owner, where the benchmark makes it, and by its UID, where it is somebody's.
func TestFound(t *testing.T) {
	sb := builder.OneRun("ns", "sb").Target(builder.NewClaimTarget("theirs", "theirs")).Build()
	own, theirs := &sb.Spec.Targets[0], &sb.Spec.Targets[1]
	sb.Status.StartTime, sb.Status.Targets = at(0), []v1alpha1.TargetStatus{{Name: own.Name}, {Name: "theirs"}}
	sb.Status.Targets[0].SetClaimUID(storage.ClaimName(sb, own, 0), "c1")
	sb.Status.Targets[1].SetClaimUID("theirs", "c1")
	for name, test := range map[string]struct {
		target *v1alpha1.Target
		change func(*corev1.PersistentVolumeClaim)
		want   cleanup.Found
	}{
		"gone":                      {own, func(c *corev1.PersistentVolumeClaim) { *c = corev1.PersistentVolumeClaim{} }, cleanup.Gone},
		"there":                     {own, func(*corev1.PersistentVolumeClaim) {}, cleanup.There},
		"made by somebody else":     {own, func(c *corev1.PersistentVolumeClaim) { c.UID = "c2" }, cleanup.Other},
		"of nobody":                 {own, func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences = nil }, cleanup.Other},
		"a device":                  {own, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) }, cleanup.Device},
		"being deleted":             {own, func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = at(0) }, cleanup.Ending},
		"somebody's, gone":          {theirs, func(c *corev1.PersistentVolumeClaim) { *c = corev1.PersistentVolumeClaim{} }, cleanup.Gone},
		"somebody's":                {theirs, func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences = nil }, cleanup.There},
		"somebody's, made anew":     {theirs, func(c *corev1.PersistentVolumeClaim) { c.UID = "c2" }, cleanup.Other},
		"somebody's, a device":      {theirs, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) }, cleanup.Device},
		"somebody's, being deleted": {theirs, func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = at(0) }, cleanup.Ending},
		"somebody's, made anew, and a device": {theirs, func(c *corev1.PersistentVolumeClaim) {
			c.UID, c.Spec.VolumeMode = "c2", new(corev1.PersistentVolumeBlock)
		}, cleanup.Other},
	} {
		t.Run(name, func(t *testing.T) {
			c := Of(sb, noneUnmade)
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ns", Name: storage.ClaimName(sb, test.target, 0), UID: "c1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
			}}
			test.change(claim)
			if got := c.FoundClaim(test.target, claim); got != test.want {
				t.Errorf("it is %s, want %s", got, test.want)
			}
		})
	}
}

// Clean-up of a target has failed when Kubernetes repeats the pods of one of its Jobs no longer.
func TestHasFailedToClean(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build()
	second := childmeta.CleanUpName(sb, "fast", 1)
	with := func(name string, kind batchv1.JobConditionType, status corev1.ConditionStatus) map[string]*batchv1.Job {
		return map[string]*batchv1.Job{name: {Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: kind, Status: status}}}}}
	}
	for name, test := range map[string]struct {
		jobs map[string]*batchv1.Job
		want bool
	}{
		"no Jobs":           {nil, false},
		"it goes on":        {map[string]*batchv1.Job{second: {}}, false},
		"it is to fail":     {with(second, batchv1.JobFailureTarget, corev1.ConditionTrue), false},
		"it has not failed": {with(second, batchv1.JobFailed, corev1.ConditionFalse), false},
		"it has failed":     {with(second, batchv1.JobFailed, corev1.ConditionTrue), true},
		"another target's":  {with(childmeta.CleanUpName(sb, "slow", 0), batchv1.JobFailed, corev1.ConditionTrue), false},
	} {
		c := Of(sb, noneUnmade)
		c.Jobs = test.jobs
		if got := c.HasFailedToClean(&sb.Spec.Targets[0]); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// The Job that tells why files were not removed is the first client's, if it is there.
func TestCleanerName(t *testing.T) {
	c := Of(builder.OneRun("default", "sb").Build(), noneUnmade)
	target := &c.Benchmark.Spec.Targets[0]
	if got := c.CleanerName(target); got != "" {
		t.Errorf("without a Job it is %q", got)
	}
	name := childmeta.CleanUpName(c.Benchmark, "fast", 0)
	c.Jobs = map[string]*batchv1.Job{name: {}}
	if got := c.CleanerName(target); got != name {
		t.Errorf("it is %q, want %q", got, name)
	}
}

// A volume that nobody has heard of is told by the claim that it was made for. One whose claim is there is that claim's.
func TestIsLateVolume(t *testing.T) {
	c := Of(builder.OneRun("ns", "sb").Build(), noneUnmade)
	name := storage.ClaimName(c.Benchmark, &c.Benchmark.Spec.Targets[0], 0)
	c.Benchmark.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast", Volumes: []v1alpha1.VolumeStatus{{Name: "known"}}}}
	ref := func(namespace, name string) *corev1.ObjectReference {
		return &corev1.ObjectReference{Namespace: namespace, Name: name, UID: "c1"}
	}
	there := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "c1"}}
	for what, test := range map[string]struct {
		volume string
		ref    *corev1.ObjectReference
		claims []corev1.PersistentVolumeClaim
		want   bool
	}{
		"late":               {"late", ref("ns", name), nil, true},
		"known":              {"known", ref("ns", name), nil, false},
		"of another claim":   {"late", ref("ns", "mine"), nil, false},
		"in another place":   {"late", ref("other", name), nil, false},
		"of nobody":          {"late", nil, nil, false},
		"its claim is there": {"late", ref("ns", name), []corev1.PersistentVolumeClaim{there}, false},
	} {
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: test.volume}, Spec: corev1.PersistentVolumeSpec{ClaimRef: test.ref}}
		if got := c.IsLateVolume(volume, test.claims); got != test.want {
			t.Errorf("%s: %t, want %t", what, got, test.want)
		}
	}
}
