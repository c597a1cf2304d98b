package pvc

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// Others may delete a claim while no pod uses it, such as while the benchmark is suspended. Before a pod has used its
// volume, the claim is made again. After that the benchmark ends: another volume has neither the files that were laid
// out nor comparable results. Storage that is mounted as it is stays the same, whatever its claim.

// NoteClaims records the UIDs of a target's claims, all of which exist.
func NoteClaims(p *pass.Pass, target *v1alpha1.Target) {
	status := p.SB.Status.Target(target.Name)
	for _, name := range storage.ClaimNames(p.SB, target) {
		status.SetClaimUID(name, p.Children.Claims[name].UID)
	}
}

// forgetClaims forgets those claims of a target that were deleted, before they are made again.
func forgetClaims(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) error {
	claims, err := LiveClaims(ctx, p)
	if err == nil {
		ForgetLost(p, target, owned.ClaimsOf(p.Children.OwnClaims(claims)))
	}
	return err
}

// ForgetLost forgets those recorded claims of a target that are not among the existing ones, or ends the benchmark. A
// claim that somebody else makes in their place is then never taken for the operator's. If all exist, the cache is
// behind.
func ForgetLost(s *pass.Pass, target *v1alpha1.Target, existing owned.Claims) {
	status := s.SB.Status.Target(target.Name)
	for _, name := range storage.ClaimNames(s.SB, target) {
		if existing[name] != nil {
			continue
		}
		lost := owned.LostClaim{
			Target: target.Name, Name: name, Files: status.TestFiles,
			Used: status.ClaimUID(name) != "" && len(status.Volumes) > 0,
		}
		if endWithout(s, status, lost) {
			return
		}
		status.SetClaimUID(name, "")
		s.Memory.NoteUnmade(name)
	}
}

// endWithout ends the benchmark if it cannot go on without a claim that was deleted, and reports whether it ends. The
// claim and its volume stay recorded: clean-up reports them.
func endWithout(s *pass.Pass, status *v1alpha1.TargetStatus, lost owned.LostClaim) bool {
	why := lost.WhyEnds()
	if why == "" {
		return false
	}
	if lost.KeepsFiles() {
		status.TestFiles = v1alpha1.TestFilesLeftBehind
	}
	s.Fail(v1alpha1.ReasonProvisioningFailed, why)
	return true
}

// NoteExistingClaim records which claim a target of claimName has. Such claims are not watched. It is called before a
// node is held, and before a run begins.
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

// notePlacedClaim is NoteExistingClaim for a pod that has a node. Such a pod keeps the claim there. Before, the claim
// could be replaced. The test files that this pass has seen begin are on the claim that exists now.
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

// noteClaimUID records the UID of the claim that a target names, "" if the claim does not exist, or ends the benchmark.
// files is what was known of test files on the claim before. Another claim of the same volume replaces nothing.
func noteClaimUID(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim,
	files v1alpha1.TestFilesState,
) error {
	status := p.SB.Status.Target(target.Name)
	if noted := status.ClaimUID(*target.ClaimName); noted != "" && noted != claim.UID {
		lost := owned.LostClaim{
			Target: target.Name, Name: *target.ClaimName, Used: len(status.Volumes) > 0,
			SameStorage: len(status.Volumes) == 1 && status.Volumes[0].Name == claim.Spec.VolumeName,
		}
		if !lost.SameStorage && files == v1alpha1.TestFilesPresent {
			volumes, err := LostVolumes(ctx, p, target)
			if err != nil {
				return err
			}
			lost.Files = cleanup.FilesOnLostClaim(status.Driver, volumes...)
		}
		if endWithout(p, status, lost) {
			return nil
		}
	}
	status.SetClaimUID(*target.ClaimName, claim.UID)
	return nil
}
