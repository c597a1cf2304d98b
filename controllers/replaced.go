package controllers

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/jobspec"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// A claim may be deleted while no pod uses it, as while the benchmark is suspended. It is made again, and so is its volume. Nothing of what was laid out is on
// that one. The benchmark goes on: results before are good, and so are those after. Somebody may have wanted to pay for no volume meanwhile. But these are
// results of different volumes, which a warning says.

// noteClaims notes of which claims a target is, all of which are there, and sees to it that nothing is believed of volumes before.
func (p *pass) noteClaims(ctx context.Context, target *v1alpha1.Target) (outcome, error) {
	status, names := p.sb.Status.Target(target.Name), storage.ClaimNames(p.sb, target)
	change := ours.ClaimChange{
		Noted: status.ClaimsUID, Seen: p.Claims.UID(names), SameStorage: storage.MakesVolume(target), Own: true, Files: status.TestFiles,
	}
	if change.MayReplace() {
		claims, err := p.liveClaims(ctx) // the cache may be older than what an operator before this one has seen
		if err != nil {
			return outcome{}, err
		}
		change.Unconfirmed = change.Seen != volumes.ClaimsOf(p.OwnClaims(claims)).UID(names)
	}
	return p.takeChange(target.Name, change), nil
}

// forgetClaims forgets a target's claims of which one is gone, before that is made anew.
func (p *pass) forgetClaims(ctx context.Context, target *v1alpha1.Target) error {
	claims, err := p.liveClaims(ctx)
	if err == nil {
		p.forgetLost(target, volumes.ClaimsOf(p.OwnClaims(claims)))
	}
	return err
}

// forgetLost does so, with the claims that there are. So another one that somebody makes in the place of one that is gone is never taken for the operator's. If
// none is gone, the cache has yet to hear of it.
func (s *writer) forgetLost(target *v1alpha1.Target, claims volumes.Claims) {
	status, names := s.sb.Status.Target(target.Name), storage.ClaimNames(s.sb, target)
	if claims.UID(names) != "" {
		return
	}
	s.takeChange(target.Name, ours.ClaimChange{Noted: status.ClaimsUID, Own: true, Files: status.TestFiles})
	s.memory.noteUnmade(slices.DeleteFunc(names, func(name string) bool { return claims[name] != nil })...)
}

// takeChange writes down what follows from other claims of a target than were noted. Where that ends the benchmark, the claims before stay noted. So do their
// volumes, which clean-up tells of.
func (s *writer) takeChange(name string, change ours.ClaimChange) outcome {
	status := s.sb.Status.Target(name)
	decision := change.Decide(name)
	switch decision.Follow {
	case ours.LookAgain:
		return awaitFor(retrySoon)
	case ours.LoseFiles, ours.RefuseClaims:
		if decision.Follow == ours.LoseFiles {
			status.TestFiles = v1alpha1.TestFilesLeftBehind
		}
		s.fail(v1alpha1.ReasonProvisioningFailed, decision.Message)
		return saveFirst()
	case ours.ForgetVolumes:
		s.forgetVolumes(status)
	case ours.KeepClaims, ours.NoteClaims:
	}
	status.ClaimsUID = change.Seen
	return goOn()
}

// forgetVolumes drops what is known of a target's volumes before, and has the run repeated that was to find its files there, or to write its device.
func (s *writer) forgetVolumes(status *v1alpha1.TargetStatus) {
	status.Volumes, status.ProvisionedMilliseconds, status.BurstCredits = nil, nil, nil
	status.RunsBeforeReplacement = new(int32(0))
	relied := jobspec.WritesDeviceOf(s.sb, status.Name)
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		switch run.State {
		case v1alpha1.RunSucceeded, v1alpha1.RunFailed:
			status.RunsBeforeReplacement = new(int32(i + 1))
			relied = relied || run.Target == status.Name
		case v1alpha1.RunRunning:
			if relied && run.Target == status.Name {
				s.disrupted(run, "the claim was replaced, and what had been laid out is gone")
			}
		case v1alpha1.RunPending:
		}
	}
}

// noteExistingClaim is noteClaims for somebody's claim, which is not watched. It is called before a node is held, and before a run begins. A run on a claim that
// is gone says so. On the claim that comes in its place nothing is laid out.
func (p *pass) noteExistingClaim(ctx context.Context, target *v1alpha1.Target) error {
	if storage.IsProvisioned(target) {
		return nil
	}
	claim, err := p.liveClaim(ctx, *target.ClaimName, "get claim of target "+target.Name)
	if err != nil {
		return err
	}
	return p.noteClaimUID(ctx, target, claim, p.sb.Status.Target(target.Name).TestFiles)
}

// notePlacedClaim is noteExistingClaim for a pod that has a node. Such a pod keeps the claim there. Before, the claim could be replaced. The test files that
// this pass has seen begin are on the claim that is there now.
func (p *pass) notePlacedClaim(ctx context.Context, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod) error {
	if storage.IsProvisioned(target) || p.memory.placed[target.Name] == pod.UID {
		return nil
	}
	err := p.noteClaimUID(ctx, target, claim, p.before.Status.Target(target.Name).TestFiles)
	if err == nil {
		p.memory.places(target.Name, pod)
	}
	return err
}

// noteClaimUID notes the UID of the claim that a target names. The claim is empty if it is gone. files is what was known of test files on the one before. Another
// claim of the same volume replaces nothing. A volume of somebody's may be retained, and with it the test files.
func (p *pass) noteClaimUID(ctx context.Context, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim, files v1alpha1.TestFilesState) error {
	status := p.sb.Status.Target(target.Name)
	change := ours.ClaimChange{
		Noted: status.ClaimsUID, Seen: string(claim.UID),
		SameStorage: len(status.Volumes) == 1 && status.Volumes[0].Name == claim.Spec.VolumeName,
	}
	if change.MayReplace() && !change.SameStorage && files == v1alpha1.TestFilesPresent {
		lost, err := p.lostVolumes(ctx, target)
		if err != nil {
			return err
		}
		change.Files = cleanup.FilesOnLostClaim(status.Driver, lost...)
	}
	p.takeChange(target.Name, change)
	return nil
}
