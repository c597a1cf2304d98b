package job

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/storage"
)

// sharedProcesses has the pod's sandbox be the first process of its containers. Were the runner the first, it could not
// end before a fio that hangs in a system call: the kernel keeps a namespace's first process until all others are gone,
// and the kubelet would never read the runner's message.
const sharedProcesses = true

// nonRootID is the user and group of the runner's image.
const nonRootID = 65532

// scratchLimit is the most that a pod may have on its node's disk, or else the kubelet evicts it. The runner ends fio long
// before: at 16 MiB of output. Beside it there are the job file, and up to some 20 MiB of fio's logs when its jobs have ended.
var scratchLimit = resource.MustParse("256Mi")

// podSpec returns the part of a pod that does not depend on what it is for, with a security context that the
// Pod Security Standard "restricted" admits.
func podSpec(sb *v1alpha1.StorageBenchmark, security *corev1ac.PodSecurityContextApplyConfiguration) *corev1ac.PodSpecApplyConfiguration {
	settings := podSettings(sb)
	pod := corev1ac.PodSpec().
		WithRestartPolicy(corev1.RestartPolicyNever).
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithShareProcessNamespace(sharedProcesses).
		WithTerminationGracePeriodSeconds(gracePeriodSeconds).
		WithSecurityContext(security).
		WithNodeSelector(onLinux).
		WithVolumes(corev1ac.Volume().WithName(scratchVolume).WithEmptyDir(corev1ac.EmptyDirVolumeSource().WithSizeLimit(scratchLimit.DeepCopy())))
	for _, secret := range settings.ImagePullSecrets {
		pod.WithImagePullSecrets(corev1ac.LocalObjectReference().WithName(secret.Name))
	}
	if settings.ServiceAccountName != nil {
		pod.WithServiceAccountName(*settings.ServiceAccountName)
	}
	if settings.PriorityClassName != nil {
		pod.WithPriorityClassName(*settings.PriorityClassName)
	}
	return pod
}

func podSettings(sb *v1alpha1.StorageBenchmark) v1alpha1.PodSettings {
	return ptr.Deref(sb.Spec.Pod, v1alpha1.PodSettings{})
}

// UserOf returns who the benchmark's pods run as: the image's user, unless the security context says otherwise.
func UserOf(sb *v1alpha1.StorageBenchmark) storage.User {
	security := ptr.Deref(podSettings(sb).SecurityContext, corev1.PodSecurityContext{})
	return storage.User{UID: ptr.Deref(security.RunAsUser, nonRootID), GID: ptr.Deref(security.RunAsGroup, nonRootID)}
}

func claimVolume(name string, volume Volume) *corev1ac.VolumeApplyConfiguration {
	return corev1ac.Volume().WithName(name).WithPersistentVolumeClaim(
		corev1ac.PersistentVolumeClaimVolumeSource().WithClaimName(volume.Claim))
}

// container returns a container that runs the runner with the volume.
func container(sb *v1alpha1.StorageBenchmark, image Image, name string, volume Volume, jobFile string, args []string) *corev1ac.ContainerApplyConfiguration {
	c := runnerContainer(image, name, args).
		WithVolumeMounts(corev1ac.VolumeMount().WithName(scratchVolume).WithMountPath(scratchPath))
	if jobFile != "" {
		c.WithEnv(corev1ac.EnvVar().WithName(digest.JobFileVariable).WithValue(jobFile))
	}
	give(c, volumeName, volume, MountPath, DevicePath)
	if wanted := podSettings(sb).Resources; len(wanted.Limits)+len(wanted.Requests) > 0 {
		c.WithResources(resources(wanted))
	}
	return c
}

// resources returns a copy: an apply configuration takes maps as they are, and gets what the API server answers written
// into them, for several pods at a time.
func resources(wanted corev1.ResourceRequirements) *corev1ac.ResourceRequirementsApplyConfiguration {
	return corev1ac.ResourceRequirements().WithLimits(wanted.Limits.DeepCopy()).WithRequests(wanted.Requests.DeepCopy())
}

func runnerContainer(image Image, name string, args []string) *corev1ac.ContainerApplyConfiguration {
	return corev1ac.Container().
		WithName(name).
		WithImage(image.Name).
		WithImagePullPolicy(image.PullPolicy).
		WithArgs(args...).
		WithTerminationMessagePolicy(corev1.TerminationMessageReadFile).
		WithSecurityContext(containerSecurity())
}

// give gives the pod's volume of a name to a container: at a path as a file system, or as a device.
func give(c *corev1ac.ContainerApplyConfiguration, name string, volume Volume, mountPath, devicePath string) {
	if volume.Mode == corev1.PersistentVolumeBlock {
		c.WithVolumeDevices(corev1ac.VolumeDevice().WithName(name).WithDevicePath(devicePath))
		return
	}
	c.WithVolumeMounts(corev1ac.VolumeMount().WithName(name).WithMountPath(mountPath))
}

// basicSecurity is what the user gives, or else what all pods have.
func basicSecurity(sb *v1alpha1.StorageBenchmark) *corev1ac.PodSecurityContextApplyConfiguration {
	if users := podSettings(sb).SecurityContext; users != nil {
		return convert[corev1ac.PodSecurityContextApplyConfiguration](users)
	}
	return corev1ac.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithRunAsUser(nonRootID).
		WithRunAsGroup(nonRootID).
		WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))
}

// podSecurity is for a pod that works on a volume. An fsGroup has the kubelet give each file of the volume to that group, and let
// it write, for good: so there is one only on a volume that was made for the benchmark, whose new file system is root's. On
// another one there is one only if the user asks for it, who may then create such a pod on that claim as well.
func podSecurity(sb *v1alpha1.StorageBenchmark, volume Volume) *corev1ac.PodSecurityContextApplyConfiguration {
	security := basicSecurity(sb)
	if SetsGroup(sb) && !volume.Existing {
		security.WithFSGroup(nonRootID).WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	}
	return security
}

// SetsGroup says whether pods on volumes that were made for the benchmark have an fsGroup that the user has not asked for.
func SetsGroup(sb *v1alpha1.StorageBenchmark) bool { return podSettings(sb).SecurityContext == nil }

// holderSecurity is for a pod that mounts the volumes of all targets and writes to none: no fsGroup, also none of the user's,
// who may have thought of one of the volumes only.
func holderSecurity(sb *v1alpha1.StorageBenchmark) *corev1ac.PodSecurityContextApplyConfiguration {
	security := basicSecurity(sb)
	security.FSGroup, security.FSGroupChangePolicy = nil, nil
	return security
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
