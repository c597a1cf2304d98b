package job

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/digest"
)

// ownContainers are the names of the containers that the operator makes.
var ownContainers = []string{LayoutContainer, MeasureContainer, CleanContainer, AnchorContainer, bindContainer}

// IsOwnContainer reports whether the operator makes containers of this name. Others may be injected into its pods.
func IsOwnContainer(name string) bool { return slices.Contains(ownContainers, name) }

// TrimContainers leaves of the containers of a pod those that the operator makes, and of them what it reads: whether they lay out files, probe and
// are named in their reports, and the memory that they may take.
func TrimContainers(containers []corev1.Container) []corev1.Container {
	var trimmed []corev1.Container
	for _, c := range containers {
		if !IsOwnContainer(c.Name) || c.Name == LayoutContainer {
			continue
		}
		kept := corev1.Container{Name: c.Name}
		for _, flag := range []string{layoutFlag, probeFlag} {
			if slices.Contains(c.Args, flag) {
				kept.Args = append(kept.Args, flag)
			}
		}
		if slices.ContainsFunc(c.Env, isPodVariable) {
			kept.Env = []corev1.EnvVar{{Name: digest.PodVariable}}
		}
		if limit, limited := c.Resources.Limits[corev1.ResourceMemory]; limited {
			kept.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: limit}
		}
		trimmed = append(trimmed, kept)
	}
	return trimmed
}
