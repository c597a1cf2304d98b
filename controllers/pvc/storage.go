package pvc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// StorageMade is what became of a try to make what provisions a target's storage: what was there before, what was done
// about it, and what the API server answered to what was applied.
type StorageMade struct {
	Facts owned.ProvisionFacts
	Step  owned.ProvisionStep
	Err   error
}

// MakeStorage makes what provisions a target's storage, or goes one step further towards that. An error of its own is
// one of a call before that.
func MakeStorage(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (StorageMade, error) {
	objects := storage.For(p.SB, target, job.UserOf(p.SB))
	facts, err := storageFacts(ctx, p, target, objects)
	if err != nil {
		return StorageMade{}, err
	}
	made := StorageMade{Facts: facts, Step: owned.NextProvisionStep(facts)}
	switch made.Step {
	case owned.ForgetClaims:
		err = forgetClaims(ctx, p, target)
	case owned.FreeVolume: // nothing is lost with it, and it is made anew
		err = world.DeleteObject(ctx, p.World.Client, "", facts.InTheWay)
	case owned.MakeObjects:
		made.Err = ApplyObjects(ctx, p, objects)
	case owned.AwaitNote:
		err = errUnnoted(target, facts.Unnoted)
	case owned.ReadAgain, owned.RefuseTaken:
	}
	return made, err
}

// storageFacts reads what is there in the place of what provisions a target's storage.
func storageFacts(
	ctx context.Context, p *pass.Pass, target *v1alpha1.Target, objects storage.Objects,
) (facts owned.ProvisionFacts, err error) {
	fresh, err := p.World.IsFresh(ctx, p.SB)
	if err != nil || !fresh {
		return owned.ProvisionFacts{Stale: true}, err
	}
	facts.Noted = !storage.MakesVolume(target) && hasLostClaim(p, target)
	there, err := ReadInPlace(ctx, p, objects)
	if err != nil {
		return facts, err
	}
	facts.Taken, facts.Unnoted = there.TakenFrom(&p.Children), there.UnnotedOf(&p.Children)
	facts.InTheWay = there.VolumeInTheWay(p.SB)
	JudgeUnnoted(p.Memory, &facts, p.Now.Time)
	return facts, nil
}

// hasLostClaim reports whether a recorded claim of a target is missing.
func hasLostClaim(p *pass.Pass, target *v1alpha1.Target) bool {
	status := p.SB.Status.Target(target.Name)
	return slices.ContainsFunc(storage.ClaimNames(p.SB, target), func(name string) bool {
		return status.ClaimUID(name) != "" && p.Children.LacksClaim(name)
	})
}

// ApplyObjects makes what provisions a target's storage, the claims last: where they are, all is. Those that are there
// stay as they are: of many clients, one that is missing would have all others written, and read, again.
func ApplyObjects(ctx context.Context, p *pass.Pass, objects storage.Objects) error {
	if objects.Class != nil {
		if err := makeClass(ctx, p, objects.Class); err != nil {
			return fmt.Errorf("apply StorageClass: %w", err)
		}
	}
	if objects.Volume != nil {
		if err := makeVolume(ctx, p, objects.Volume); err != nil {
			return fmt.Errorf("apply PersistentVolume: %w", err)
		}
	}
	type claimConfiguration = *corev1ac.PersistentVolumeClaimApplyConfiguration
	missing := slices.DeleteFunc(slices.Clone(objects.Claims), func(claim claimConfiguration) bool {
		return !p.Children.LacksClaim(*claim.Name)
	})
	errs := world.InParallel(ctx, missing, func(claim claimConfiguration) error {
		return p.World.Client.Apply(ctx, claim, world.ApplyOptions...)
	})
	for i, claim := range missing {
		p.Memory.NoteMade(*claim.Name, errs[i])
		p.Memory.NoteClaimMade(*claim.Name, p.World.Clock.Now())
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return fmt.Errorf("apply claim: %w", errs[i])
	}
	return nil
}

// makeClass makes a StorageClass, or takes the one that is there.
func makeClass(ctx context.Context, p *pass.Pass, wanted *storagev1ac.StorageClassApplyConfiguration) error {
	refused := p.World.Client.Apply(ctx, wanted, world.ApplyOptions...)
	if !world.MayBeThere(refused) {
		return refused
	}
	there, err := p.World.LiveClass(ctx, *wanted.Name)
	if err != nil {
		return err
	}
	return takeStorage(ctx, p, there, storage.ClassDiffers(there, wanted), refused)
}

// makeVolume makes the PersistentVolume of storage that is mounted as it is, or takes the one that is there.
func makeVolume(ctx context.Context, p *pass.Pass, wanted *corev1ac.PersistentVolumeApplyConfiguration) error {
	refused := p.World.Client.Apply(ctx, wanted, world.ApplyOptions...)
	if !world.MayBeThere(refused) {
		return refused
	}
	there, err := p.World.LiveVolume(ctx, *wanted.Name, "get PersistentVolume, which may be there")
	if err != nil {
		return err
	}
	return takeStorage(ctx, p, there, storage.VolumeDiffers(there, wanted), refused)
}

// takeStorage takes an object without a namespace that has the name of one that was refused, if it is the benchmark's
// own and differs in nothing that is measured. Else it returns why that was refused. An empty object, which is not
// there, is nobody's.
func takeStorage(ctx context.Context, p *pass.Pass, there client.Object, differs []string, refused error) error {
	switch {
	case !owned.ClusterObject(p.SB, there):
		return refused
	case len(differs) > 0:
		return fmt.Errorf(
			"%s exists from before, with other settings that change what is measured: %s; create the benchmark anew: %w",
			there.GetName(), strings.Join(differs, "; "), refused)
	}
	ctrl.LoggerFrom(ctx).Info("Took an object that was there: it is the benchmark's, "+
		"and what is measured does not depend on how it differs from what would be made now",
		"name", there.GetName(), "uid", there.GetUID(), "why", humanize.Fit(refused.Error(), world.MaxErrorMessage))
	return nil
}
