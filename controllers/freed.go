package controllers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/jobspec"
	"github.com/storagebench/storagebench/internal/ours"
)

// A class with WaitForFirstConsumer has claims bound when their pod gets a node. Until then Kubernetes may give them any volume of the class that is free and fits, also
// one that became free after the pod was made: whoever may change PersistentVolumes can retain the volume of another claim, delete that, and free the volume. Nothing
// in a claim keeps that from being bound which would not also keep a new volume from being made. So no pod with an fsGroup may wait where there is such a volume.

// bindsFirst says whether an anchor has to have the claim of the only run bound, before there is a pod whose fsGroup would be given to all files on the volume:
// there are volumes that an administrator may free while that pod waits for a node, and Kubernetes would bind the claim to one of these. A device that is written
// in full is bound first in any case, and so is a claim whose volume took long in an earlier attempt.
func (p *pass) bindsFirst(ctx context.Context, run *v1alpha1.Run, target *v1alpha1.Target) (bool, error) {
	settled := p.anchored() || p.sb.Status.Target(target.Name).IsForOnePod()
	if !settled && run.Attempts > 0 && !p.IsBound(0) {
		return true, nil
	}
	first, depends := comesFirst(settled, jobspec.WritesDevice(p.sb, target), p.setsGroup())
	if !depends {
		return first, nil
	}
	sources, err := p.readSources(ctx, target, 0)
	if err != nil {
		return false, err
	}
	err = p.lookFitting(ctx, target, &sources, ours.MayBeFreed)
	return sources.Fitting != "", err
}

// comesFirst says whether a claim is bound before there is a pod of its run, or that this depends on the volumes of the cluster. settled says that an anchor has it
// bound in any case, or that it cannot be bound before.
func comesFirst(settled, writesDevice, setsGroup bool) (first, depends bool) {
	first = !settled && writesDevice
	return first, !settled && !first && setsGroup
}

// setsGroup says whether pods of runs may have an fsGroup, and the operator sees on which volumes.
func (s *scope) setsGroup() bool { return !s.namespaces.AreSet() && job.SetsGroup(s.sb) }

// lookFreed is how often it is looked for volumes that came free while a pod waits for a node. All volumes of the cluster are listed for that.
const lookFreed = 10 * time.Second

// withdraw ends an attempt whose pod waits for a node, and has an fsGroup, where a volume that was not made for it may come to its claim. The next attempt has the
// claim bound first, or no fsGroup.
func (p *pass) withdraw(ctx context.Context, run *v1alpha1.Run, target *v1alpha1.Target, one part) (outcome, error) {
	if !willChangeGroup(one.pod) || !p.setsGroup() {
		return goOn(), nil
	}
	sources, err := p.seeFreed(ctx, target, one.client)
	if err != nil {
		return outcome{}, err
	}
	why := sources.WhyExisting(target.Name)
	if why == "" {
		return goOn(), nil
	}
	p.disrupted(run, why+", and the pod would change the group of all files there")
	return saveFirst(), nil
}

// willChangeGroup says whether a pod has no node yet, and an fsGroup.
func willChangeGroup(pod *corev1.Pod) bool {
	return pod != nil && pod.Spec.NodeName == "" && changesGroup(pod)
}

// changesGroup says whether a pod has the files on its volumes given to a group.
func changesGroup(pod *corev1.Pod) bool {
	return pod.Spec.SecurityContext != nil && pod.Spec.SecurityContext.FSGroup != nil
}

// seeFreed sees whether a volume that was there before has come, or may come, to a client's claim of a target. It looks at the volumes of the cluster only now
// and then.
func (p *pass) seeFreed(ctx context.Context, target *v1alpha1.Target, which int32) (ours.Sources, error) {
	sources, err := p.readSources(ctx, target, which)
	if err != nil || !sources.DependsOnVolumes() || p.now.Before(&p.memory.lookFreedAgain) {
		return sources, err
	}
	p.memory.lookFreedAgain = metav1.NewTime(p.Clock.Now().Add(lookFreed))
	err = p.lookFitting(ctx, target, &sources, ours.MayGet, ours.MayBeFreed)
	return sources, err
}
