package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
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
			s := writerOf(builder.NewBenchmark("default", "sb").Target(test.target).With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "other"}, test.status}
			}).Build())
			s.Children.NoteFilesOf(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelRole: test.role, v1alpha1.LabelTarget: "t"}},
				Status:     corev1.PodStatus{ContainerStatuses: test.began},
			})
			if got := s.SB.Status.Targets; got[1].TestFiles != test.want || got[0].TestFiles != "" || s.HasNewFiles() != (test.want != test.status.TestFiles) {
				t.Errorf("targets are %+v, news: %t", got, s.HasNewFiles())
			}
		})
	}
}
