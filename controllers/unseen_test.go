package controllers

import (
	"errors"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// An attempt of which nobody has seen that it did not begin may have written.
func TestIsUnseen(t *testing.T) {
	const running, pending = v1alpha1.RunRunning, v1alpha1.RunPending
	one, two := v1alpha1.Run{Name: "a", Target: "t", State: running, Attempts: 2}, v1alpha1.Run{Name: "a", Target: "t", State: running, Attempts: 2, Clients: 2}
	began := func(number int32, clients ...int32) func(*pass.Memory) {
		return func(m *pass.Memory) {
			m.OwnAttempt = attempt.NewOwnAttempt(&v1alpha1.Run{Name: "a", Attempts: number})
			for _, client := range clients {
				m.OwnAttempt.Made(&v1alpha1.Run{Name: "a", Attempts: number}, client)
			}
		}
	}
	for name, test := range map[string]struct {
		run    v1alpha1.Run
		memory func(*pass.Memory)
		jobs   map[int32]batchv1.JobStatus
		pods   []int32
		want   bool
	}{
		"begun by an operator before this one, and no Job": {run: one, want: true},
		"begun by this operator, and not made yet":         {run: one, memory: began(2)},
		"made by this operator, and gone":                  {run: one, memory: began(2, 0), want: true},
		"this operator began the one before":               {run: one, memory: began(1), want: true},
		"its Job is there, and no pod yet":                 {run: one, jobs: map[int32]batchv1.JobStatus{0: {Active: 1}}},
		"its pod is there":                                 {run: one, jobs: map[int32]batchv1.JobStatus{0: {Failed: 1}}, pods: []int32{0}},
		"its pod has failed, and is gone":                  {run: one, jobs: map[int32]batchv1.JobStatus{0: {Failed: 1}}, want: true},
		"its pod has succeeded, and is gone":               {run: one, jobs: map[int32]batchv1.JobStatus{0: {Succeeded: 1}}, want: true},
		"the second client's Job is gone":                  {run: two, jobs: map[int32]batchv1.JobStatus{0: {}}, want: true},
		"the second client's Job was never made":           {run: two, memory: began(2, 0), jobs: map[int32]batchv1.JobStatus{0: {}}},
		"it is to be repeated":                             {run: v1alpha1.Run{Name: "a", Target: "t", State: pending, Attempts: 2}},
		"it has not begun":                                 {run: v1alpha1.Run{Name: "a", Target: "t", State: pending}},
		"it has ended":                                     {run: v1alpha1.Run{Name: "a", Target: "t", State: v1alpha1.RunFailed, Attempts: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := writerOf(builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Build())
			s.SB.Status.Targets, s.SB.Status.Runs = []v1alpha1.TargetStatus{{Name: "t"}}, []v1alpha1.Run{test.run}
			if test.memory != nil {
				test.memory(s.Memory)
			}
			s.Children.Jobs, s.Children.Pods = map[string]*batchv1.Job{}, map[string][]*corev1.Pod{}
			for client, status := range test.jobs {
				j := &batchv1.Job{Status: status}
				j.Name = childmeta.RunName(s.SB, "a", 2, client)
				s.Children.Jobs[j.Name] = j
			}
			for _, client := range test.pods {
				s.Children.Pods[childmeta.RunName(s.SB, "a", 2, client)] = []*corev1.Pod{{}}
			}
			s.Fail(v1alpha1.ReasonDeleted, "the StorageBenchmark was deleted before it ended")
			if noted := s.SB.Status.Targets[0].TestFiles == v1alpha1.TestFilesPresent; noted != test.want {
				t.Errorf("there may be files: %t, want %t", noted, test.want)
			}
		})
	}
}

// Files stay on somebody's claim, and on a volume that was there before, to which a claim of the benchmark has come.
// They go with one that was made for it.
func TestMayHaveWritten(t *testing.T) {
	const uid = "0b1e5f0a-1111-2222-3333-444455556666"
	for name, test := range map[string]struct {
		target v1alpha1.Target
		volume string
		status v1alpha1.TestFilesState
		want   v1alpha1.TestFilesState
	}{
		"somebody's claim":        {target: builder.NewClaimTarget("t", "mine"), want: v1alpha1.TestFilesPresent},
		"a bucket":                {target: v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{}}, volume: "sb-t", want: v1alpha1.TestFilesPresent},
		"a volume made for it":    {target: builder.NewTarget("t"), volume: "pvc-" + uid},
		"a volume that was there": {target: builder.NewTarget("t"), volume: "old", want: v1alpha1.TestFilesPresent},
		"a device that was there": {target: builder.NewBlockTarget("t"), volume: "old"},
		"no volume yet":           {target: builder.NewTarget("t")},
		"what is removed":         {target: builder.NewTarget("t"), volume: "old", status: v1alpha1.TestFilesRemoved, want: v1alpha1.TestFilesRemoved},
		"a file system as it is":  {target: v1alpha1.Target{Name: "t", EFS: &v1alpha1.EFSFileSystem{Provisioning: new(v1alpha1.EFSStatic)}}, volume: "sb-t", want: v1alpha1.TestFilesPresent},
	} {
		s := writerOf(builder.NewBenchmark("default", "sb").Target(test.target).Build())
		s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", TestFiles: test.status, VolumeMode: storage.VolumeMode(&test.target)}}
		claim := claimOf("default", storage.ClaimName(s.SB, &s.SB.Spec.Targets[0], 0), nil)
		claim.UID, claim.Spec.VolumeName = uid, test.volume
		s.Children.Claims = map[string]*corev1.PersistentVolumeClaim{claim.Name: claim}
		seen := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: job.MeasureContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *at(0)}}},
		}}}
		seen.Labels = map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun, v1alpha1.LabelTarget: "t"}
		for how, note := range map[string]func(*pass.Pass){
			"the pod was not observed":  func(s *pass.Pass) { s.Children.NoteWritten("t") },
			"the pod was seen to begin": func(s *pass.Pass) { s.Children.NoteFilesOf(seen) },
			"its outcome is collected": func(s *pass.Pass) {
				p := s
				if err := workers.Collect(t.Context(), p, &v1alpha1.Run{Target: "t"}, []workers.Part{{Seen: attempt.State{Phase: attempt.Failed}}}); err != nil {
					t.Error(err)
				}
			},
		} {
			s.SB.Status.Targets[0].TestFiles = test.status
			if note(s); s.SB.Status.Targets[0].TestFiles != test.want {
				t.Errorf("%s, %s: files are %q, want %q", name, how, s.SB.Status.Targets[0].TestFiles, test.want)
			}
		}
	}
}

// A run that began, wrote, and was deleted with its Job while no operator was there has left its files. They are
// removed.
func TestFilesOfARunThatNobodySaw(t *testing.T) {
	t.Parallel()
	remove := func(w *testWorld, sb *v1alpha1.StorageBenchmark) { w.delete(sb) }
	for name, test := range map[string]struct {
		meanwhile, afterwards func(*testWorld, *v1alpha1.StorageBenchmark)
	}{
		"the benchmark is deleted":      {meanwhile: remove},
		"it is deleted as Argo CD does": {meanwhile: func(w *testWorld, sb *v1alpha1.StorageBenchmark) { w.delete(sb, foreground) }},
		"it is suspended, and deleted later": {
			func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
				w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
			}, remove,
		},
		"it ends for another reason": {meanwhile: func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.Eventually(func() error {
				current := w.Get(sb)
				current.Status.Runs[0].Name = "gone.t" // which is no longer part of the spec
				return w.Client.Status().Update(w.Context(), current)
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			w.claim("mine", corev1.PersistentVolumeFilesystem)
			w.Cluster.AllPods(fakecluster.Unschedulable("no nodes"))
			stop := w.startOperator()
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("t", "mine")).Workload(builder.NewWorkload("reads")).Build())
			sb = w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
				if len(sb.Status.Runs) == 0 || sb.Status.Runs[0].Job == "" {
					return errors.New("the run has no Job")
				}
				return nil
			})
			stop()
			cleaned, _ := counted(w)
			w.Eventually(func() error { return wantPods(w.runPods(), true) })
			if files := w.Get(sb).Status.Targets[0].TestFiles; files != "" {
				t.Fatalf("test files are %q before anybody has seen any, so this shows nothing", files)
			}
			w.delete(&w.jobs()[0], background)
			w.Eventually(func() error {
				if pods := w.runPods(); len(pods) > 0 {
					return fmt.Errorf("pod %s is there", pods[0].Name)
				}
				return nil
			})
			test.meanwhile(w, sb)

			w.startOperator()
			w.Eventually(func() error {
				current := &v1alpha1.StorageBenchmark{}
				err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(sb), current)
				if err == nil && current.Status.Targets[0].TestFiles == "" {
					return errors.New("nobody knows of test files")
				}
				return client.IgnoreNotFound(err)
			})
			if test.afterwards != nil {
				test.afterwards(w, sb)
			}
			w.Eventually(func() error {
				if cleaned.Load() == 0 {
					return errors.New("no pod has removed them")
				}
				return nil
			})
		})
	}
}

// A Job that was refused was not made. One of which nobody knows may have written.
func TestNoteJobs(t *testing.T) {
	run := &v1alpha1.Run{Name: "a", Target: "t", State: v1alpha1.RunRunning, Attempts: 1, Clients: 3}
	m := pass.Memory{OwnAttempt: attempt.NewOwnAttempt(run)}
	m.NoteJobs(run, []int32{0, 1, 2}, []error{apierrors.NewBadRequest("no"), errors.New("connection reset"), nil})
	for client, want := range []bool{false, true, true} {
		if got := m.OwnAttempt.MayHaveJob(run, int32(client)); got != want {
			t.Errorf("client %d may have a Job: %t, want %t", client, got, want)
		}
	}
}
