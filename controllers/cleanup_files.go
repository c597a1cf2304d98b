package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
)

// removeFiles has Jobs remove the test files from storage on which they would stay, where runs have begun.
func (s *scope) removeFiles(ctx context.Context) ([]leftover, error) {
	var left []leftover
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		status := s.targetStatus(target.Name)
		if status.TestFiles == "" && s.keepsFiles(target) {
			if err := s.removeFilesOf(ctx, target, status); err != nil {
				return nil, err
			}
		}
		if status.TestFiles != v1alpha1.TestFilesRemoved && s.keepsFiles(target) {
			left = append(left, s.leftoverFiles(target, status.TestFiles == v1alpha1.TestFilesLeftBehind))
		}
	}
	return left, nil
}

// removeFilesOf notes what becomes of a target's test files. They have half of the time for clean-up, so that the
// other half is left to remove the volumes.
func (s *scope) removeFilesOf(ctx context.Context, target *v1alpha1.Target, status *v1alpha1.TargetStatus) error {
	gone, err := s.cleanClaim(ctx, target)
	limit := time.Duration(ptr.Deref(s.sb.Spec.Deadlines.CleanUpSeconds, 0)) * time.Second / 2
	switch {
	case gone && err == nil:
		status.TestFiles = v1alpha1.TestFilesRemoved
	case s.Clock.Since(s.cleanUpBegan()) >= limit:
		status.TestFiles = v1alpha1.TestFilesLeftBehind
	default:
		return err
	}
	return nil
}

// keepsFiles says whether there are test files that stay unless they are removed.
func (s *scope) keepsFiles(target *v1alpha1.Target) bool {
	return storage.KeepsFiles(target, s.targetStatus(target.Name).Driver) && s.hasFiles(target)
}

// hasFiles says whether runs on the target have made files.
func (s *scope) hasFiles(target *v1alpha1.Target) bool {
	if s.targetStatus(target.Name).VolumeMode == corev1.PersistentVolumeBlock {
		return false
	}
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; run.Target == target.Name && run.Attempts > 0 {
			return true
		}
	}
	return false
}

// leftoverFiles says where the test files of a target are, and how to remove them by hand.
func (s *scope) leftoverFiles(target *v1alpha1.Target, abandoned bool) leftover {
	left := leftover{
		what:      fmt.Sprintf("directory %s on claim %s", child.Directory(s.sb), storage.ClaimName(s.sb, target)),
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
	if !abandoned {
		left.command += fmt.Sprintf("; kubectl describe job -n %s %s tells why it was not", s.sb.Namespace, job.CleanUpName(s.sb, target.Name))
	}
	return left
}

// cleanClaim makes the Job that removes the files, and says whether it has. A claim that is gone holds none.
func (s *scope) cleanClaim(ctx context.Context, target *v1alpha1.Target) (bool, error) {
	existing := s.jobs[job.CleanUpName(s.sb, target.Name)]
	if existing != nil {
		return existing.Status.Succeeded > 0, nil
	}
	key := types.NamespacedName{Namespace: s.sb.Namespace, Name: storage.ClaimName(s.sb, target)}
	if err := s.Live.Get(ctx, key, &corev1.PersistentVolumeClaim{}); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if err := s.Client.Apply(ctx, job.ForCleanUp(s.sb, s.Image, s.volumeOf(target)), applyOptions...); err != nil {
		return false, fmt.Errorf("apply clean-up Job of target %s: %w", target.Name, err)
	}
	return false, nil
}
