package children

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// A Job may be made, run and be deleted while the operator does not look: it was started anew, and a tenant or the garbage collector was faster. Then
// nobody has seen that a container of it began. Its test files lie on storage that stays all the same. So an attempt that the status says was begun, and whose
// Jobs or pods are not there, counts as one that has written, unless this operator knows that its Jobs were never made.

// NoteFilesOf writes down that a run's pod may have made files: a container of it has begun.
func (c *Children) NoteFilesOf(pod *corev1.Pod) {
	if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && !attempt.Began(pod).IsZero() {
		c.NoteWritten(pod.Labels[v1alpha1.LabelTarget])
	}
}

// NoteUnseen writes down that the attempt of a run, which is given up, may have made files, if nobody has seen that it did not, before the status says
// that it has ended. There need not be a run.
func (c *Children) NoteUnseen(run *v1alpha1.Run, own *attempt.OwnAttempt) {
	if run != nil && c.isUnseen(run, own) {
		c.NoteWritten(run.Target)
	}
}

// NoteWritten writes down that there may be files on a target where they would stay.
func (c *Children) NoteWritten(name string) {
	status := c.Benchmark.Status.Target(name)
	if status.TestFiles == "" && status.VolumeMode != corev1.PersistentVolumeBlock && c.keepsFiles(name, status.Driver) {
		status.TestFiles = v1alpha1.TestFilesPresent
	}
}

// keepsFiles says whether files on a target would stay: by its storage, or because its volume was there before the benchmark, and so has another name than one that was
// made for its claim.
func (c *Children) keepsFiles(name, driver string) bool {
	i := slices.IndexFunc(c.Benchmark.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name })
	if i >= 0 && storage.KeepsFiles(&c.Benchmark.Spec.Targets[i], driver) {
		return true
	}
	for _, claim := range c.Claims {
		if c.ClaimTargets[claim.Name] == name && !c.MountsAsIs(claim) && owned.OriginOf(claim, nil) == owned.Existing {
			return true
		}
	}
	return false
}

// NoteEarlierJobs writes down that Jobs of an attempt which are to be made may have been there before, and gone with what tells of their files.
func (c *Children) NoteEarlierJobs(run *v1alpha1.Run, clients []int32, own *attempt.OwnAttempt) {
	for _, client := range clients {
		if own.MayHaveJob(run, client) {
			c.NoteWritten(run.Target)
			return
		}
	}
}

// isUnseen says whether a client of a run's attempt may have written without having been seen: its Job is not there and may have been, or its pod is not, and
// Kubernetes has counted one. Of a pod that is there it is seen whether a container has begun.
func (c *Children) isUnseen(run *v1alpha1.Run, own *attempt.OwnAttempt) bool {
	if run.State != v1alpha1.RunRunning {
		return false
	}
	for client := range run.ClientCount() {
		j := c.JobOf(run, client)
		switch {
		case j == nil && own.MayHaveJob(run, client):
			return true
		case j != nil && len(c.Pods[j.Name]) == 0 && attempt.HasEndedPods(j):
			return true
		}
	}
	return false
}
