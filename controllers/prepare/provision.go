package prepare

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// Provision makes what provisions the storage of all targets, so that an error shows before the first run.
func Provision(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() {
		return pass.GoOn(), nil
	}
	for i := range p.SB.Spec.Targets {
		if out, err := provisionTarget(ctx, p, &p.SB.Spec.Targets[i]); err != nil || out.Stop {
			return out, err
		}
	}
	return pass.GoOn(), nil
}

// provisionTarget makes what provisions the storage of a target, where it is not there.
func provisionTarget(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (pass.Outcome, error) {
	problem := WithoutAttributes(&p.Children, target)
	if problem == "" {
		var err error
		if problem, err = pvc.WithoutSource(ctx, p, target); err != nil {
			return pass.Outcome{}, err
		}
	}
	if problem != "" {
		p.Fail(v1alpha1.ReasonProvisioningFailed, problem)
		return pass.SaveFirst(), nil
	}
	if !storage.IsProvisioned(target) {
		return pass.GoOn(), nil
	}
	if !p.Children.LacksClaim(storage.ClaimNames(p.SB, target)...) {
		pvc.NoteClaims(p, target)
		return pass.GoOn(), nil
	}
	made, err := pvc.MakeStorage(ctx, p, target)
	if err != nil {
		return pass.Outcome{}, err
	}
	return Provisioned(p, target, made)
}

// Provisioned says how the benchmark goes on after a try to make a target's storage.
func Provisioned(s *pass.Pass, target *v1alpha1.Target, m pvc.StorageMade) (pass.Outcome, error) {
	switch m.Step {
	case owned.RefuseTaken:
		s.RefuseTaken(target, m.Facts.Taken)
		return pass.SaveFirst(), nil
	case owned.FreeVolume:
		return awaitStorage(s, target, describeFreed(m.Facts.InTheWay), pass.PollChildren), nil
	case owned.ForgetClaims:
		if s.Changed() {
			return pass.SaveFirst(), nil
		}
		return pass.AwaitFor(pass.RetrySoon), nil
	case owned.ReadAgain:
		return pass.AwaitFor(pass.RetrySoon), nil
	default:
		return applied(s, target, m.Err)
	}
}

// applied says how it goes on after what provisions a target's storage was applied.
func applied(s *pass.Pass, target *v1alpha1.Target, err error) (pass.Outcome, error) {
	switch {
	case apierrors.IsInvalid(err):
		s.Fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %v", target.Name, err))
		return pass.SaveFirst(), nil
	case world.IsRefused(err):
		return awaitStorage(s, target, err.Error(), workers.PollWaiting), nil
	case err != nil:
		return pass.Outcome{}, fmt.Errorf("target %s: %w", target.Name, err)
	}
	return pass.GoOn(), nil
}

// describeFreed says that a PersistentVolume is deleted first, and what keeps it.
func describeFreed(volume *corev1.PersistentVolume) string {
	text := fmt.Sprintf("PersistentVolume %s is being deleted, to be made anew", volume.Name)
	if len(volume.Finalizers) > 0 {
		text += "; it is kept by finalizer " + strings.Join(volume.Finalizers, ", ")
	}
	return text
}

// awaitStorage waits while a quota, a policy or a webhook refuses storage, for as long as a volume may take to be made.
// Resuming a suspended benchmark gives it that time anew.
func awaitStorage(s *pass.Pass, target *v1alpha1.Target, why string, poll time.Duration) pass.Outcome {
	about, limit := fmt.Sprintf("target %s: ", target.Name), attempt.VolumeLimit(s.SB.Spec.Deadlines)
	since := ptr.Deref(s.SB.Status.StepSince(v1alpha1.ReasonProvisioning), s.Now)
	if remaining := s.Remaining(since.Time, limit); remaining > 0 {
		s.Step(v1alpha1.ReasonProvisioning, s.Retold(v1alpha1.ConditionSucceeded, about, why))
		return pass.AwaitFor(min(remaining, poll)).Resting(remaining)
	}
	s.Fail(v1alpha1.ReasonProvisioningFailed,
		fmt.Sprintf("target %s %s: %s", target.Name, limit.Waited("its storage to be made"), why))
	return pass.SaveFirst()
}

// WithoutAttributes says of a target that its claims have no VolumeAttributesClass though it names one. API servers
// without them drop the field, and do not say so: what is measured would be another volume than was asked for. Only a
// namespaced operator comes this far, which cannot look for the class.
func WithoutAttributes(c *children.Children, target *v1alpha1.Target) string {
	if target.VolumeAttributesClassName == nil {
		return ""
	}
	for _, name := range storage.ClaimNames(c.Benchmark, target) {
		if claim := c.Claims[name]; claim != nil && claim.Spec.VolumeAttributesClassName == nil {
			return fmt.Sprintf("target %s: claim %s has lost its volumeAttributesClassName: %s",
				target.Name, name, NoAttributesClasses)
		}
	}
	return ""
}
