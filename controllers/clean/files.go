package clean

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// NoteFiles writes down on which storage runs may have made files that stay.
func NoteFiles(_ context.Context, p *pass.Pass) (pass.Outcome, error) {
	p.Namespaces.LearnDrivers(p.SB.Status.Targets, p.Children.Claims)
	if !p.SB.DeletionTimestamp.IsZero() && !p.SB.Status.HasMeasured() {
		// Kubernetes may be about to delete claims. It keeps those whose test files are still to be removed.
		p.Children.NoteUnseen(p.SB.Status.RunningRun(), &p.Memory.OwnAttempt)
	}
	for _, pods := range p.Children.Pods {
		for _, pod := range pods {
			p.Children.NoteFilesOf(pod)
		}
	}
	return pass.GoOn(), nil
}

// removeFiles has Jobs remove the test files from storage on which they would stay, when the storage is at rest: no
// pod works on it any more.
func removeFiles(ctx context.Context, p *pass.Pass, atRest bool) ([]cleanup.Leftover, error) {
	var left []cleanup.Leftover
	var errs []error
	for i := range p.SB.Spec.Targets {
		target := &p.SB.Spec.Targets[i]
		status := p.SB.Status.Target(target.Name)
		if status.TestFiles == v1alpha1.TestFilesPresent {
			errs = append(errs, removeFilesOf(ctx, p, target, status, atRest))
		}
		at, err := filesAt(ctx, p, target)
		errs = append(errs, err)
		if at != cleanup.Nowhere {
			left = append(left, cleanup.LeftFiles(p.SB, target, at, p.Children.CleanerName(target)))
		}
	}
	return left, errors.Join(errs...)
}

// filesAt says where a target's test files are.
func filesAt(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (cleanup.Whereabouts, error) {
	switch p.SB.Status.Target(target.Name).TestFiles {
	case v1alpha1.TestFilesPresent:
		return cleanup.InReach, nil
	case v1alpha1.TestFilesLeftBehind:
		gone, err := pvc.IsClaimGone(ctx, p, target)
		if gone {
			return cleanup.ClaimGone, err
		}
		return cleanup.GivenUp, err
	default:
		return cleanup.Nowhere, nil
	}
}

// removeFilesOf goes one step further in removing the test files of a target, and notes what has become of them.
func removeFilesOf(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, status *v1alpha1.TargetStatus, atRest bool,
) error {
	state, err := v1alpha1.TestFilesPresent, error(nil)
	if atRest {
		state, err = cleanClaims(ctx, p, target)
	}
	status.TestFiles, err = cleanup.FilesAfter(state, err, p.Cleaning().IsHalfOver(), p.Children.HasFailedToClean(target))
	return err
}

// cleanClaims has the files removed from all claims of a target, and says what has become of them.
func cleanClaims(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	all := v1alpha1.TestFilesRemoved
	for client := range storage.Claims(p.SB, target) {
		state, err := Claim(ctx, p, target, client)
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
func claimFacts(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, client int32,
) (facts cleanup.ClaimFacts, err error) {
	existing := p.Children.Jobs[childmeta.CleanUpName(p.SB, target.Name, client)]
	facts.Cleaning, facts.Cleaned = existing != nil, existing != nil && p.Children.HasCleaned(existing)
	facts.Existing, facts.MountedAsIs = !storage.IsProvisioned(target), storage.MakesVolume(target)
	facts.Driver = p.SB.Status.Target(target.Name).Driver
	if !facts.Cleaned {
		facts.Found, err = pvc.FindClaim(ctx, p, target, storage.ClaimName(p.SB, target, client))
	}
	if err == nil && facts.IsTraced() {
		facts.Volumes, err = pvc.LostVolumes(ctx, p, target)
	}
	return facts, err
}

// Claim goes one step further in removing the files on a claim, and says what has become of them.
func Claim(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, client int32) (v1alpha1.TestFilesState, error) {
	facts, err := claimFacts(ctx, p, target, client)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	switch step := cleanup.NextStep(facts); step {
	case cleanup.Remount:
		return Remount(ctx, p, target)
	case cleanup.Clean:
		return MakeCleaner(ctx, p, target, client)
	default:
		return step.Files(), nil
	}
}

// Remount makes another claim, by which the files of a target are reached.
func Remount(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	made, err := pvc.MakeStorage(ctx, p, target)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	return FilesAfterRemount(made, target)
}

// FilesAfterRemount reports what has become of a target's test files for which its storage was made once more.
func FilesAfterRemount(m pvc.StorageMade, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	if m.Step == owned.RefuseTaken { // nothing can be made there
		return v1alpha1.TestFilesLeftBehind, nil
	}
	return filesAfterMaking(m.Err, "reach test files of target "+target.Name)
}

// MakeCleaner makes the Job that removes the files on a claim.
func MakeCleaner(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, client int32,
) (v1alpha1.TestFilesState, error) {
	wasThere, err := pvc.ExistingVolumes(ctx, p, target, client)
	if err != nil {
		return v1alpha1.TestFilesPresent, err
	}
	volume := job.VolumeOf(p.SB, target, client)
	volume.Existing = volume.Existing || wasThere.Has(volume.Claim)
	p.Owned = nil // they lack the Job that is made now
	err = workers.MakeJob(ctx, p, job.ForCleanUp(p.SB, p.World.Image, volume, client))
	return filesAfterMaking(err, "apply clean-up Job of target "+target.Name)
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
