package job

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/internal/digest"
)

// nameInReport tells the runner which pod it is in, for its report.
func nameInReport(measure *corev1ac.ContainerApplyConfiguration) {
	measure.WithEnv(corev1ac.EnvVar().WithName(digest.PodVariable).WithValueFrom(
		corev1ac.EnvVarSource().WithFieldRef(corev1ac.ObjectFieldSelector().WithFieldPath("metadata.uid"))))
}

// askEBS has the runner ask what EBS itself says of the volume, if it is to.
func askEBS(measure *corev1ac.ContainerApplyConfiguration, run Run) {
	if run.EBSMetricsURL == "" {
		return
	}
	measure.WithEnv(corev1ac.EnvVar().WithName(digest.EBSMetricsVariable).WithValue(run.EBSMetricsURL))
	if run.VolumeID != "" {
		measure.WithEnv(corev1ac.EnvVar().WithName(digest.VolumeVariable).WithValue(run.VolumeID))
	}
}

// IsNamedInReport says whether the report of a pod has to name it. One that an operator of an older release has made was not
// told, and what it reports cannot tell.
func IsNamedInReport(pod *corev1.PodSpec) bool {
	return slices.ContainsFunc(pod.Containers, func(c corev1.Container) bool {
		return c.Name == MeasureContainer && slices.ContainsFunc(c.Env, isPodVariable)
	})
}

func isPodVariable(v corev1.EnvVar) bool { return v.Name == digest.PodVariable }
