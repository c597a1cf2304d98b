package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
)

// applyOptions make the operator the owner of the fields that it sets, whoever set them before.
var applyOptions = []client.ApplyOption{client.FieldOwner(v1alpha1.ManagedBy), client.ForceOwnership}

// provision makes what provisions the storage of all targets, so that trouble with it shows before the first run.
func provision(ctx context.Context, s *scope) (outcome, error) {
	if s.concluded() {
		return goOn(), nil
	}
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		if !storage.IsProvisioned(target) || s.claims[storage.ClaimName(s.sb, target)] != nil {
			continue
		}
		// What has no namespace has no owner: made by a pass over an old version, nobody would remove it again.
		if fresh, err := s.isFresh(ctx); err != nil || !fresh {
			return haltFor(retrySoon), err
		}
		err := s.applyObjects(ctx, storage.For(s.sb, target, job.UserOf(s.sb)))
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %v", target.Name, err))
			return halt(), nil
		}
		if err != nil {
			return outcome{}, fmt.Errorf("target %s: %w", target.Name, err)
		}
	}
	return goOn(), nil
}

// applyObjects makes what provisions a target's storage, the claim last: where it is, all is.
func (s *scope) applyObjects(ctx context.Context, objects storage.Objects) error {
	if objects.Class != nil {
		if err := s.Client.Apply(ctx, objects.Class, applyOptions...); err != nil {
			return fmt.Errorf("apply StorageClass: %w", err)
		}
	}
	if objects.Volume != nil {
		if err := s.Client.Apply(ctx, objects.Volume, applyOptions...); err != nil {
			return fmt.Errorf("apply PersistentVolume: %w", err)
		}
	}
	if err := s.Client.Apply(ctx, objects.Claim, applyOptions...); err != nil {
		return fmt.Errorf("apply claim: %w", err)
	}
	return nil
}

// recordPlace notes a target's volume and the node once a pod that uses it has been scheduled.
func (s *scope) recordPlace(ctx context.Context, target *v1alpha1.Target, pod *corev1.Pod) error {
	status := s.targetStatus(target.Name)
	if pod == nil || pod.Spec.NodeName == "" || (len(status.Volumes) == 1 && status.Volumes[0].Node == pod.Spec.NodeName) {
		return nil
	}
	claim := s.claims[storage.ClaimName(s.sb, target)]
	if claim == nil {
		claim = &corev1.PersistentVolumeClaim{}
		key := types.NamespacedName{Namespace: s.sb.Namespace, Name: storage.ClaimName(s.sb, target)}
		if err := s.Live.Get(ctx, key, claim); err != nil {
			return unlessGone(err, "get claim of target "+target.Name)
		}
	}
	if err := s.recordVolume(ctx, status, claim, pod.Spec.NodeName); err != nil {
		return err
	}
	if len(status.Volumes) == 1 {
		status.ClientLimits = storage.ClientLimits(target, status.Driver, status.Volumes[0].InstanceType)
	}
	return nil
}

// recordVolume notes in the status which volume a target's claim is bound to, and which node it is
// measured from.
func (s *scope) recordVolume(ctx context.Context, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string) error {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	volume := v1alpha1.VolumeStatus{Name: claim.Spec.VolumeName}
	if len(target.Volumes) == 1 && target.Volumes[0].Name == volume.Name {
		volume = target.Volumes[0]
	}
	if volume.Handle == "" {
		var pv corev1.PersistentVolume
		if err := s.Live.Get(ctx, types.NamespacedName{Name: volume.Name}, &pv); err != nil {
			return unlessGone(err, "get volume of target "+target.Name)
		}
		volume.Handle = handle(&pv)
		if s.claims[claim.Name] != nil {
			// The provisioner makes the object when it has the volume, which may be long before a run looks.
			took := pv.CreationTimestamp.Sub(claim.CreationTimestamp.Time)
			target.ProvisionedSeconds = new(int32(max(took, 0) / time.Second))
		}
	}
	if node != "" && volume.Node != node {
		if err := s.describeNode(ctx, &volume, node); err != nil {
			return err
		}
	}
	target.Volumes = []v1alpha1.VolumeStatus{volume}
	return nil
}

// handle returns what the volume is called by the storage, such as vol-0123456789abcdef0.
func handle(pv *corev1.PersistentVolume) string {
	switch source := pv.Spec.PersistentVolumeSource; {
	case source.CSI != nil:
		return source.CSI.VolumeHandle
	case source.Local != nil:
		return source.Local.Path
	case source.HostPath != nil:
		return source.HostPath.Path
	case source.NFS != nil:
		return source.NFS.Server + ":" + source.NFS.Path
	default:
		return pv.Name
	}
}

func (s *scope) describeNode(ctx context.Context, volume *v1alpha1.VolumeStatus, name string) error {
	var node corev1.Node
	if err := s.Live.Get(ctx, types.NamespacedName{Name: name}, &node); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get node: %w", err)
	}
	volume.Node = name
	volume.Zone = node.Labels[corev1.LabelTopologyZone]
	volume.InstanceType = node.Labels[corev1.LabelInstanceTypeStable]
	return nil
}
