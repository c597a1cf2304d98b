package job

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// nonRootID is the user and group of the runner's image.
const nonRootID = 65532

// podSpec returns the part of a pod that does not depend on what it is for: the volume, the placement, and
// a security context that the Pod Security Standard "restricted" admits.
func podSpec(sb *v1alpha1.StorageBenchmark, volume Volume) *corev1ac.PodSpecApplyConfiguration {
	settings := podSettings(sb)
	pod := corev1ac.PodSpec().
		WithRestartPolicy(corev1.RestartPolicyNever).
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithTerminationGracePeriodSeconds(gracePeriodSeconds).
		WithSecurityContext(podSecurity(settings.SecurityContext)).
		WithVolumes(
			corev1ac.Volume().WithName(volumeName).WithPersistentVolumeClaim(
				corev1ac.PersistentVolumeClaimVolumeSource().WithClaimName(volume.Claim)),
			corev1ac.Volume().WithName(scratchVolume).WithEmptyDir(corev1ac.EmptyDirVolumeSource()))
	for _, secret := range settings.ImagePullSecrets {
		pod.WithImagePullSecrets(corev1ac.LocalObjectReference().WithName(secret.Name))
	}
	if settings.PriorityClassName != nil {
		pod.WithPriorityClassName(*settings.PriorityClassName)
	}
	place(pod, ptr.Deref(sb.Spec.Placement, v1alpha1.Placement{}))
	return pod
}

func place(pod *corev1ac.PodSpecApplyConfiguration, placement v1alpha1.Placement) {
	pod.WithNodeSelector(placement.NodeSelector)
	for i := range placement.Tolerations {
		t := &placement.Tolerations[i]
		pod.WithTolerations(convert[corev1ac.TolerationApplyConfiguration](t))
	}
	if placement.Affinity != nil {
		pod.WithAffinity(convert[corev1ac.AffinityApplyConfiguration](placement.Affinity))
	}
}

func podSecurity(users *corev1.PodSecurityContext) *corev1ac.PodSecurityContextApplyConfiguration {
	if users != nil {
		return convert[corev1ac.PodSecurityContextApplyConfiguration](users)
	}
	return corev1ac.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithRunAsUser(nonRootID).
		WithRunAsGroup(nonRootID).
		WithFSGroup(nonRootID).
		WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch).
		WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))
}

func containerSecurity() *corev1ac.SecurityContextApplyConfiguration {
	return corev1ac.SecurityContext().
		WithAllowPrivilegeEscalation(false).
		WithReadOnlyRootFilesystem(true).
		WithCapabilities(corev1ac.Capabilities().WithDrop("ALL"))
}

// convert copies an API type into its apply configuration. Both are the same JSON, and every field of an
// apply configuration is optional, so the copy cannot fail for a value that the API server has accepted.
func convert[T any](in any) *T {
	out := new(T)
	text, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(fmt.Sprintf("apply configuration of %T: %v", in, err))
	}
	return out
}
