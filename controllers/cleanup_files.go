package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/jobspec"
	"github.com/storagebench/storagebench/internal/provisioning"
	"github.com/storagebench/storagebench/internal/storage"
)

// noteFiles writes down on which storage runs may have made files that stay.
func noteFiles(_ context.Context, p *pass) (outcome, error) {
	p.namespaces.LearnDrivers(p.sb.Status.Targets, p.Claims)
	if !p.sb.DeletionTimestamp.IsZero() && !p.sb.Status.HasMeasured() {
		p.NoteUnseen(p.sb.Status.RunningRun(), &p.memory.ownAttempt) // Kubernetes may be about to delete claims, and does not where files are to be removed
	}
	for _, pods := range p.Pods {
		for _, pod := range pods {
			p.NoteFilesOf(pod)
		}
	}
	return goOn(), nil
}

// hasNewFiles says whether this pass has found out about test files what is not saved yet.
func (s *scope) hasNewFiles() bool {
	return !slices.EqualFunc(s.before.Status.Targets, s.sb.Status.Targets, func(a, b v1alpha1.TargetStatus) bool { return a.TestFiles == b.TestFiles })
}

// removeFiles has Jobs remove the test files from storage on which they would stay, when the storage is at rest: no
// pod works on it any more.
func (p *pass) removeFiles(ctx context.Context, atRest bool) ([]cleanup.Leftover, error) {
	var left []cleanup.Leftover
	var errs []error
	for i := range p.sb.Spec.Targets {
		target := &p.sb.Spec.Targets[i]
		status := p.sb.Status.Target(target.Name)
		if status.TestFiles == v1alpha1.TestFilesPresent {
			errs = append(errs, p.removeFilesOf(ctx, target, status, atRest))
		}
		at, err := p.filesAt(ctx, target)
		errs = append(errs, err)
		if at != cleanup.Nowhere {
			left = append(left, cleanup.LeftFiles(p.sb, target, at, p.CleanerName(target)))
		}
	}
	return left, errors.Join(errs...)
}

// filesAt says where a target's test files are.
func (p *pass) filesAt(ctx context.Context, target *v1alpha1.Target) (cleanup.Whereabouts, error) {
	switch p.sb.Status.Target(target.Name).TestFiles {
	case v1alpha1.TestFilesPresent:
		return cleanup.InReach, nil
	case v1alpha1.TestFilesLeftBehind:
		gone, err := p.isClaimGone(ctx, target)
		if gone {
			return cleanup.ClaimGone, err
		}
		return cleanup.GivenUp, err
	default:
		return cleanup.Nowhere, nil
	}
}

// removeFilesOf goes one step further in removing the test files of a target, and notes what has become of them.
func (p *pass) removeFilesOf(ctx context.Context, target *v1alpha1.Target, status *v1alpha1.TargetStatus, atRest bool) error {
	state, err := v1alpha1.TestFilesPresent, error(nil)
	if atRest {
		state, err = p.cleanClaims(ctx, target)
	}
	status.TestFiles, err = cleanup.FilesAfter(state, err, p.cleaning().IsHalfOver(), p.HasFailedToClean(target))
	return err
}

// cleanClaims has the files removed from all claims of a target, and says what has become of them.
func (p *pass) cleanClaims(ctx context.Context, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	all := v1alpha1.TestFilesRemoved
	for client := range storage.Claims(p.sb, target) {
		state, err := p.cleanClaim(ctx, target, client)
		switch {
		case err != nil, state == v1alpha1.TestFilesLeftBehind:
			return state, err
		case state == v1alpha1.TestFilesPresent:
			all = state
		}
	}
	return all, nil
}

// claimFacts reads what it depends on what is done about the files on a claim.
func (p *pass) claimFacts(ctx context.Context, target *v1alpha1.Target, client int32) (facts cleanup.ClaimFacts, err error) {
	existing := p.Jobs[job.CleanUpName(p.sb, target.Name, client)]
	facts.Cleaning, facts.Cleaned = existing != nil, existing != nil && p.HasCleaned(existing)
	facts.Existing, facts.MountedAsIs = !storage.IsProvisioned(target), storage.MakesVolume(target)
	facts.Driver = p.sb.Status.Target(target.Name).Driver
	if !facts.Cleaned {
		facts.Found, err = p.findClaim(ctx, target, storage.ClaimName(p.sb, target, client))
	}
	if err == nil && facts.IsTraced() {
		facts.Volumes, err = p.lostVolumes(ctx, target)
	}
	return facts, err
}

// cleanClaim goes one step further in removing the files on a claim, and says what has become of them.
func (p *pass) cleanClaim(ctx context.Context, target *v1alpha1.Target, client int32) (v1alpha1.TestFilesState, error) {
	facts, err := p.claimFacts(ctx, target, client)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	switch step := cleanup.NextStep(facts); step {
	case cleanup.Remount:
		return p.remount(ctx, target)
	case cleanup.Clean:
		return p.makeCleaner(ctx, target, client)
	default:
		return step.Files(), nil
	}
}

// remount makes another claim, by which the files of a target are reached.
func (p *pass) remount(ctx context.Context, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	made, err := p.makeStorage(ctx, target)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	return made.files(target)
}

// files says what has become of a target's test files for which its storage was made once more.
func (m storageMade) files(target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	if m.step == provisioning.RefuseTaken { // nothing can be made there
		return v1alpha1.TestFilesLeftBehind, nil
	}
	return filesAfterMaking(m.err, "reach test files of target "+target.Name)
}

// makeCleaner makes the Job that removes the files on a claim.
func (p *pass) makeCleaner(ctx context.Context, target *v1alpha1.Target, client int32) (v1alpha1.TestFilesState, error) {
	wasThere, err := p.existingVolumes(ctx, target, client)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	volume := jobspec.VolumeOf(p.sb, target, client)
	volume.Existing = volume.Existing || wasThere.Has(volume.Claim)
	p.owned = nil // they lack the Job that is made now
	return filesAfterMaking(p.makeJob(ctx, job.ForCleanUp(p.sb, p.Image, volume, client)), "apply clean-up Job of target "+target.Name)
}

// filesAfterMaking says what has become of test files after the API server was asked for what they are removed with.
func filesAfterMaking(err error, doing string) (v1alpha1.TestFilesState, error) {
	switch {
	case err == nil:
		return v1alpha1.TestFilesPresent, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause): // nothing can be made there any more
		return v1alpha1.TestFilesLeftBehind, nil
	default:
		return v1alpha1.TestFilesPresent, fmt.Errorf("%s: %w", doing, err)
	}
}
