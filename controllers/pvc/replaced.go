package pvc

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// A claim may be deleted while no pod uses it, as while the benchmark is suspended. It is made again, and so is its
// volume. Nothing of what was laid out is on that one. The benchmark goes on: results before are good, and so are those
// after. Somebody may have wanted to pay for no volume meanwhile. But these are results of different volumes, which a
// warning says.

// NoteClaims notes of which claims a target is, all of which are there, and sees to it that nothing is believed of
// volumes before.
func NoteClaims(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (pass.Outcome, error) {
	status, names := p.SB.Status.Target(target.Name), storage.ClaimNames(p.SB, target)
	change := owned.ClaimChange{
		Noted: status.ClaimsUID, Seen: p.Children.Claims.UID(names),
		SameStorage: storage.MakesVolume(target), Own: true, Files: status.TestFiles,
	}
	if change.MayReplace() {
		claims, err := LiveClaims(ctx, p) // the cache may be older than what an operator before this one has seen
		if err != nil {
			return pass.Outcome{}, err
		}
		change.Unconfirmed = change.Seen != owned.ClaimsOf(p.Children.OwnClaims(claims)).UID(names)
	}
	return takeChange(p, target.Name, change), nil
}

// forgetClaims forgets a target's claims of which one is gone, before that is made anew.
func forgetClaims(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) error {
	claims, err := LiveClaims(ctx, p)
	if err == nil {
		ForgetLost(p, target, owned.ClaimsOf(p.Children.OwnClaims(claims)))
	}
	return err
}

// ForgetLost does so, with the claims that there are. So another one that somebody makes in the place of one that is
// gone is never taken for the operator's. If none is gone, the cache has yet to hear of it.
func ForgetLost(s *pass.Pass, target *v1alpha1.Target, claims owned.Claims) {
	status, names := s.SB.Status.Target(target.Name), storage.ClaimNames(s.SB, target)
	if claims.UID(names) != "" {
		return
	}
	takeChange(s, target.Name, owned.ClaimChange{Noted: status.ClaimsUID, Own: true, Files: status.TestFiles})
	s.Memory.NoteUnmade(slices.DeleteFunc(names, func(name string) bool { return claims[name] != nil })...)
}

// takeChange writes down what follows from other claims of a target than were noted. Where that ends the benchmark, the
// claims before stay noted. So do their volumes, which clean-up tells of.
func takeChange(s *pass.Pass, name string, change owned.ClaimChange) pass.Outcome {
	status := s.SB.Status.Target(name)
	decision := change.Decide(name)
	switch decision.Follow {
	case owned.LookAgain:
		return pass.AwaitFor(pass.RetrySoon)
	case owned.LoseFiles, owned.RefuseClaims:
		if decision.Follow == owned.LoseFiles {
			status.TestFiles = v1alpha1.TestFilesLeftBehind
		}
		s.Fail(v1alpha1.ReasonProvisioningFailed, decision.Message)
		return pass.SaveFirst()
	case owned.ForgetVolumes:
		ForgetVolumes(s, status)
	case owned.KeepClaims, owned.NoteClaims:
	}
	status.ClaimsUID = change.Seen
	return pass.GoOn()
}

// ForgetVolumes drops what is known of a target's volumes before, and has the run repeated that was to find its files
// there, or to write its device.
func ForgetVolumes(s *pass.Pass, status *v1alpha1.TargetStatus) {
	status.Volumes, status.ProvisionedMilliseconds, status.BurstCredits = nil, nil, nil
	status.RunsBeforeReplacement = new(int32(0))
	relied := job.WritesDeviceOf(s.SB, status.Name)
	for i := range s.SB.Status.Runs {
		run := &s.SB.Status.Runs[i]
		switch run.State {
		case v1alpha1.RunSucceeded, v1alpha1.RunFailed:
			status.RunsBeforeReplacement = new(int32(i + 1))
			relied = relied || run.Target == status.Name
		case v1alpha1.RunRunning:
			if relied && run.Target == status.Name {
				s.Disrupted(run, "the claim was replaced, and what had been laid out is gone")
			}
		case v1alpha1.RunPending:
		}
	}
}

// NoteExistingClaim is noteClaims for somebody's claim, which is not watched. It is called before a node is held, and
// before a run begins. A run on a claim that is gone says so. On the claim that comes in its place nothing is laid out.
func NoteExistingClaim(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) error {
	if storage.IsProvisioned(target) {
		return nil
	}
	claim, err := p.World.LiveClaim(ctx, *target.ClaimName, "get claim of target "+target.Name)
	if err != nil {
		return err
	}
	return noteClaimUID(ctx, p, target, claim, p.SB.Status.Target(target.Name).TestFiles)
}

// notePlacedClaim is noteExistingClaim for a pod that has a node. Such a pod keeps the claim there. Before, the claim
// could be replaced. The test files that this pass has seen begin are on the claim that is there now.
func notePlacedClaim(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod,
) error {
	if storage.IsProvisioned(target) || p.Memory.Placed[target.Name] == pod.UID {
		return nil
	}
	err := noteClaimUID(ctx, p, target, claim, p.Before.Status.Target(target.Name).TestFiles)
	if err == nil {
		p.Memory.Places(target.Name, pod)
	}
	return err
}

// noteClaimUID notes the UID of the claim that a target names. The claim is empty if it is gone. files is what was
// known of test files on the claim before. Another claim of the same volume replaces nothing. A user's volume may be
// retained, and with it the test files.
func noteClaimUID(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim,
	files v1alpha1.TestFilesState,
) error {
	status := p.SB.Status.Target(target.Name)
	change := owned.ClaimChange{
		Noted: status.ClaimsUID, Seen: string(claim.UID),
		SameStorage: len(status.Volumes) == 1 && status.Volumes[0].Name == claim.Spec.VolumeName,
	}
	if change.MayReplace() && !change.SameStorage && files == v1alpha1.TestFilesPresent {
		lost, err := LostVolumes(ctx, p, target)
		if err != nil {
			return err
		}
		change.Files = cleanup.FilesOnLostClaim(status.Driver, lost...)
	}
	takeChange(p, target.Name, change)
	return nil
}
