package controllers

import (
	"errors"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// Where runs may have made files that stay is written down as soon as a container of a run's pod has begun.
func TestNoteFilesOf(t *testing.T) {
	began := []corev1.ContainerStatus{{Name: job.MeasureContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *at(0)}}}}
	for _, test := range []struct {
		name   string
		target v1alpha1.Target
		status v1alpha1.TargetStatus
		role   string
		began  []corev1.ContainerStatus
		want   v1alpha1.TestFilesState
	}{
		{"somebody's claim", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{}, v1alpha1.RoleRun, began, v1alpha1.TestFilesPresent},
		{"a bucket", v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{}}, v1alpha1.TargetStatus{}, v1alpha1.RoleRun, began, v1alpha1.TestFilesPresent},
		{"a class of EFS", builder.NewTarget("t"), v1alpha1.TargetStatus{Driver: storage.EFSDriver}, v1alpha1.RoleRun, began, v1alpha1.TestFilesPresent},
		{"a volume that goes", builder.NewTarget("t"), v1alpha1.TargetStatus{}, v1alpha1.RoleRun, began, ""},
		{"a device", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{VolumeMode: corev1.PersistentVolumeBlock}, v1alpha1.RoleRun, began, ""},
		{"a pod that has not begun", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{}, v1alpha1.RoleRun, nil, ""},
		{"an anchor", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{}, v1alpha1.RoleAnchor, began, ""},
		{"what is removed", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{TestFiles: v1alpha1.TestFilesRemoved}, v1alpha1.RoleRun, began, v1alpha1.TestFilesRemoved},
		{"what is given up", builder.NewClaimTarget("t", "mine"), v1alpha1.TargetStatus{TestFiles: v1alpha1.TestFilesLeftBehind}, v1alpha1.RoleRun, began, v1alpha1.TestFilesLeftBehind},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.status.Name = "t"
			s := scopeOf(builder.NewBenchmark("default", "sb").Target(test.target).With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "other"}, test.status}
			}).Build())
			s.noteFilesOf(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelRole: test.role, v1alpha1.LabelTarget: "t"}},
				Status:     corev1.PodStatus{ContainerStatuses: test.began},
			})
			if got := s.sb.Status.Targets; got[1].TestFiles != test.want || got[0].TestFiles != "" || s.hasNewFiles() != (test.want != test.status.TestFiles) {
				t.Errorf("targets are %+v, news: %t", got, s.hasNewFiles())
			}
		})
	}
}

// Test files have half of the time for clean-up. What is known by then stays known, and an error is one only as long as there is time.
func TestFilesAfter(t *testing.T) {
	const present, removed, left = v1alpha1.TestFilesPresent, v1alpha1.TestFilesRemoved, v1alpha1.TestFilesLeftBehind
	busy := errors.New("etcd is busy")
	for _, test := range []struct {
		name   string
		took   time.Duration
		state  v1alpha1.TestFilesState
		err    error
		failed bool
		want   v1alpha1.TestFilesState
		pass   error
	}{
		{"removed", 0, removed, nil, false, removed, nil},
		{"removed late", time.Hour, removed, nil, true, removed, nil},
		{"given up", 0, left, nil, false, left, nil},
		{"not yet", 59 * time.Second, present, nil, false, present, nil},
		{"not in half of the time", time.Minute, present, nil, false, left, nil},
		{"its Job failed for good", 0, present, nil, true, left, nil},
		{"an error", 0, present, busy, false, present, busy},
		{"an error, whatever it came with", 0, removed, busy, false, present, busy},
		{"an error, after a Job that failed", 0, present, busy, true, present, busy},
		{"an error for too long", time.Minute, present, busy, false, left, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(120))}).Build())
			s.sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionTrue, LastTransitionTime: *at(-test.took)}}
			s.memory.cleaningSince, s.memory.cleaningFor = noon.Add(-test.took), firstTry
			if test.failed {
				s.jobs = map[string]*batchv1.Job{job.CleanUpName(s.sb, "t", 0): {Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}}}}
			}
			got, err := s.filesAfter(&s.sb.Spec.Targets[0], test.state, test.err)
			if got != test.want || !errors.Is(err, test.pass) {
				t.Errorf("they are %s, %v, want %s, %v", got, err, test.want, test.pass)
			}
		})
	}
}

func TestHasFailedToClean(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }).Build()
	second := job.CleanUpName(sb, "fast", 1)
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
		"another target's":  {with(job.CleanUpName(sb, "slow", 0), batchv1.JobFailed, corev1.ConditionTrue), false},
	} {
		s := scopeOf(sb)
		s.jobs = test.jobs
		if got := s.hasFailedToClean(&sb.Spec.Targets[0]); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Who has to remove files by hand reads where they are, and how.
func TestLeftoverFiles(t *testing.T) {
	bucket := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "b", Prefix: new("team/")}}
	access := v1alpha1.Target{Name: "t", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-1"}}
	sb := builder.NewBenchmark("default", "sb").Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.UID, sb.Spec.Clients = "uid", new(int32(2)) }).Build()
	claims := child.Name(sb, "t") + ", " + child.Name(sb, "t", child.Client(1))
	cleaner := job.CleanUpName(sb, "t", 0)
	const byPod, byHand = "remove that directory in a pod that mounts the claim", "mount the file system and remove that directory"
	for _, test := range []struct {
		name          string
		target        v1alpha1.Target
		volumes       []v1alpha1.VolumeStatus
		at            whereabouts
		job           bool
		what, command string
	}{
		{"on a claim", builder.NewClaimTarget("t", "mine"), nil, givenUp, false, "directory storagebench-uid on claim mine", byPod},
		{"on claims", builder.NewTarget("t"), nil, givenUp, false, "directory storagebench-uid on claim " + claims, byPod},
		{
			"on a claim that goes", builder.NewTarget("t"), []v1alpha1.VolumeStatus{{Name: "pv", Handle: "fs-1::fsap-1"}}, givenUp, false,
			"directory storagebench-uid on volume fs-1::fsap-1, whose claim goes with the benchmark", "mount the storage behind the volume and remove that directory",
		},
		{
			"with a Job", builder.NewClaimTarget("t", "mine"), nil, inReach, true, "directory storagebench-uid on claim mine",
			byPod + "; kubectl describe job -n default " + cleaner + " tells why it was not",
		},
		{"with a Job, given up", builder.NewClaimTarget("t", "mine"), nil, givenUp, true, "directory storagebench-uid on claim mine", byPod},
		{
			"on a claim that is gone", builder.NewClaimTarget("t", "mine"), []v1alpha1.VolumeStatus{{Name: "pv", Handle: "vol-1"}}, withoutIt, false,
			"directory storagebench-uid on volume vol-1, whose claim is gone", "mount the storage behind the volume and remove that directory",
		},
		{
			"on a claim that is gone, with volumes that were never seen", builder.NewClaimTarget("t", "mine"), nil, withoutIt, false,
			"directory storagebench-uid on the volume of claim mine, which is gone", "if the volume is there, mount it and remove that directory",
		},
		{"in a bucket", bucket, nil, withoutIt, false, "objects of s3://b/team/" + child.Name(sb, "t") + "/", "aws s3 rm --recursive s3://b/team/" + child.Name(sb, "t") + "/"},
		{"on EFS", access, []v1alpha1.VolumeStatus{{Handle: "fs-1::fsap-1"}}, givenUp, false, "directory storagebench-uid on file system fs-1", byHand},
		{
			"on EFS, in an access point's directory", access, []v1alpha1.VolumeStatus{{Handle: "fs-1::fsap-1"}}, withoutIt, false,
			"directory storagebench-uid on file system fs-1, in the directory of access point fs-1::fsap-1", byHand,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(sb.DeepCopy())
			s.sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Volumes: test.volumes}}
			if test.job {
				s.jobs = map[string]*batchv1.Job{cleaner: {}}
			}
			if got, want := s.leftoverFiles(&test.target, test.at), (leftover{what: test.what, command: test.command, abandoned: test.at != inReach}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
