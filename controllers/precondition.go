package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// A device is written in full before it is measured only where its volume was made for the benchmark's claim. Kubernetes binds a claim also to a volume that was
// there before, if one fits, and what is on that is somebody's. So the claim is bound before there is a pod that writes, and its volume is looked at then.

// addPrecondition has a client write its device, or the files that it lays out, before it measures. whyNotWritten says whether the device may be.
func (s *scope) addPrecondition(described *job.Run, planned *plan.Run, shares plan.Shares) {
	if !s.preconditions(planned, described.Client, shares) {
		return
	}
	described.Precondition = plan.PreconditionOf(planned.Target)
	if described.Volume.Mode == corev1.PersistentVolumeBlock {
		described.Volume.ReadOnly = false // also where the workload only reads
	}
}

// preconditions says whether a client writes its device, or what it lays out, before a run: a device on which something was measured was written.
func (s *scope) preconditions(planned *plan.Run, client int32, shares plan.Shares) bool {
	if planned.Target.Precondition == nil {
		return false
	}
	var measured []*plan.Run
	runs := s.sb.Status.Runs[runsBefore(s.targetStatus(planned.Target.Name)):]
	for i := range runs {
		if before, known := s.planned(&runs[i]); known && runs[i].State == v1alpha1.RunSucceeded {
			measured = append(measured, before)
		}
	}
	return plan.Preconditions(planned, client, s.volumeModes().ModeOf(planned.Target), measured, shares)
}

// writesDevice says whether a target's devices are written before they are measured.
func (s *scope) writesDevice(target *v1alpha1.Target) bool {
	return target.Precondition != nil && s.volumeModes().ModeOf(target) == corev1.PersistentVolumeBlock
}

// writesDeviceOf is writesDevice for the target of a name.
func (s *scope) writesDeviceOf(target string) bool {
	return slices.ContainsFunc(s.sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == target && s.writesDevice(&t) })
}

// whyNotWritten says why devices of clients may not be written before a run, "" if they may, or are not. It is an error that a claim has no volume: its anchor had it
// bound, so somebody has just deleted it.
func (p *pass) whyNotWritten(ctx context.Context, planned *plan.Run, clients []int32) (string, error) {
	target := planned.Target
	if !p.writesDevice(target) {
		return "", nil
	}
	for _, client := range clients {
		if !p.preconditions(planned, client, nil) {
			continue
		}
		name := storage.ClaimName(p.sb, target, client)
		claim, err := p.liveClaim(ctx, name)
		if err != nil {
			return "", fmt.Errorf("get claim of target %s: %w", target.Name, err)
		}
		switch origin, err := p.originOfVolume(ctx, claim); {
		case err != nil:
			return "", err
		case origin == ours.Unbound:
			return "", fmt.Errorf("claim %s of target %s has no volume that could be written before it is measured", name, target.Name)
		case origin != ours.Made:
			return fmt.Sprintf("the volume of claim %s of target %s was not made for it, as far as can be seen, and precondition would write all of it: "+
				"remove precondition, or use a StorageClass that has no PersistentVolume in phase Available", name, target.Name), nil
		}
	}
	return "", nil
}

// refuseToWrite ends the benchmark where a device may not be written, for a reason.
func (s *scope) refuseToWrite(run *v1alpha1.Run, why string) outcome {
	if why == "" {
		return outcome{}
	}
	s.failRun(run, why)
	s.fail(v1alpha1.ReasonProvisioningFailed, why)
	return saveFirst()
}
