package job

import (
	"fmt"
	"time"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	startVolume = "start"
	startPath   = "/start"
	startFile   = "time"
)

// awaitStart has the container that measures wait for an instant at which all clients begin. The instant comes as an
// annotation of the pod, which the kubelet writes into a file: no port has to be open for it, and no token given.
func awaitStart(
	pod *corev1ac.PodSpecApplyConfiguration, measure *corev1ac.ContainerApplyConfiguration, runSeconds int32,
) {
	pod.WithVolumes(corev1ac.Volume().WithName(startVolume).WithDownwardAPI(corev1ac.DownwardAPIVolumeSource().
		WithItems(corev1ac.DownwardAPIVolumeFile().WithPath(startFile).WithFieldRef(corev1ac.ObjectFieldSelector().
			WithFieldPath(fmt.Sprintf("metadata.annotations['%s']", v1alpha1.AnnotationStartTime))))))
	// Others may still lay out their files, for which they have as long as for a run.
	deadline := time.Duration(runSeconds) * time.Second
	measure.
		WithVolumeMounts(corev1ac.VolumeMount().WithName(startVolume).WithMountPath(startPath).WithReadOnly(true)).
		WithArgs("--start-file="+startPath+"/"+startFile, "--start-deadline="+deadline.String())
}
