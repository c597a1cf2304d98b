package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/provisioning"
	"github.com/storagebench/storagebench/internal/storage"
)

// applyOptions make the operator the owner of the fields that it sets, whoever set them before.
var applyOptions = []client.ApplyOption{client.FieldOwner(v1alpha1.ManagedBy), client.ForceOwnership}

// provision makes what provisions the storage of all targets, so that an error shows before the first run.
func provision(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() {
		return goOn(), nil
	}
	for i := range p.sb.Spec.Targets {
		if out, err := p.provisionTarget(ctx, &p.sb.Spec.Targets[i]); err != nil || out.stop {
			return out, err
		}
	}
	p.sb.Status.StorageRefusedSince = nil // also if the pass that made the last of it was cut off
	return goOn(), nil
}

// provisionTarget makes what provisions the storage of a target, where it is not there.
func (p *pass) provisionTarget(ctx context.Context, target *v1alpha1.Target) (outcome, error) {
	problem := withoutAttributes(&p.Children, target)
	if problem == "" {
		var err error
		if problem, err = p.withoutSource(ctx, target); err != nil {
			return outcome{}, err
		}
	}
	if problem != "" {
		p.fail(v1alpha1.ReasonProvisioningFailed, problem)
		return saveFirst(), nil
	}
	if !storage.IsProvisioned(target) {
		return goOn(), nil
	}
	if !p.LacksClaim(storage.ClaimNames(p.sb, target)...) {
		return p.noteClaims(ctx, target)
	}
	made, err := p.makeStorage(ctx, target)
	if err != nil {
		return outcome{}, err
	}
	return p.provisioned(target, made)
}

// storageMade is what became of a try to make what provisions a target's storage: what was there before, what was done about it, and what the API server
// answered to what was applied.
type storageMade struct {
	facts provisioning.Facts
	step  provisioning.Step
	err   error
}

// makeStorage makes what provisions a target's storage, or goes one step further towards that. An error of its own is one of a call before that.
func (p *pass) makeStorage(ctx context.Context, target *v1alpha1.Target) (storageMade, error) {
	objects := storage.For(p.sb, target, job.UserOf(p.sb))
	facts, err := p.storageFacts(ctx, target, objects)
	if err != nil {
		return storageMade{}, err
	}
	made := storageMade{facts: facts, step: provisioning.Next(facts)}
	switch made.step {
	case provisioning.ForgetClaims:
		err = p.forgetClaims(ctx, target)
	case provisioning.FreeVolume: // nothing is lost with it, and it is made anew
		err = deleteObject(ctx, p.Client, "", facts.InTheWay)
	case provisioning.MakeObjects:
		made.err = p.applyObjects(ctx, objects)
	case provisioning.AwaitNote:
		err = errUnnoted(target, facts.Unnoted)
	case provisioning.LookAgain, provisioning.RefuseTaken:
	}
	return made, err
}

// storageFacts reads what is there in the place of what provisions a target's storage.
func (p *pass) storageFacts(ctx context.Context, target *v1alpha1.Target, objects storage.Objects) (facts provisioning.Facts, err error) {
	fresh, err := p.isFresh(ctx)
	if err != nil || !fresh {
		return provisioning.Facts{Stale: true}, err
	}
	facts.Noted = p.sb.Status.Target(target.Name).ClaimsUID != "" && !storage.MakesVolume(target)
	there, err := p.readInPlace(ctx, objects)
	if err != nil {
		return facts, err
	}
	facts.Taken, facts.Unnoted = there.takenFrom(&p.Children), there.unnotedOf(&p.Children)
	facts.InTheWay = there.volumeInTheWay(p.sb)
	p.memory.judgeUnnoted(&facts, p.now.Time)
	return facts, nil
}

// provisioned says how the benchmark goes on after a try to make a target's storage.
func (s *writer) provisioned(target *v1alpha1.Target, m storageMade) (outcome, error) {
	switch m.step {
	case provisioning.RefuseTaken:
		s.refuseTaken(target, m.facts.Taken)
		return saveFirst(), nil
	case provisioning.FreeVolume:
		return s.awaitStorage(target, describeFreed(m.facts.InTheWay), pollChildren), nil
	case provisioning.ForgetClaims:
		if s.changed() {
			return saveFirst(), nil
		}
		return awaitFor(retrySoon), nil
	case provisioning.LookAgain:
		return awaitFor(retrySoon), nil
	default:
		return s.applied(target, m.err)
	}
}

// applied says how it goes on after what provisions a target's storage was applied.
func (s *writer) applied(target *v1alpha1.Target, err error) (outcome, error) {
	switch {
	case apierrors.IsInvalid(err):
		s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %v", target.Name, err))
		return saveFirst(), nil
	case isRefused(err):
		return s.awaitStorage(target, err.Error(), pollWaiting), nil
	case err != nil:
		return outcome{}, fmt.Errorf("target %s: %w", target.Name, err)
	}
	s.sb.Status.StorageRefusedSince = nil // other targets have their own time
	return goOn(), nil
}

// describeFreed says that a PersistentVolume is deleted first, and what keeps it.
func describeFreed(volume *corev1.PersistentVolume) string {
	text := fmt.Sprintf("PersistentVolume %s is being deleted, to be made anew", volume.Name)
	if len(volume.Finalizers) > 0 {
		text += "; it is kept by finalizer " + strings.Join(volume.Finalizers, ", ")
	}
	return text
}

// refuseTaken ends the benchmark where something that is somebody else's is in the place of what a target needs.
func (s *writer) refuseTaken(target *v1alpha1.Target, taken string) {
	s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %s exists, and was not made for this benchmark; delete or rename it, and create the benchmark anew", target.Name, taken))
}

// awaitStorage waits for those who do not let a target's storage be made to change their minds, for as long as a volume
// may take to be made. Whoever resumes a benchmark gives it that time anew.
func (s *writer) awaitStorage(target *v1alpha1.Target, why string, poll time.Duration) outcome {
	about, limit := fmt.Sprintf("target %s: ", target.Name), attempt.VolumeLimit(s.sb.Spec.Deadlines)
	if s.sb.Status.StorageRefusedSince == nil {
		s.sb.Status.StorageRefusedSince = new(s.now)
	}
	if remaining := s.remaining(s.sb.Status.StorageRefusedSince.Time, limit); remaining > 0 {
		s.step(v1alpha1.ReasonProvisioning, s.retold(v1alpha1.ConditionSucceeded, about, why))
		return awaitFor(min(remaining, poll)).resting(remaining)
	}
	s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s %s: %s", target.Name, limit.Waited("its storage to be made"), why))
	return saveFirst()
}

// withoutAttributes says of a target that its claims have no VolumeAttributesClass though it names one. API servers
// without them drop the field, and do not say so: what is measured would be another volume than was asked for. Only a
// namespaced operator comes this far, which cannot look for the class.
func withoutAttributes(c *children.Children, target *v1alpha1.Target) string {
	if target.VolumeAttributesClassName == nil {
		return ""
	}
	for _, name := range storage.ClaimNames(c.Benchmark, target) {
		if claim := c.Claims[name]; claim != nil && claim.Spec.VolumeAttributesClassName == nil {
			return fmt.Sprintf("target %s: claim %s has lost its volumeAttributesClassName: %s", target.Name, name, noAttributesClasses)
		}
	}
	return ""
}

// applyObjects makes what provisions a target's storage, the claims last: where they are, all is. Those that are there stay as they are: of
// many clients, one that is missing would have all others written, and read, again.
func (p *pass) applyObjects(ctx context.Context, objects storage.Objects) error {
	if objects.Class != nil {
		if err := p.makeClass(ctx, objects.Class); err != nil {
			return fmt.Errorf("apply StorageClass: %w", err)
		}
	}
	if objects.Volume != nil {
		if err := p.makeVolume(ctx, objects.Volume); err != nil {
			return fmt.Errorf("apply PersistentVolume: %w", err)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(objects.Claims), func(claim *corev1ac.PersistentVolumeClaimApplyConfiguration) bool {
		return !p.LacksClaim(*claim.Name)
	})
	errs := inParallel(ctx, missing, func(claim *corev1ac.PersistentVolumeClaimApplyConfiguration) error {
		return p.Client.Apply(ctx, claim, applyOptions...)
	})
	for i, claim := range missing {
		p.memory.noteMade(*claim.Name, errs[i])
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return fmt.Errorf("apply claim: %w", errs[i])
	}
	return nil
}
