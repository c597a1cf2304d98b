package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
)

// noteFiles writes down on which storage runs may have made files that stay.
func noteFiles(_ context.Context, s *scope) (outcome, error) {
	s.learnDrivers()
	for _, pods := range s.pods {
		for _, pod := range pods {
			s.noteFilesOf(pod)
		}
	}
	return goOn(), nil
}

// noteFilesOf writes down that a run's pod may have made files: a container of it has begun.
func (s *scope) noteFilesOf(pod *corev1.Pod) {
	if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && !podStart(pod).IsZero() {
		s.mayHaveFiles(pod.Labels[v1alpha1.LabelTarget])
	}
}

// mayHaveFiles writes down that there may be files on a target.
func (s *scope) mayHaveFiles(name string) {
	status := s.targetStatus(name)
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		if target.Name == name && status.TestFiles == "" && status.VolumeMode != corev1.PersistentVolumeBlock && storage.KeepsFiles(target, status.Driver) {
			status.TestFiles = v1alpha1.TestFilesPresent
		}
	}
}

// hasNewFiles says whether this pass has found out about test files what is not saved yet.
func (s *scope) hasNewFiles() bool {
	return !slices.EqualFunc(s.before.Status.Targets, s.sb.Status.Targets, func(a, b v1alpha1.TargetStatus) bool { return a.TestFiles == b.TestFiles })
}

// removeFiles has Jobs remove the test files from storage on which they would stay, when the storage is at rest: no
// pod works on it any more.
func (s *scope) removeFiles(ctx context.Context, atRest bool) ([]leftover, error) {
	var left []leftover
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		status := s.targetStatus(target.Name)
		if status.TestFiles == v1alpha1.TestFilesPresent {
			if err := s.removeFilesOf(ctx, target, status, atRest); err != nil {
				return nil, err
			}
		}
		switch status.TestFiles {
		case v1alpha1.TestFilesPresent:
			left = append(left, s.leftoverFiles(target, false))
		case v1alpha1.TestFilesLeftBehind:
			left = append(left, s.leftoverFiles(target, true))
		case v1alpha1.TestFilesRemoved:
		}
	}
	return left, nil
}

// removeFilesOf notes what becomes of a target's test files. They have half of the time for clean-up, so that the
// other half is left to remove the volumes.
func (s *scope) removeFilesOf(ctx context.Context, target *v1alpha1.Target, status *v1alpha1.TargetStatus, atRest bool) error {
	gone, err := false, error(nil)
	if atRest {
		gone, err = s.cleanClaims(ctx, target)
	}
	limit := time.Duration(ptr.Deref(s.sb.Spec.Deadlines.CleanUpSeconds, 0)) * time.Second / 2
	switch {
	case gone && err == nil:
		status.TestFiles = v1alpha1.TestFilesRemoved
	case s.Clock.Since(s.cleanUpBegan()) >= limit, err == nil && s.hasFailedToClean(target):
		status.TestFiles = v1alpha1.TestFilesLeftBehind
	default:
		return err
	}
	return nil
}

// hasFailedToClean says whether a Job that was to remove files of a target has failed for good.
func (s *scope) hasFailedToClean(target *v1alpha1.Target) bool {
	for client := range storage.Claims(s.sb, target) {
		if existing := s.jobs[job.CleanUpName(s.sb, target.Name, client)]; existing != nil && hasFailed(existing) {
			return true
		}
	}
	return false
}

// hasFailed says whether Kubernetes repeats a Job's pods no longer.
func hasFailed(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
	})
}

// leftoverFiles says where the test files of a target are, and how to remove them by hand.
func (s *scope) leftoverFiles(target *v1alpha1.Target, abandoned bool) leftover {
	left := leftover{
		what:      fmt.Sprintf("directory %s on claim %s", child.Directory(s.sb), strings.Join(storage.ClaimNames(s.sb, target), ", ")),
		command:   "remove that directory in a pod that mounts the claim",
		abandoned: abandoned,
	}
	switch {
	case target.S3 != nil:
		url := "s3://" + target.S3.Bucket + "/" + storage.S3Prefix(s.sb, target)
		left.what, left.command = "objects of "+url, "aws s3 rm --recursive "+url
	case target.EFS != nil:
		left.what = fmt.Sprintf("directory %s on file system %s", child.Directory(s.sb), target.EFS.FileSystemID)
		left.command = "mount the file system and remove that directory"
	}
	if name := job.CleanUpName(s.sb, target.Name, 0); !abandoned && s.jobs[name] != nil {
		left.command += fmt.Sprintf("; kubectl describe job -n %s %s tells why it was not", s.sb.Namespace, name)
	}
	return left
}

// cleanClaims has the files removed from all claims of a target, and says whether they are.
func (s *scope) cleanClaims(ctx context.Context, target *v1alpha1.Target) (bool, error) {
	all := true
	for client := range storage.Claims(s.sb, target) {
		gone, err := s.cleanClaim(ctx, target, client)
		if err != nil {
			return false, err
		}
		all = all && gone
	}
	return all, nil
}

// cleanClaim makes the Job that removes the files, and says whether it has. A claim that is gone holds none.
func (s *scope) cleanClaim(ctx context.Context, target *v1alpha1.Target, client int32) (bool, error) {
	existing := s.jobs[job.CleanUpName(s.sb, target.Name, client)]
	if existing != nil {
		return existing.Status.Succeeded > 0, nil
	}
	key := types.NamespacedName{Namespace: s.sb.Namespace, Name: storage.ClaimName(s.sb, target, client)}
	if err := s.Live.Get(ctx, key, &corev1.PersistentVolumeClaim{}); err != nil {
		return apierrors.IsNotFound(err), unlessGone(err, "get claim of target "+target.Name)
	}
	if err := s.Client.Apply(ctx, job.ForCleanUp(s.sb, s.Image, s.volumeOf(target, client), client), applyOptions...); err != nil {
		return false, fmt.Errorf("apply clean-up Job of target %s: %w", target.Name, err)
	}
	return false, nil
}
