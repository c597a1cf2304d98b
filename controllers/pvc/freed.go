package pvc

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// A class with WaitForFirstConsumer has claims bound when their pod gets a node. Until then Kubernetes may give them
// any volume of the class that is free and fits, also one that became free after the pod was made: a user who may
// change PersistentVolumes can retain the volume of another claim, delete that claim, and free the volume. No setting
// of a claim prevents this without also preventing a new volume from being made. So no pod with an fsGroup may wait
// where there is such a volume.

// BindsFirst reports whether an anchor has to have the claim of the only run bound before there is a pod whose fsGroup
// would be given to all files on the volume: there are volumes that an administrator may free while that pod waits for
// a node, and Kubernetes would bind the claim to one of these. A device that is written in full is bound first in any
// case, and so is a claim whose volume took long in an earlier attempt.
func BindsFirst(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, target *v1alpha1.Target) (bool, error) {
	settled := p.Anchored() || p.SB.Status.Target(target.Name).IsForOnePod()
	if !settled && run.Attempts > 0 && !p.Children.IsBound(0) {
		return true, nil
	}
	first, depends := ComesFirst(settled, job.WritesDevice(p.SB, target), SetsGroup(p))
	if !depends {
		return first, nil
	}
	sources, err := readSources(ctx, p, target, 0)
	if err != nil {
		return false, err
	}
	err = lookFitting(ctx, p, target, &sources, owned.MayBeFreed)
	return sources.Fitting != "", err
}

// ComesFirst reports whether a claim is bound before there is a pod of its run (first), or whether this depends on the
// volumes of the cluster (depends). settled is true if an anchor has it bound in any case, or if it cannot be bound
// before.
func ComesFirst(settled, writesDevice, setsGroup bool) (first, depends bool) {
	first = !settled && writesDevice
	return first, !settled && !first && setsGroup
}

// SetsGroup reports whether pods of runs may have an fsGroup, and the operator sees on which volumes.
func SetsGroup(s *pass.Pass) bool { return !s.Namespaces.AreSet() && job.SetsGroup(s.SB) }

// LookFreed is how often it is looked for volumes that came free while a pod waits for a node. All volumes of the
// cluster are listed for that.
const LookFreed = 10 * time.Second

// WillChangeGroup reports whether a pod has an fsGroup and no node yet.
func WillChangeGroup(pod *corev1.Pod) bool {
	return pod != nil && pod.Spec.NodeName == "" && ChangesGroup(pod)
}

// ChangesGroup reports whether a pod has the files on its volumes given to a group.
func ChangesGroup(pod *corev1.Pod) bool {
	return pod.Spec.SecurityContext != nil && pod.Spec.SecurityContext.FSGroup != nil
}

// SeeFreed sees whether a volume that was there before has come, or may come, to a client's claim of a target. It looks
// at the volumes of the cluster only now and then.
func SeeFreed(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, which int32) (owned.Sources, error) {
	sources, err := readSources(ctx, p, target, which)
	if err != nil || !sources.DependsOnVolumes() || p.Now.Before(&p.Memory.LookFreedAgain) {
		return sources, err
	}
	p.Memory.LookFreedAgain = metav1.NewTime(p.World.Clock.Now().Add(LookFreed))
	err = lookFitting(ctx, p, target, &sources, owned.MayGet, owned.MayBeFreed)
	return sources, err
}
