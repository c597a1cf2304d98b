package controllers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// A claim may be deleted while no pod uses it, as while the benchmark is suspended. It is made again, and so is its volume. Nothing of what was laid out is on
// that one. The benchmark goes on: results before are good, and so are those after. Somebody may have wanted to pay for no volume meanwhile. But these are
// results of different volumes, which a warning says.

// noteClaims notes of which claims a target is, all of which are there, and sees to it that nothing is believed of volumes before.
func (p *pass) noteClaims(ctx context.Context, target *v1alpha1.Target) (outcome, error) {
	status, names := p.targetStatus(target.Name), storage.ClaimNames(p.sb, target)
	change := ours.ClaimChange{
		Noted: status.ClaimsUID, Seen: uidOf(names, p.claims), SameStorage: storage.MakesVolume(target), Own: true, Files: status.TestFiles,
	}
	if change.MayReplace() { // the cache may be older than what an operator before this one has seen
		claims, err := p.liveClaims(ctx)
		if err != nil {
			return outcome{}, err
		}
		change.Unconfirmed = change.Seen != uidOf(names, claims)
	}
	return p.takeChange(target.Name, change), nil
}

// forgetClaims forgets a target's claims of which one is gone, before that is made anew. So another one that somebody makes in its place is never taken for the
// operator's. If none is gone, the cache has yet to hear of it.
func (p *pass) forgetClaims(ctx context.Context, target *v1alpha1.Target) error {
	status := p.targetStatus(target.Name)
	claims, err := p.liveClaims(ctx)
	if err != nil {
		return err
	}
	names := storage.ClaimNames(p.sb, target)
	if uidOf(names, claims) == "" {
		p.takeChange(target.Name, ours.ClaimChange{Noted: status.ClaimsUID, Own: true, Files: status.TestFiles})
		p.memory.lacksClaims(slices.DeleteFunc(names, func(name string) bool { return claims[name] != nil })...)
	}
	return nil
}

// takeChange writes down what follows from other claims of a target than were noted. Where that ends the benchmark, the claims before stay noted. So do their
// volumes, which clean-up tells of.
func (s *scope) takeChange(name string, change ours.ClaimChange) outcome {
	status := s.targetStatus(name)
	switch change.Decide() {
	case ours.LookAgain:
		return awaitFor(retrySoon)
	case ours.LoseFiles:
		status.TestFiles = v1alpha1.TestFilesLeftBehind
		s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: its claim was deleted, and with it the way to the test files there; create the benchmark anew, and leave its claims in place", name))
		return saveFirst()
	case ours.RefuseClaims:
		s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: one of its claims was deleted, and another one of its name was not made for this benchmark; create the benchmark anew, and leave its claims in place", name))
		return saveFirst()
	case ours.ForgetVolumes:
		s.forgetVolumes(status)
	case ours.KeepClaims, ours.NoteClaims:
	}
	status.ClaimsUID = change.Seen
	return goOn()
}

// forgetVolumes drops what is known of a target's volumes before, and has the run repeated that was to find its files there.
func (s *scope) forgetVolumes(status *v1alpha1.TargetStatus) {
	status.Volumes, status.ProvisionedMilliseconds, status.BurstCredits = nil, nil, nil
	status.RunsBeforeReplacement = new(int32(0))
	relied := false
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
	claim, err := p.liveClaim(ctx, *target.ClaimName)
	if err != nil {
		return fmt.Errorf("get claim of target %s: %w", target.Name, err)
	}
	return p.compareClaim(ctx, target, claim)
}

// comparePlacedClaim is noteExistingClaim for a pod that has a node. Such a pod keeps the claim there. Before, the claim could be replaced. The test files that
// this pass has seen begin are on the claim that is there now.
func (p *pass) comparePlacedClaim(ctx context.Context, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim, pod *corev1.Pod) error {
	status := p.targetStatus(target.Name)
	if storage.IsProvisioned(target) || p.memory.placed[target.Name] == pod.UID {
		return nil
	}
	files, before := status.TestFiles, p.filesBefore(target.Name)
	status.TestFiles = before
	err := p.compareClaim(ctx, target, claim)
	if status.TestFiles == before {
		status.TestFiles = files
	}
	if err == nil {
		p.memory.places(target.Name, pod)
	}
	return err
}

// filesBefore returns what was known of a target's test files before this pass.
func (s *scope) filesBefore(name string) v1alpha1.TestFilesState {
	for i := range s.before.Status.Targets {
		if target := &s.before.Status.Targets[i]; target.Name == name {
			return target.TestFiles
		}
	}
	return ""
}

// compareClaim compares a claim of somebody's with the one that was noted. It is empty if it is gone. Another claim of the same volume replaces nothing. A volume of
// somebody's may be retained, and with it the test files.
func (p *pass) compareClaim(ctx context.Context, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim) error {
	status := p.targetStatus(target.Name)
	change := ours.ClaimChange{
		Noted: status.ClaimsUID, Seen: string(claim.UID),
		SameStorage: len(status.Volumes) == 1 && status.Volumes[0].Name == claim.Spec.VolumeName,
	}
	if change.MayReplace() && !change.SameStorage && status.TestFiles == v1alpha1.TestFilesPresent {
		var err error
		if change.Files, err = p.filesOfLostClaim(ctx, target); err != nil {
			return err
		}
	}
	p.takeChange(target.Name, change)
	return nil
}

// isReplaced says whether a claim of somebody's is another one than was measured on.
func isReplaced(status *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim) bool {
	return status.ClaimsUID != "" && status.ClaimsUID != string(claim.UID)
}

// uidOf returns the UID of the claim of a name. Of several names it returns a hash of their UIDs: for all of them the status would have no room.
func uidOf(names []string, claims map[string]*corev1.PersistentVolumeClaim) string {
	all := sha256.New()
	for _, name := range names {
		claim := claims[name]
		if claim == nil {
			return ""
		}
		if len(names) == 1 {
			return string(claim.UID)
		}
		all.Write([]byte(claim.UID))
	}
	return hex.EncodeToString(all.Sum(nil))[:32]
}

// runsBefore returns how many of status.runs were made before a claim of the target was replaced.
func runsBefore(status *v1alpha1.TargetStatus) int {
	return int(ptr.Deref(status.RunsBeforeReplacement, 0))
}
